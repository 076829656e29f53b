#include "toolchain/prefetch/site_choice.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace softlbr::toolchain {
namespace {

constexpr size_t kFanInRows = 20;

struct Miss {
  uint64_t line = 0;
  uint32_t first_candidate = 0;  // in PathReplay::candidates
  uint32_t candidates = 0;
};

// One line's misses.
struct MissingLine {
  uint32_t module = kNoModule;
  uint64_t misses = 0;
  std::unordered_map<uint64_t, uint64_t> by_pc;
  std::array<std::unordered_set<BlockNumber>, kFanInDistances.size()> sources;

  uint64_t MostFrequentPc() const {
    const auto best = std::max_element(by_pc.begin(), by_pc.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    return best->first;
  }
};

// Replays the path with hints in it, and records the remaining misses with what was executed before each.
class PathReplay {
 public:
  // Counts most_instructions at most.
  PathReplay(const TracePath& path, const CodeCacheShape& shape, const SiteLimits& limits,
             std::vector<ChosenHint> hints, uint64_t most_instructions)
      : path_(path),
        limits_(limits),
        most_instructions_(most_instructions),
        cache_(shape),
        plain_(WithoutNextLines(shape)),
        executions_(path.blocks().size()),
        hints_(std::move(hints)),
        hints_at_(path.blocks().size()),
        useful_(hints_.size()) {
    for (uint32_t i = 0; i < hints_.size(); ++i) {
      hints_at_[hints_[i].site].push_back(i);
      hint_lines_.push_back(path.LineOf(hints_[i].module, hints_[i].target));
    }
  }

  void Step(BlockNumber number, bool is_cut) {
    if (is_cut) {
      cache_.Clear();
      plain_.Clear();
      history_.clear();
    }
    const PathBlock& block = path_.blocks()[number];
    // The model knows no blocks that stay out of its caches, so both are judged from when the plain one is warm.
    const bool is_warm =
        cache_.IsWarm() && plain_.IsWarm() && misses_.size() < kMaxMisses && instructions_ < most_instructions_;
    history_.push_back({number, now_});
    while (history_.front().begins + ReachOf(limits_) < now_) history_.pop_front();
    bool is_first = true;
    for (const LineOfBlock& line : block.lines) {
      const bool misses_plain = plain_.Fetch(line.line) == FetchResult::kMiss;
      const bool misses = cache_.Fetch(line.line) == FetchResult::kMiss;
      if (is_warm) {
        plain_misses_ += misses_plain;
        if (misses) Note(block.module, line);
        if (cache_.fetched_hint() != kNoHint) ++useful_[cache_.fetched_hint()];
      }
      if (std::exchange(is_first, false)) {
        for (const uint32_t hint : hints_at_[number]) cache_.Hint(hint_lines_[hint], hint);
      }
      plain_.Execute(line.instructions);
      cache_.Execute(line.instructions);
      now_ += line.instructions;
    }
    if (is_warm) {
      ++executions_[number];
      instructions_ += block.instructions;
    }
  }

  uint64_t plain_misses() const { return plain_misses_; }
  uint64_t instructions() const { return instructions_; }
  const std::vector<Miss>& misses() const { return misses_; }
  const std::vector<BlockNumber>& candidates() const { return candidates_; }
  const std::vector<uint64_t>& executions() const { return executions_; }
  // The hints as they fared.
  std::vector<ChosenHint> Hints() const {
    std::vector<ChosenHint> hints = hints_;
    for (size_t i = 0; i < hints.size(); ++i) {
      hints[i].executions = executions_[hints[i].site];
      hints[i].covered = useful_[i];
    }
    return hints;
  }
  const std::unordered_map<uint64_t, MissingLine>& lines() const { return lines_; }

 private:
  struct Past {
    BlockNumber block;
    uint64_t begins;  // instructions executed before it
  };

  static CodeCacheShape WithoutNextLines(CodeCacheShape shape) {
    shape.next_lines = 0;
    return shape;
  }
  static uint64_t ReachOf(const SiteLimits& limits) {
    return std::max<uint64_t>(uint64_t{limits.distance} + limits.window, kFanInDistances.back() + 100);
  }

  void Note(uint32_t module, const LineOfBlock& fetched) {
    MissingLine& line = lines_[fetched.line];
    line.module = module;
    ++line.misses;
    ++line.by_pc[fetched.pc];
    Miss miss{fetched.line, static_cast<uint32_t>(candidates_.size()), 0};
    for (const Past& past : history_) {
      const uint64_t before = now_ - past.begins;
      if (before < limits_.distance || before > uint64_t{limits_.distance} + limits_.window) continue;
      const auto begin = candidates_.begin() + miss.first_candidate;
      if (std::find(begin, candidates_.end(), past.block) == candidates_.end()) candidates_.push_back(past.block);
    }
    miss.candidates = static_cast<uint32_t>(candidates_.size()) - miss.first_candidate;
    misses_.push_back(miss);
    // The block that was being executed so many instructions before.
    size_t distance = 0;
    for (auto past = history_.rbegin(); past != history_.rend() && distance < kFanInDistances.size(); ++past) {
      while (distance < kFanInDistances.size() && now_ - past->begins >= kFanInDistances[distance]) {
        line.sources[distance++].insert(past->block);
      }
    }
  }

