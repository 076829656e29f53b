#include "tests/guest/path_log.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <unordered_map>

namespace softlbr::guest {
namespace {

using truth::BranchNumber;
using truth::CodeAddress;
using truth::TakenBranch;
using truth::TruePath;

constexpr uint64_t kValueMask = (uint64_t{1} << kPathWordShift) - 1;
constexpr uint64_t kTargetMask = (uint64_t{1} << kPathStepsShift) - 1;

PathWord KindOf(uint64_t word) { return static_cast<PathWord>(word >> kPathWordShift); }

struct AddressPairHash {
  size_t operator()(const std::pair<uint64_t, uint64_t>& pair) const {
    return pair.first * 0x9e3779b97f4a7c15ull ^ pair.second;
  }
};

// Puts branches into chunks: a handler's branches into a chunk of their own, those after it into the interrupted chunk.
class PathBuilder {
 public:
  explicit PathBuilder(TruePath* path) : path_(*path) {}

  void BeginPiece(uint64_t address) {
    path_.chunks.emplace_back();
    path_.run_steps.emplace_back();
    path_.piece_starts.push_back(path_.modules.Translate(address));
    flows_.push_back(path_.chunks.size() - 1);
  }
  void EndPiece() { flows_.pop_back(); }
  size_t depth() const { return flows_.size(); }
  void Take(uint64_t from, uint64_t to, uint64_t steps) {
    path_.chunks[flows_.back()].push_back(NumberOf(from, to));
    path_.run_steps[flows_.back()].push_back(static_cast<uint32_t>(steps));
    path_.steps += steps;
  }

 private:
  BranchNumber NumberOf(uint64_t from, uint64_t to) {
    const auto here = numbers_here_.find({from, to});
    if (here != numbers_here_.end()) return here->second;
    const TakenBranch branch{path_.modules.Translate(from), path_.modules.Translate(to)};
    const auto [entry, is_new] = numbers_.emplace(branch, static_cast<BranchNumber>(path_.branches.size()));
    if (is_new) path_.branches.push_back(branch);
    numbers_here_.emplace(std::make_pair(from, to), entry->second);
    return entry->second;
  }

  TruePath& path_;
  std::vector<size_t> flows_;  // chunks
  std::map<TakenBranch, BranchNumber> numbers_;
  std::unordered_map<std::pair<uint64_t, uint64_t>, BranchNumber, AddressPairHash> numbers_here_;
};

}  // namespace

PathLog::PathLog(const std::string& file_name) {
  std::ifstream file(file_name, std::ios::binary | std::ios::ate);
  if (!file) return;
  words_.resize(static_cast<size_t>(file.tellg()) / sizeof(uint64_t));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(words_.data()), static_cast<std::streamsize>(words_.size() * sizeof(uint64_t)));
}

size_t PathLog::PathCount() const {
  size_t count = 0;
  for (size_t at = 0; at < words_.size(); ++at) {
    if (KindOf(words_[at]) == PathWord::kBegin) ++count;
    if (KindOf(words_[at]) == PathWord::kBranch) ++at;
  }
  return count;
}

std::string PathLog::Next(TruePath* path) {
  if (at_ >= words_.size()) return "there is no path left in the log";
  if (KindOf(words_[at_]) != PathWord::kBegin) return "the log is damaged";
  PathBuilder builder(path);
  builder.BeginPiece(words_[at_++] & kValueMask);
  for (; at_ < words_.size(); ++at_) {
    const uint64_t value = words_[at_] & kValueMask;
    switch (KindOf(words_[at_])) {
      case PathWord::kBranch:
        if (++at_ == words_.size()) return "the log ends within a branch";
        builder.Take(value, words_[at_] & kTargetMask, words_[at_] >> kPathStepsShift);
        break;
      case PathWord::kEnterHandler:
        ++path->signals;
        builder.BeginPiece(value);
        break;
      case PathWord::kLeaveHandler:
        if (value >= builder.depth()) return "more handlers were left than entered";
        for (uint64_t i = 0; i < value; ++i) builder.EndPiece();
        break;
      case PathWord::kMove:
        ++path->kernel_moves;
        builder.EndPiece();
        builder.BeginPiece(value);
        break;
      case PathWord::kLost: return "the plugin lost track of the program";
      case PathWord::kEnd: ++at_; return "";
      default: return "the log is damaged";
    }
  }
  return "the program did not come to its end mark";
}

}  // namespace softlbr::guest
