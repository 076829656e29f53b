#include "toolchain/record/record_causes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/base/reasons.h"
#include "platform/base/status.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kWorthwhileNs = 20000000;  // of CPU time; the default period gives about four samples in it

uint32_t Largest(const uint64_t* counts, uint32_t first, uint32_t end) {
  uint32_t largest = first;
  for (uint32_t i = first; i < end; ++i) {
    if (counts[i] > counts[largest]) largest = i;
  }
  return largest;
}

// Losses that end sampling in a whole thread, which may have been the only one: cause and remedy.
std::string SilencedThread(const SessionCounters& counters) {
  const auto has = [&](LossReason reason) { return counters.lost[static_cast<uint32_t>(reason)] != 0; };
  if (has(LossReason::kHandlerReplaced)) {
    return "the program replaced the sampler's SIGTRAP handler, and sampling ended there; record without that handler";
  }
  if (has(LossReason::kSignalBlocked)) {
    return "the program ran with SIGTRAP blocked, which holds samples back; record without blocking that signal";
  }
  if (has(LossReason::kDebuggerAttached)) return DescribeTracer(counters);
  return "";
}

}  // namespace

std::string EventErrorText(int error) {
  switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV: return "this CPU (or virtual machine) has no such counter";
    case EACCES:
    case EPERM: return "the kernel refuses it";
    case ENOSYS: return "perf_event_open is blocked or not built in";
    case E2BIG:
    case EINVAL: return "this kernel does not know it";
    default: return std::strerror(error);
  }
}

std::string StartFailureText(uint32_t status, uint32_t system_error) {
  const auto error = static_cast<int>(system_error);
  if (status == static_cast<uint32_t>(Status::kSystemError) && error == EAGAIN) {
    return "our process or thread could not be started: the limit of processes is reached (ulimit -u, or pids.max of a "
           "control "
           "group), "
           "or the program has the scheduling policy SCHED_DEADLINE, under which none may be started unless it is "
           "reset on fork "
           "(chrt -R)";
  }
  return StatusText(status) + (error != 0 ? std::string(" (") + std::strerror(error) + ")" : "");
}

std::string DescribeTracer(const SessionCounters& counters) {
  const uint64_t threads = counters.lost[static_cast<uint32_t>(LossReason::kDebuggerAttached)];
  if (threads == 0) return "";
  return Counted(threads, "thread") +
         " ran below a tracer (a debugger, strace or a ptrace sandbox), which would stop at each sample, and got none "
         "meanwhile; "
         "record "
         "without the tracer";
}

std::string DescribeChildren(uint64_t app_cpu_ns, uint64_t family_cpu_ns, bool is_tree_recorded) {
  const uint64_t children_ns = family_cpu_ns - std::min(app_cpu_ns, family_cpu_ns);
  if (children_ns < kWorthwhileNs || children_ns < family_cpu_ns / 2) return "";
  const std::string share = Duration(children_ns) + " of " + Duration(family_cpu_ns);
  if (is_tree_recorded) {
    return share +
           " CPU time passed before processes were recorded, or in processes that cannot be, also where a program "
           "looks up in the "
           "libc "
           "how to start them, as Bear does; programs that run longer are recorded better";
  }
  return "children of the program used " + share +
         " CPU time and are not recorded; leave out --no-children to record them";
}

std::string WhyFewSamples(const SessionCounters& counters) {
  constexpr uint64_t kFewSamples = 30;
  return counters.samples < kFewSamples ? SilencedThread(counters) : "";
}

std::string WhyNoBranch(const Profile& profile, uint64_t family_cpu_ns, bool is_tree_recorded) {
  const SessionCounters& c = profile.counters;
  const std::string prefix = "no branch was recorded: ";
  const uint32_t loss = Largest(c.lost, 0, kLossReasonCount);
  const std::string silenced = SilencedThread(c);
  if (!silenced.empty()) return prefix + silenced;
  const std::string children = DescribeChildren(c.app_cpu_ns, family_cpu_ns, is_tree_recorded);
  if (!children.empty()) return prefix + children;
  if (c.threads_traced == 0 && c.threads_untraced != 0) {
    return prefix + "none of " + Counted(c.threads_untraced, "thread") +
           " got a sampler; `softlbr doctor` shows what this machine permits";
  }
  if (c.samples == 0 && c.app_cpu_ns != 0 && c.paused_cpu_ns >= c.app_cpu_ns / 2) {
    return prefix + "sampling was paused for " + Duration(c.paused_cpu_ns) + " of " + Duration(c.app_cpu_ns) +
           " CPU time, as our events would have taken more than the overhead limit at the program's context switches; "
           "a larger "
           "--max-overhead, or a longer run, gives samples";
  }
  const uint32_t aborted = Largest(c.traces_aborted, 1, kAbortReasonCount);
  if (c.samples != 0 && c.traces_aborted[aborted] != 0) {
    return prefix + "of " + Counted(c.samples, "sample") + ", " + GroupedCount(c.traces_aborted[aborted]) +
           " ended before the first taken branch (" + AbortKey(aborted) + ": " + AbortMeaning(aborted) +
           "); `softlbr stats` shows all reasons";
  }
  if (c.lost[loss] != 0) {
    return prefix + LossMeaning(loss) + " (" + GroupedCount(c.lost[loss]) + "); `softlbr stats` shows all losses";
  }
  const SessionInfo* session = profile.sessions.empty() ? nullptr : &profile.sessions.front();
  const std::string sampling = session != nullptr ? ", and samples are taken by " + DescribeSampling(*session) : "";
  if (c.app_cpu_ns != 0 && c.app_cpu_ns >= kWorthwhileNs) {
    return prefix + "the program used " + Duration(c.app_cpu_ns) + " of CPU time" + sampling +
           ", but no sample came; a smaller -c PERIOD or -e thread-timer may help, and `softlbr doctor` tests the "
           "sampler";
  }
  return prefix + "the program was too short for a sample" +
         (c.app_cpu_ns != 0 ? ": it used " + Duration(c.app_cpu_ns) + " of CPU time" + sampling : "") +
         "; try a longer run or a smaller -c PERIOD";
}

}  // namespace softlbr::toolchain
