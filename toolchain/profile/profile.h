// A profile in memory, as the host tools see it: what profile_reader fills and every converter and report reads.
//
// Addresses are link-time virtual addresses of their module. Counts are exact sums. Host code.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/counters/session_counters.h"

namespace softlbr::toolchain {

struct Segment {
  uint64_t vaddr = 0;
  uint64_t file_offset = 0;
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;
  uint32_t flags = 0;
};

struct ProfileModule {
  std::string name;
  std::vector<uint8_t> build_id;
  uint16_t machine = 0;
  uint16_t elf_type = 0;
  bool is_main = false;
  std::vector<Segment> segments;
};

// module is an index into Profile::modules, or kNoModule for code outside every module (address then 0).
inline constexpr uint32_t kNoModule = 0xffffffffu;

struct Location {
  uint32_t module = kNoModule;
  uint64_t address = 0;
  auto operator<=>(const Location&) const = default;
};

struct BranchCount {
  Location from;
  Location to;
  uint64_t count = 0;
};

// Straight run executed `count` times: first instruction .. the branch instruction that ended it (inclusive), one
// module.
struct RangeCount {
  uint32_t module = kNoModule;
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t count = 0;
};

struct SampleCount {
  Location pc;
  uint64_t count = 0;
};

// One whole trace, kept with record --traces.
struct Trace {
  uint32_t thread = 0;
  Location sampled_pc;
  AbortReason reason = AbortReason::kNone;
  std::vector<std::pair<Location, Location>> branches;
};

struct ProfileSession : SessionInfo {
  SessionCounters counters;
};

// What a frame and a whole profile have alike. Locations and ranges name their module by its index in `modules`.
struct ProfileContent {
  std::vector<ProfileModule> modules;
  std::vector<BranchCount> branches;  // in a profile sorted by (from, to), unique
  std::vector<RangeCount> ranges;     // in a profile sorted by (module, first, last), unique
  std::vector<SampleCount> samples;   // in a profile sorted by pc, unique
  std::vector<Trace> traces;
};

struct Profile : ProfileContent {
  uint32_t format_version = 0;
  std::vector<ProfileSession> sessions;  // each id once; more than one after a merge
  SessionCounters counters{};            // the sum over `sessions`
  uint64_t damaged_frames = 0;           // frames skipped because their checksum or content was bad
  uint64_t missing_frames = 0;           // frames that an end frame counts and that were not read, damaged ones included
  bool is_truncated = false;             // the file ended inside a frame, or without an end frame
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_H_
