// The control thread, waits and clocks, by raw clone and futex: no pthread, no heap.
//
// The thread is named "softlbr" and runs with every signal blocked, on a stack in the caller's memory. It has a thread area of its
// own, so that libraries built with a stack protector work. It must not call a libc function that uses errno or the locale.
//
// Helper: with is_helper, the new thread is a process of its own, outside the host's thread group (helper.h). It is an orphan, so that
//   no wait of the host's sees it, and in a process group of its own, so that no signal to the host's group reaches it.
//   kPermissionDenied where orphans become children of the host: process 1 of a namespace, or a subreaper.
// Descriptors: a helper shares the host's, or has its own and lends those of its events to the host's handlers for as long as a system
//   call takes. The host then has no descriptor of ours, and does not pay for sharing. A handler may borrow where it might trace the
//   helper: both have the same ids, and the host is dumpable, or it has the right to trace any process. Otherwise its calls fail.
#ifndef SOFTLBR_PLATFORM_THREAD_H_
#define SOFTLBR_PLATFORM_THREAD_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct RuntimeThread {
  // The kernel clears it and wakes the futex when the thread ends.
  std::atomic<int32_t> tid{0};
  // Set before the start:
  bool is_helper = false;
  int32_t kept_fd = -1;  // of a helper with its own descriptors: the only one of the host's that it keeps. Negative: it shares them
};

// Runs entry(argument) on a new thread with the stack [stack, stack + stack_bytes), of which about 8 KiB become the thread area.
// kInvalidArgument if stack_bytes is below 16 KiB. Control.
Status StartRuntimeThread(RuntimeThread* thread, void (*entry)(void*), void* argument, void* stack, uint64_t stack_bytes);
// Waits until the thread has ended. Control.
void JoinRuntimeThread(RuntimeThread* thread);
// Called when no handler uses an event any more, before *thread's memory is released. Control.
void ForgetRuntimeThread();
// True if it is a helper and has ended, for whatever reason. Control.
bool HasHelperEnded(const RuntimeThread& thread);

SOFTLBR_HANDLER_SAFE int32_t CurrentThreadId();   // system call
SOFTLBR_HANDLER_SAFE int32_t CurrentProcessId();  // system call
// Waits until *word != expected, a wake, or the timeout (~0: none). May return spuriously. Control.
void WaitOnWord(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns);
SOFTLBR_HANDLER_SAFE void WakeWord(const std::atomic<uint32_t>* word);  // wakes all waiters
void SleepNs(uint64_t ns);

// CLOCK_MONOTONIC by system call; a few hundred ns. Does not use the vdso, because a breakpoint may be armed there.
uint64_t MonotonicNs();
// CLOCK_REALTIME, whole seconds. Control.
uint64_t UnixSeconds();
// The CPU's tick counter (rdtsc, cntvct), ~10 ns; convert with TicksToNs after CalibrateTicks.
SOFTLBR_HANDLER_SAFE uint64_t Ticks();
// A thread may forbid itself to read the counter (PR_SET_TSC): Ticks then raises SIGSEGV. AllowTicks makes it usable; true if it was
// forbidden, and ForbidTicks is to be called in the end. One system call if it was not.
SOFTLBR_HANDLER_SAFE bool AllowTicks();
SOFTLBR_HANDLER_SAFE void ForbidTicks();
// Measures ticks against CLOCK_MONOTONIC for ~1 ms, once. Control.
void CalibrateTicks();
// 0 before CalibrateTicks.
SOFTLBR_HANDLER_SAFE uint64_t TicksToNs(uint64_t ticks);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_THREAD_H_