  const TracePath& path_;
  const SiteLimits& limits_;
  const uint64_t most_instructions_;
  CodeCache cache_, plain_;
  uint64_t now_ = 0;
  uint64_t instructions_ = 0;
  uint64_t plain_misses_ = 0;
  std::deque<Past> history_;
  std::vector<Miss> misses_;
  std::vector<BlockNumber> candidates_;
  std::vector<uint64_t> executions_;
  std::unordered_map<uint64_t, MissingLine> lines_;
  const std::vector<ChosenHint> hints_;
  std::vector<std::vector<uint32_t>> hints_at_;  // by block
  std::vector<uint64_t> hint_lines_;             // by hint
  std::vector<uint64_t> useful_;                 // by hint
};

struct Pair {
  BlockNumber site = 0;
  uint64_t line = 0;
  uint64_t uncovered = 0;
  std::vector<uint32_t> misses;
};

// The greedy choice. Gains only shrink, so the best pair is found by computing again the gain of the pair that was
// best.
class GreedyChoice {
 public:
  GreedyChoice(const PathReplay& replay, const SiteLimits& limits) : replay_(replay), limits_(limits) {}

  void AddMiss(uint32_t miss, const std::vector<BlockNumber>& sites) {
    std::vector<uint32_t>& pairs = pairs_of_miss_.emplace_back();
    const uint32_t row = static_cast<uint32_t>(pairs_of_miss_.size() - 1);
    const uint64_t line = replay_.misses()[miss].line;
    auto& pairs_of_line = pair_by_site_[line];
    for (const BlockNumber site : sites) {
      const auto [found, is_new] = pairs_of_line.try_emplace(site, static_cast<uint32_t>(pairs_.size()));
      if (is_new) pairs_.push_back({site, line, 0, {}});
      Pair& pair = pairs_[found->second];
      pair.misses.push_back(row);
      ++pair.uncovered;
      pairs.push_back(found->second);
    }
  }

  // Adds to the hints that the path was replayed with.
  std::vector<ChosenHint> Choose(std::vector<ChosenHint> hints) {
    const double instructions = static_cast<double>(replay_.instructions());
    const double execution_budget = limits_.most_executions * instructions;
    uint64_t executions_of_hints = 0;
    std::set<std::pair<BlockNumber, uint64_t>> chosen;
    for (const ChosenHint& hint : hints) {
      chosen.emplace(hint.site, hint.line);
      executions_of_hints += hint.executions;
    }
    std::priority_queue<std::pair<double, uint32_t>> queue;
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      const bool is_chosen = chosen.contains({pairs_[i].site, pairs_[i].line});
      if (!is_chosen && LeadsOftenEnough(pairs_[i])) queue.emplace(Score(pairs_[i], execution_budget), i);
    }
    std::vector<bool> is_covered(pairs_of_miss_.size());
    while (!queue.empty() && hints.size() < limits_.most_hints) {
      const auto [score, number] = queue.top();
      queue.pop();
      Pair& pair = pairs_[number];
      if (!LeadsOftenEnough(pair)) continue;
      const double current = Score(pair, execution_budget);
      if (!queue.empty() && current < queue.top().first) {
        queue.emplace(current, number);
        continue;
      }
      const uint64_t executions = replay_.executions()[pair.site];
      if (static_cast<double>(executions_of_hints + executions) > execution_budget) continue;
      const MissingLine& line = replay_.lines().at(pair.line);
      hints.push_back({pair.site, line.MostFrequentPc(), line.module, pair.line, executions, pair.uncovered});
      executions_of_hints += executions;
      for (const uint32_t row : pair.misses) {
        if (is_covered[row]) continue;
        is_covered[row] = true;
        for (const uint32_t other : pairs_of_miss_[row]) --pairs_[other].uncovered;
      }
    }
    return hints;
  }

 private:
  bool LeadsOftenEnough(const Pair& pair) const {
    return pair.uncovered > 0 && static_cast<double>(pair.uncovered) >=
                                     limits_.fan_out * static_cast<double>(replay_.executions()[pair.site]);
  }
  // Covered misses for each whole budget.
  double Score(const Pair& pair, double execution_budget) const {
    const double cost = static_cast<double>(replay_.executions()[pair.site]) / execution_budget +
                        1.0 / static_cast<double>(std::max<uint64_t>(limits_.most_hints, 1));
    return static_cast<double>(pair.uncovered) / cost;
  }

