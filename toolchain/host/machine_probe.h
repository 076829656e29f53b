// Facts of this machine that decide how well it can be recorded on, each measured by trying.
//
// Opens perf events and breakpoints on the calling thread, as the runtime will, and closes them again. The self-test
// arms one breakpoint on a function of this command and counts its traps; SIGTRAP is put back as it was.
#ifndef SOFTLBR_TOOLCHAIN_HOST_MACHINE_PROBE_H_
#define SOFTLBR_TOOLCHAIN_HOST_MACHINE_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/sample_event.h"

namespace softlbr::toolchain {

// True of PMU events where the CPUs differ (big and little cores): the kernel counts such an event on one kind of them.
bool CountsOnSomeCpusOnly(platform::SampleEvent event);

// 0 if a sampler by `event` opens, else errno. ENOENT: this CPU has no such event.
int ProbeSampleEvent(platform::SampleEvent event);
// The same without the synchronous trap (sigtrap), to tell an old kernel from a missing event.
int ProbeTaskClockWithoutTrap();

// True if a seccomp filter kills the process that opens or uses a perf event; tried in a child, once. The other probes then
// answer EPERM without a try.
bool DoPerfEventsKill();

struct BreakpointProbe {
  uint32_t free_slots = 0;
  int error = 0;  // errno of the first refusal; ENOSPC after at least one slot is the normal end
};
BreakpointProbe ProbeBreakpoints();

struct TrapProbe {
  uint32_t calls = 0;
  uint32_t traps = 0;  // equal to calls on a machine that works
  int error = 0;       // errno if the breakpoint could not be armed
};
TrapProbe ProbeTraps();

// A number from a file under /proc, or nothing.
std::optional<int64_t> ReadNumber(const std::string& path);
// A field of /proc/self/status, or nothing.
std::optional<int64_t> ReadStatusField(const std::string& field);
// True if this process holds CAP_PERFMON or CAP_SYS_ADMIN.
bool MayUsePerfEvents();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_HOST_MACHINE_PROBE_H_
