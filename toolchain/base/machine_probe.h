// Probes what this machine offers for recording. Every answer comes from trying, not from version numbers.
//
// Opens perf events and breakpoints on the calling thread, as the runtime does, and closes them again. The self-test
// arms one breakpoint on a function of this command and counts its traps; the SIGTRAP action is restored afterwards.
#ifndef SOFTLBR_TOOLCHAIN_BASE_MACHINE_PROBE_H_
#define SOFTLBR_TOOLCHAIN_BASE_MACHINE_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/sample_event.h"

namespace softlbr::toolchain {

// True for PMU events on a machine with different cores (big and little): the kernel counts such an event on one kind
// only.
bool CountsOnSomeCpusOnly(platform::SampleEvent event);

// 0 if a sampler for `event` can be opened, else errno. ENOENT: this CPU has no such event.
int ProbeSampleEvent(platform::SampleEvent event);
// The same for the task clock without the synchronous trap (sigtrap), to tell an old kernel from a missing event.
int ProbeTaskClockWithoutTrap();

// True if a seccomp filter kills a process that opens or uses a perf event. Tried once, in a child process. If true,
// the other probes return EPERM without trying.
bool DoPerfEventsKill();
// The same for prctl, which handlers call; nothing can be recorded then.
bool DoesPrctlKill();
// The same for the calls by which a process fetches another one's descriptor.
bool DoesFetchingKill();

struct BreakpointProbe {
  uint32_t free_slots = 0;
  int error = 0;  // errno of the first failure; ENOSPC after at least one slot is normal
};
BreakpointProbe ProbeBreakpoints();

struct TrapProbe {
  uint32_t calls = 0;
  uint32_t traps = 0;     // equal to `calls` if breakpoints work
  uint32_t unmarked = 0;  // hits that did not name their event, beside `traps` (docs/kernel_limits.md)
  int error = 0;          // errno if the breakpoint could not be armed
};
// Takes at most half a second.
TrapProbe ProbeTraps();

// The number in a file under /proc, or nothing.
std::optional<int64_t> ReadNumber(const std::string& path);
// A field of /proc/self/status, or nothing.
std::optional<int64_t> ReadStatusField(const std::string& field);
// True if this process holds CAP_PERFMON or CAP_SYS_ADMIN.
bool MayUsePerfEvents();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_MACHINE_PROBE_H_
