// Contract: path_points.h.
#include "tests/paths/path_points.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "platform/base/limits.h"
#include "tests/paths/mirrored_memory.h"
#include "tests/paths/state_check.h"

namespace softlbr::paths {
namespace {

constexpr uint64_t kMaxStepsOfASegment = 4 * kMaxTraceInstructions;  // each round of a rep form is one

enum class PointEnd : uint8_t { kComplete, kAborted, kAbandoned, kWrong, kProgramEnded };

std::string Hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%lx", value);
  return text;
}

class Points {
 public:
  Points(SteppedProgram* program, PathPredictor* predictor, const PointOptions& options, PointResults* results)
      : program_(*program), predictor_(*predictor), options_(options), results_(*results) {}

  PointEnd RunOne() {
    program_.ReadSpecialRanges(&special_);
    predictor_.ForgetCode();
    uint32_t done = 0;
    uint32_t hits = 0;
    for (;;) {
      ForgetMirror();
      MachineContext truth;
      if (!program_.LoadContext(&truth)) return PointEnd::kProgramEnded;
      if (options_.planted_slot != 0) truth.regs[options_.planted_slot] ^= 64;
      start_ = truth.pc;
      const uint64_t collisions = MirrorCollisions();
      predictor_.Adopt(truth, &special_);
      const Segment segment = predictor_.Follow(options_.branches - done);
      if (segment.stop != StopKind::kFull) NoteCause(truth, segment);
      if (MirrorCollisions() != collisions) return PointEnd::kAbandoned;
      results_.instructions += segment.instructions;
      if (options_.timed_rounds != 0) TimeSegment(truth, segment);
      const PointEnd end = StepAlong(segment);
      if (end != PointEnd::kComplete) return end;
      done += static_cast<uint32_t>(segment.branches.size());
      results_.branches += segment.branches.size();
      if (segment.stop == StopKind::kAborted) return PointEnd::kAborted;
      // NoteCause changes the predicted state: make it again from the same mirror.
      if (segment.stop != StopKind::kFull) {
        predictor_.Adopt(truth, &special_);
        (void)predictor_.Follow(options_.branches - done + static_cast<uint32_t>(segment.branches.size()));
      }
      if (!IsStateTrue(segment)) return PointEnd::kWrong;
      if (segment.stop == StopKind::kFull) {
        if (hits == 0) ++results_.zero_hit;
        return PointEnd::kComplete;
      }
      ++hits;
      ++results_.hits;
      if (hits >= kMaxTraceHits) return PointEnd::kAborted;
    }
  }

 private:
  PointEnd Wrong(const std::string& what) {
    if (results_.first_wrong.empty())
      results_.first_wrong = "from " + program_.Describe(start_) + " (" + Hex(start_) + "): " + what;
    return PointEnd::kWrong;
  }

  // Runs the same blocks again from the same state, and leaves the evaluator as it was.
  void TimeSegment(const MachineContext& truth, const Segment& segment) {
    std::vector<BlockView> views;
    for (const RunStep& step : segment.steps) {
      views.push_back(ViewOf(*step.block));
      for (uint32_t i = 0; i < step.block->uop_count; ++i) ++results_.ops[step.block->uops[i].op];
    }
    double least = 0;
    for (uint32_t round = 0; round < options_.timed_rounds; ++round) {
      predictor_.Adopt(truth, &special_);
      const auto begin = std::chrono::steady_clock::now();
      for (size_t i = 0; i < views.size(); ++i)
        (void)RunBlock(&predictor_.evaluator(), views[i], segment.steps[i].first);
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
      if (round == 0 || took.count() < least) least = took.count();
    }
    results_.timed_ns += least;
    results_.timed_instructions += static_cast<double>(segment.instructions);
  }

