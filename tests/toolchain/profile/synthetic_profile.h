// A small synthetic profile of a program "prog" and a library "libx.so", with every kind of record.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_PROFILE_SYNTHETIC_PROFILE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_PROFILE_SYNTHETIC_PROFILE_H_

#include <cstdint>

#include "platform/base/elf_machine.h"
#include "platform/base/sample_event.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/profile/profile.h"

namespace softlbr::testing {

inline constexpr uint32_t kProg = 0;
inline constexpr uint32_t kLibrary = 1;

// Segments as in lld's layout: the text segment's file offset (0x790) differs from its address (0x1790), and it is not
// the first segment. All rows are valid.
inline toolchain::Profile SyntheticProfile() {
  using toolchain::Location;
  toolchain::Profile profile;
  profile.format_version = kFormatVersion;
  toolchain::ProfileSession session{};
  session.arch = kMachineX86_64;
  session.event = static_cast<uint8_t>(platform::SampleEvent::kTaskClock);
  session.resolve = ResolvePolicy::kLookahead;
  session.period = 1000000;
  session.branches_per_trace = 16;
  session.has_breakpoints = 1;
  session.start_time_unix_s = 1700000000;
  session.session_id = 0x1122334455667788;
  session.counters.duration_ns = 2000000000;
  session.counters.threads_traced = 2;
  session.counters.samples = 12;
  session.counters.traces_complete = 9;
  session.counters.traces_aborted[static_cast<int>(AbortReason::kNoBreakpoint)] = 3;
  session.counters.taken_branches = 160;
  session.counters.app_cpu_ns = 1000000000;
  session.counters.overhead_total_ns = 10000000;
  session.counters.lost[static_cast<int>(LossReason::kUnmapped)] = 4;
  profile.sessions.push_back(session);
  profile.counters = session.counters;

  toolchain::ProfileModule prog;
  prog.name = "prog";
  prog.build_id = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  prog.machine = kMachineX86_64;
  prog.elf_type = 3;
  prog.is_main = true;
  prog.segments = {{0, 0, 0x790, 0x790, 4}, {0x1790, 0x790, 0x2000, 0x2000, 5}, {0x4790, 0x2790, 0x100, 0x200, 6}};
  profile.modules.push_back(prog);
  toolchain::ProfileModule library;
  library.name = "libx.so";
  library.build_id = {0xca, 0xfe, 0xba, 0xbe};
  library.machine = kMachineX86_64;
  library.elf_type = 3;
  library.segments = {{0, 0, 0x1000, 0x1000, 4}, {0x1000, 0x1000, 0x500, 0x500, 5}};
  profile.modules.push_back(library);

  const auto prog_at = [](uint64_t address) { return Location{kProg, address}; };
  const auto library_at = [](uint64_t address) { return Location{kLibrary, address}; };
  profile.branches = {
      {prog_at(0x17a4), prog_at(0x1800), 100},   // a call inside the program
      {prog_at(0x17b0), prog_at(0x17a0), 99},    // a loop
      {prog_at(0x17c0), library_at(0x1100), 7},  // a call of the library
      {prog_at(0x1810), prog_at(0x17a9), 100},   // the call's return
      {library_at(0x1100), library_at(0x1120), 7},
      {library_at(0x1130), prog_at(0x17c5), 7},  // its return
      {Location{}, prog_at(0x1790), 1},          // from outside every module
  };
  profile.ranges = {
      {kProg, 0x1790, 0x17a4, 1},   {kProg, 0x17a0, 0x17a4, 99},   {kProg, 0x17a9, 0x17b0, 99},
      {kProg, 0x1800, 0x1810, 100}, {kLibrary, 0x1120, 0x1130, 7},
  };
  profile.samples = {{prog_at(0x17a0), 11}, {library_at(0x1104), 1}};
  return profile;
}

// The same, with two whole traces.
inline toolchain::Profile SyntheticProfileWithTraces() {
  using toolchain::Location;
  toolchain::Profile profile = SyntheticProfile();
  toolchain::Trace trace;
  trace.thread = 42;
  trace.sampled_pc = {kProg, 0x17a0};
  trace.branches = {{{kProg, 0x17a4}, {kProg, 0x1800}}, {{kProg, 0x1810}, {kProg, 0x17a9}}};
  profile.traces.push_back(trace);
  trace.reason = AbortReason::kNoBreakpoint;
  trace.branches = {{{kProg, 0x17c0}, {kLibrary, 0x1100}}, {{kLibrary, 0x1130}, Location{}}};
  profile.traces.push_back(trace);
  return profile;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_PROFILE_SYNTHETIC_PROFILE_H_
