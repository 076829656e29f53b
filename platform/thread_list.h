// The threads of the host (helper.h), listed without heap or libc.
//
// Context: control. Cost: one directory read (about 1 us per thread).
#ifndef SOFTLBR_PLATFORM_THREAD_LIST_H_
#define SOFTLBR_PLATFORM_THREAD_LIST_H_

#include <cstdint>

#include "platform/base/status.h"

namespace softlbr::platform {

using ThreadVisitor = void (*)(void* cookie, int32_t tid);

// Calls visit once per live thread, in the kernel's order. A thread that starts or ends during the call may or may not
// be visited.
Status ForEachThread(ThreadVisitor visit, void* cookie);
// The number of threads; the same number does not mean the same threads. 0 if the file system does not tell it.
// Negative errno if there is nothing to read, as without /proc.
inline constexpr int64_t kNoDescriptorLeft = -24;
int64_t ThreadCount();
// False once the thread is gone.
bool IsThreadAlive(int32_t tid);
// CPU time that the thread has used; 0 if it is gone. tid 0: the calling thread. In a helper, and with `switches`, the
// value is up to a scheduler tick old. *switches = how often the thread was switched in; unchanged if that cannot be
// read.
uint64_t ThreadCpuTimeNs(int32_t tid, uint64_t* switches = nullptr);
// CPU time of all the host's threads; 0 once it is gone.
uint64_t ProcessCpuTimeNs();
// The part of that CPU time in user code, in which PMU events count. It grows by scheduler ticks.
uint64_t ProcessUserTimeNs();
// True while SIGTRAP is pending for the thread: the thread blocks it, or was preempted just before its delivery.
bool IsTrapPending(int32_t tid);
// True while the thread runs or waits for a CPU.
bool IsThreadRunnable(int32_t tid);
// True while the thread blocks SIGTRAP, which it does in our handler, too.
bool IsTrapBlocked(int32_t tid);
// True while a debugger is attached (TracerPid).
bool IsDebuggerAttached();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_THREAD_LIST_H_
