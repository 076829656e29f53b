// No list of threads on this target.
#include "platform/thread_list.h"

namespace softlbr::platform {

Status ForEachThread(ThreadVisitor, void*) { return Status::kUnsupported; }
int64_t ThreadCount() { return 0; }
bool IsThreadAlive(int32_t) { return false; }
uint64_t ThreadCpuTimeNs(int32_t, uint64_t*) { return 0; }
uint64_t ProcessCpuTimeNs() { return 0; }
uint64_t ProcessUserTimeNs() { return 0; }
bool IsTrapPending(int32_t) { return false; }
bool IsThreadRunnable(int32_t) { return false; }
bool IsTrapBlocked(int32_t) { return false; }
bool IsDebuggerAttached() { return false; }

}  // namespace softlbr::platform
