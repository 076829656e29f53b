// Why a recording holds no branch or fewer than expected, from the session's counters and what the operating system
// reports.
#ifndef SOFTLBR_TOOLCHAIN_RECORD_RECORD_CAUSES_H_
#define SOFTLBR_TOOLCHAIN_RECORD_RECORD_CAUSES_H_

#include <cstdint>
#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Why an event cannot be opened, from the errno of perf_event_open.
std::string EventErrorText(int error);

// Why a session could not be started: softlbr::Status, and errno or 0.
std::string StartFailureText(uint32_t status, uint32_t system_error);

// A sentence with a remedy on threads that a tracer kept from being sampled. Empty if there was none.
std::string DescribeTracer(const SessionCounters& counters);

// A sentence with a remedy on the CPU time of the program and its children that unrecorded processes used. Empty unless
// that is most of the CPU time, and enough for a sample.
std::string DescribeChildren(uint64_t app_cpu_ns, uint64_t family_cpu_ns, bool is_tree_recorded);

// Why a recording has few samples: empty if it has many, and unless a loss ended sampling in a thread, which may have
// been the only one.
std::string WhyFewSamples(const SessionCounters& counters);

// Why no taken branch was recorded, with a remedy. family_cpu_ns: CPU time of the program and of its children.
std::string WhyNoBranch(const Profile& profile, uint64_t family_cpu_ns, bool is_tree_recorded = false);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_RECORD_CAUSES_H_
