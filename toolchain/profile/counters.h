// Visits and combines the session counters. Generated from counters.def, so that no command can omit a counter.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_COUNTERS_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_COUNTERS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Calls visit(name, value) for every counter: "duration_ns", "traces_aborted.undecodable", "lost.no_free_buffer", ...
void ForEachCounter(const SessionCounters& counters, const std::function<void(const std::string&, uint64_t)>& visit);

// Per counter: the saturating sum, and the larger value.
SessionCounters AddCounters(const SessionCounters& a, const SessionCounters& b);
SessionCounters MaxCounters(const SessionCounters& a, const SessionCounters& b);

uint64_t AbortedTraces(const SessionCounters& counters);

// Taken branches by source module. One entry per module, and a last one for kNoModule.
std::vector<uint64_t> BranchesByModule(const Profile& profile);
uint64_t TotalBranches(const Profile& profile);

// Whether the overhead can be told as a share of the CPU time. Not of a program that ends before there is a sample or
// within 50 ms: what a session takes at its start would be many times the program's own time.
bool HasOverheadShare(const SessionCounters& counters);

// "62.0% of its CPU time was in the kernel, where nothing is recorded". Empty below a tenth, and of CPU time of less
// than 50 ms, of which the kernel's ticks tell too little.
std::string DescribeKernelTime(uint64_t kernel_ns, uint64_t cpu_ns);

// "task-clock every 1.0 ms", "instructions every 10,007", "cycles at 999 Hz".
std::string DescribeSampling(const SessionInfo& session);
// ", on average every 120.3 ms of CPU time" where samples came at another rate than that, by more than a quarter:
// --max-overhead lengthens the period, and CPU time in the kernel has no samples. Empty if not so, for events that are
// no clock, and of less than 20 samples.
std::string DescribeMeanPeriod(const SessionInfo& session, const SessionCounters& counters);
// "make[1234]", or nothing if the profile does not name the process.
std::string ProcessName(const ProfileSession& session);
// The same with ", " behind it.
std::string DescribeProcess(const ProfileSession& session);
// "app_version=1.2, arm=B".
std::string DescribeLabels(const Labels& labels);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_COUNTERS_H_