  const PathReplay& replay_;
  const SiteLimits& limits_;
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, std::unordered_map<BlockNumber, uint32_t>> pair_by_site_;  // by line
  std::vector<std::vector<uint32_t>> pairs_of_miss_;
};

std::vector<FanIn> FanInOfWorstLines(const PathReplay& replay) {
  std::vector<FanIn> rows;
  for (const auto& [number, line] : replay.lines()) {
    FanIn row{line.module, line.MostFrequentPc(), line.misses, {}};
    for (size_t i = 0; i < kFanInDistances.size(); ++i) row.blocks[i] = line.sources[i].size();
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [](const FanIn& a, const FanIn& b) {
    return a.misses != b.misses ? a.misses > b.misses : std::pair(a.module, a.target) < std::pair(b.module, b.target);
  });
  if (rows.size() > kFanInRows) rows.resize(kFanInRows);
  return rows;
}

// Gives the misses that a hint can cover to the choice, and returns how many they are.
uint64_t AddMisses(const PathReplay& replay, const std::function<bool(BlockNumber)>& may_hint,
                   const std::function<bool(uint32_t module, uint64_t address)>& may_be_target, GreedyChoice* choice) {
  uint64_t coverable = 0;
  std::unordered_map<uint64_t, bool> is_target;
  std::unordered_map<BlockNumber, bool> is_site;
  std::vector<BlockNumber> sites;
  for (uint32_t i = 0; i < replay.misses().size(); ++i) {
    const Miss& miss = replay.misses()[i];
    const auto [target, is_new] = is_target.try_emplace(miss.line, false);
    if (is_new) {
      const MissingLine& line = replay.lines().at(miss.line);
      target->second = may_be_target(line.module, line.MostFrequentPc());
    }
    if (!target->second) continue;
    sites.clear();
    for (uint32_t k = 0; k < miss.candidates; ++k) {
      const BlockNumber number = replay.candidates()[miss.first_candidate + k];
      const auto [site, is_new_site] = is_site.try_emplace(number, false);
      if (is_new_site) site->second = may_hint(number);
      if (site->second) sites.push_back(number);
    }
    if (sites.empty()) continue;
    ++coverable;
    choice->AddMiss(i, sites);
  }
  return coverable;
}

// Drops the worst hints, and all of whose executions less than the least share brings a line that is fetched.
void DropWorst(const SiteLimits& limits, std::vector<ChosenHint>* hints) {
  const auto share_of = [](const ChosenHint& hint) {
    // One that is not executed where the path is counted can have brought a line before.
    return hint.executions == 0 ? 0 : static_cast<double>(hint.covered) / static_cast<double>(hint.executions);
  };
  std::sort(hints->begin(), hints->end(), [&](const ChosenHint& a, const ChosenHint& b) {
    return share_of(a) != share_of(b) ? share_of(a) > share_of(b)
                                      : std::pair(a.site, a.target) < std::pair(b.site, b.target);
  });
  hints->resize(hints->size() - static_cast<size_t>(static_cast<double>(hints->size()) * limits.replaced));
  while (!hints->empty() && share_of(hints->back()) < limits.fan_out) hints->pop_back();
}

}  // namespace

SiteChoice ChooseSites(const TracePath& path, uint32_t passes, const CodeCacheShape& shape, const SiteLimits& limits,
                       std::vector<ChosenHint> given, const std::function<bool(BlockNumber)>& may_hint,
                       const std::function<bool(uint32_t module, uint64_t address)>& may_be_target) {
  const auto replay_with = [&](std::vector<ChosenHint> hints, uint64_t most_instructions) {
    auto replay = std::make_unique<PathReplay>(path, shape, limits, std::move(hints), most_instructions);
    path.Walk(passes, [&replay](BlockNumber block, bool is_cut) { replay->Step(block, is_cut); });
    return replay;
  };
  SiteChoice choice;
  auto replay = replay_with({}, ~uint64_t{0});
  choice.instructions = replay->instructions();
  choice.plain_misses = replay->plain_misses();
  choice.misses = replay->misses().size();
  choice.fan_in = FanInOfWorstLines(*replay);
  const auto covered_by = [&choice](const PathReplay& with_hints) {
    return choice.misses - std::min<uint64_t>(choice.misses, with_hints.misses().size());
  };
  if (!given.empty()) {
    for (ChosenHint& hint : given) hint.line = path.LineOf(hint.module, hint.target);
    replay = replay_with(std::move(given), choice.instructions);
    choice.given_covered = covered_by(*replay);
  }
  std::vector<ChosenHint> hints = replay->Hints();
  DropWorst(limits, &hints);
  GreedyChoice greedy(*replay, limits);
  choice.coverable = choice.given_covered + AddMisses(*replay, may_hint, may_be_target, &greedy);
  hints = greedy.Choose(std::move(hints));
  replay = replay_with(std::move(hints), choice.instructions);
  choice.covered = covered_by(*replay);
  choice.hints = replay->Hints();
  for (const ChosenHint& hint : choice.hints) choice.executions += hint.executions;
  return choice;
}

}  // namespace softlbr::toolchain
