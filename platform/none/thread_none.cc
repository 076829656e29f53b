// No threads and no clocks on this target: time is always 0 and waits return at once.
#include "platform/thread.h"

namespace softlbr::platform {

Status StartRuntimeThread(RuntimeThread*, void (*)(void*), void*, void*, uint64_t) { return Status::kUnsupported; }
void JoinRuntimeThread(RuntimeThread*) {}
void ForgetRuntimeThread() {}
bool HasHelperEnded(const RuntimeThread&) { return false; }
int32_t CurrentThreadId() { return 0; }
int32_t CurrentProcessId() { return 0; }
void WaitOnWord(const std::atomic<uint32_t>*, uint32_t, uint64_t) {}
void WakeWord(const std::atomic<uint32_t>*) {}
void SleepNs(uint64_t) {}
uint64_t MonotonicNs() { return 0; }
uint64_t UnixSeconds() { return 0; }
uint64_t Ticks() { return 0; }
bool AllowTicks() { return false; }
void ForbidTicks() {}
void CalibrateTicks() {}
uint64_t TicksToNs(uint64_t) { return 0; }

}  // namespace softlbr::platform