  // Steps the program along the predicted branches and to the stop. kComplete: it reached the stop.
  PointEnd StepAlong(const Segment& segment) {
    size_t taken = 0;
    for (uint64_t steps = 0; steps < kMaxStepsOfASegment; ++steps) {
      if (taken == segment.branches.size()) {
        if (segment.stop == StopKind::kFull || segment.stop == StopKind::kAborted) return PointEnd::kComplete;
        if (program_.pc() == segment.stop_pc && (steps != 0 || segment.stop_pc != start_)) return PointEnd::kComplete;
      }
      Branch branch;
      switch (program_.Step(&branch)) {
        case StepOutcome::kStepped: break;
        case StepOutcome::kBranchTaken: {
          if (taken == segment.branches.size()) {
            return Wrong("it should have come to " + Hex(segment.stop_pc) + " but left by " + Hex(branch.from) +
                         " to " + Hex(branch.to));
          }
          const Branch& predicted = segment.branches[taken];
          if (!(branch == predicted)) {
            return Wrong("branch " + std::to_string(taken) + " predicted " + Hex(predicted.from) + " -> " +
                         Hex(predicted.to) + ", true " + Hex(branch.from) + " -> " + Hex(branch.to));
          }
          ++taken;
          break;
        }
        case StepOutcome::kMoved:
        case StepOutcome::kBlocked: return PointEnd::kAbandoned;
        case StepOutcome::kEnded: return PointEnd::kProgramEnded;
      }
    }
    return PointEnd::kAbandoned;
  }

  bool IsStateTrue(const Segment& segment) {
    MachineContext truth;
    if (!program_.LoadContext(&truth)) return true;
    const softlbr_block& last = *segment.steps.back().block;
    const softlbr_uop* changed = nullptr;
    uint32_t changed_count = 0;
    if (segment.stop == StopKind::kUnresolved) {
      changed_count = last.uops_of[last.instruction_count - 1];
      changed = last.uops + last.uop_count - changed_count;
    }
    const StateCheck check = CheckState(&predictor_.evaluator(), truth, program_, changed, changed_count);
    results_.bytes_compared += check.bytes_known;
    results_.bytes_unknown += check.bytes_unknown;
    if (check.difference.empty()) return true;
    (void)Wrong("after " + std::to_string(segment.branches.size()) + " branches, at " +
                program_.Describe(segment.stop_pc) + ": " + check.difference);
    return false;
  }

  void NoteCause(const MachineContext& truth, const Segment& segment) {
    Origin origin;
    uint64_t pc = segment.stop_pc;
    if (segment.stop == StopKind::kUnresolved) {
      predictor_.Adopt(truth, &special_);
      origin = OriginFinder(&predictor_).Find(segment);
      if (origin.pc != 0) pc = origin.pc;
    } else if (segment.stop == StopKind::kSystemCall) {
      origin.kind = OriginKind::kSystemCall;
    }
    Cause cause{segment.stop, origin.kind, segment.reason, origin.through_poison, program_.Describe(pc), {}, origin.op};
    size_t bytes = 15;
    while (bytes > 0 && !program_.ReadMemory(pc, cause.code, bytes)) --bytes;
    ++results_.causes[cause];
  }

  SteppedProgram& program_;
  PathPredictor& predictor_;
  const PointOptions& options_;
  PointResults& results_;
  SpecialRanges special_ = {};
  uint64_t start_ = 0;
};

}  // namespace

std::string RunPoints(const StartProgram& start_program, const PointOptions& options, PathPredictor* predictor,
                      PointResults* results) {
  std::mt19937_64 random(options.seed);
  std::exponential_distribution<double> run_time(1.0 / static_cast<double>(options.mean_run_microseconds));
  for (uint32_t start = 0; start < options.max_starts && results->points < options.points; ++start) {
    std::string error;
    const std::unique_ptr<SteppedProgram> program = start_program(&error);
    if (program == nullptr) return error;
    MirrorMemoryOf(program.get());
    while (results->points < options.points && program->RunFor(static_cast<uint64_t>(run_time(random)))) {
      // At least one step: it restarts an interrupted system call.
      StepOutcome outcome = StepOutcome::kStepped;
      for (uint64_t steps = 1 + random() % options.max_first_steps; steps > 0; --steps) {
        Branch ignored;
        outcome = program->Step(&ignored);
        if (outcome != StepOutcome::kStepped && outcome != StepOutcome::kBranchTaken) break;
      }
      if (outcome == StepOutcome::kEnded) break;
      if (outcome == StepOutcome::kBlocked || outcome == StepOutcome::kMoved) continue;
      ++results->points;
      const PointEnd end = Points(program.get(), predictor, options, results).RunOne();
      if (end == PointEnd::kComplete) ++results->complete;
      if (end == PointEnd::kAborted) ++results->aborted;
      if (end == PointEnd::kWrong) ++results->wrong;
      if (end == PointEnd::kAbandoned || end == PointEnd::kProgramEnded) ++results->abandoned;
      if (end == PointEnd::kProgramEnded) break;
    }
    MirrorMemoryOf(nullptr);
  }
  return "";
}

}  // namespace softlbr::paths
