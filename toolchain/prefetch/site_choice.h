// Chooses where a program should prefetch which code.
//
// The path of the program's traces goes through the cache model, which finds the fetches that miss. For each miss, the
// blocks that began between `distance` and `distance + window` instructions before it are candidates. A pair of
// candidate and line is better if it precedes more misses that no pair covers yet, if its block is executed less often,
// and if there are fewer hints: each hint costs a part of a budget. The best pairs are taken until a budget is used up
// or no pair leads to its miss often enough.
// Then the path goes through the model again, now with the hints: they evict lines, find lines that are there, and
// cover each other's misses. Only this shows their real effect, which SiteChoice reports.
// A choice can begin with given hints: those in the program that the path's layout describes. Hints that bring a line
// too seldom are then dropped, with the worst of the others, and the misses that remain decide which hints replace
// them. As most hints stay where they are, little code moves when the program is rebuilt.
// Host code. Memory: 4 bytes for each miss and candidate, kMaxMisses misses at most.
#ifndef SOFTLBR_TOOLCHAIN_PREFETCH_SITE_CHOICE_H_
#define SOFTLBR_TOOLCHAIN_PREFETCH_SITE_CHOICE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "toolchain/prefetch/code_cache.h"
#include "toolchain/prefetch/trace_path.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kMaxMisses = 1u << 20;

struct SiteLimits {
  uint32_t distance = 51;  // instructions; the L3's cycles times the instructions per cycle
  uint32_t window = 200;   // more of them
  // at least so many of a hint's executions lead to a miss of its line within the window
  double fan_out = 0.2;
  double most_executions = 0.024;  // of hints, for each instruction of the path
  uint64_t most_hints = 1000;
  double replaced = 0.15;  // of given hints: share of the worst that make room for others
};

struct ChosenHint {
  BlockNumber site = 0;         // at whose start it is
  uint64_t target = 0;          // the instruction that misses most often in the line
  uint32_t module = kNoModule;  // of the target
  uint64_t line = 0;            // of the target, as the path has it
  uint64_t executions = 0;
  uint64_t covered = 0;  // fetches of lines that it brought
};

inline constexpr std::array<uint32_t, 6> kFanInDistances = {10, 25, 50, 100, 150, 200};

// How many blocks a line's misses come from, at some distances (instructions) before them.
struct FanIn {
  uint32_t module = kNoModule;
  uint64_t target = 0;
  uint64_t misses = 0;
  std::array<uint64_t, kFanInDistances.size()> blocks{};
};

struct SiteChoice {
  uint64_t instructions = 0;      // of the path, without those before the caches were warm
  uint64_t plain_misses = 0;      // without the next-line prefetcher
  uint64_t misses = 0;            // with it
  uint64_t coverable = 0;         // of them: with a candidate
  uint64_t given_covered = 0;     // of the misses: no longer there with the given hints
  uint64_t covered = 0;           // the same with the hints
  uint64_t executions = 0;        // of the hints
  std::vector<ChosenHint> hints;  // best first
  std::vector<FanIn> fan_in;      // of the lines that miss most, most first; 20 at most
};

// given: hints to begin with; only their site, target and module are used. may_hint: whether code can be put at the
// start of a block. may_be_target: whether a hint can name an instruction.
SiteChoice ChooseSites(const TracePath& path, uint32_t passes, const CodeCacheShape& shape, const SiteLimits& limits,
                       std::vector<ChosenHint> given, const std::function<bool(BlockNumber)>& may_hint,
                       const std::function<bool(uint32_t module, uint64_t address)>& may_be_target);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PREFETCH_SITE_CHOICE_H_
