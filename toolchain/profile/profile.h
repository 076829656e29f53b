// A profile in memory: filled by profile_reader, read by every converter and report.
//
// Addresses are link-time addresses of their module. Counts are sums that saturate at 2^64 - 1. Host code.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_H_

#include <cstdint>
#include <functional>
#include <map>
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

// Module index of code outside every module.
inline constexpr uint32_t kNoModule = 0xffffffffu;

struct Location {
  uint32_t module = kNoModule;  // index into Profile::modules, or kNoModule
  uint64_t address = 0;         // 0 if kNoModule
  auto operator<=>(const Location&) const = default;
};

struct BranchCount {
  Location from;
  Location to;
  uint64_t count = 0;
};

// A fall-through range executed `count` times, in one module. Both ends are instruction addresses and inclusive: `last`
// is the branch that ended it.
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

using Labels = std::map<std::string, std::string>;  // within the limits of runtime/format/labels.h

struct ProfileSession : SessionInfo {
  uint32_t process_id = 0;  // 0: not known
  std::string program;      // base name of the program's file; empty: not known
  Labels labels;            // as set at its end
  SessionCounters counters;
};

// The content that a frame and a whole profile share. In a Profile the count tables are sorted and free of duplicates.
struct ProfileContent {
  std::vector<ProfileModule> modules;
  std::vector<BranchCount> branches;  // by (from, to)
  std::vector<RangeCount> ranges;     // by (module, first, last)
  std::vector<SampleCount> samples;   // by pc
  std::vector<Trace> traces;          // in a Profile: empty if they stay in a file (Profile::traces_file)
};

struct Profile : ProfileContent {
  uint32_t format_version = 0;
  std::vector<ProfileSession> sessions;  // unique ids; more than one after a merge
  SessionCounters counters{};            // the sum over `sessions`
  uint64_t damaged_frames = 0;           // frames skipped for a wrong checksum or invalid content
  // frames written, according to the end frame, but not read; includes damaged ones
  uint64_t missing_frames = 0;
  // copies of frames that the file has more than once; each frame is counted once
  uint64_t repeated_frames = 0;
  uint64_t whole_traces = 0;  // the number of traces, here or in traces_file
  // the file to read the traces from, one by one (VisitTraces); empty: they are in `traces`
  std::string traces_file;
  bool is_truncated = false;  // the file ended inside a frame, or without an end frame
};

// Is given whole traces one after another. Their locations are of the profile's modules.
using TraceVisitor = std::function<void(const Trace&)>;

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_H_
