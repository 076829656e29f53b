// The control thread, waits and clocks, by raw clone and futex: no pthread, no heap.
//
// The thread is named "softlbr" and runs with every signal blocked, on a stack in the caller's memory. It has a thread
// area of its own, so that libraries built with a stack protector work. It must not call a libc function that uses
// errno or the locale.
//
// Helper: with is_helper, the new thread is a process of its own, outside the host's thread group (helper.h). It is an
//   orphan, so the host's waits do not see it, and has a process group of its own, so that no signal to the host's
//   group reaches it. kPermissionDenied where orphans become children of the host: the host is process 1 of a
//   namespace, or a subreaper.
// Descriptors: a helper shares the host's, or has its own and lends those of its events to the host's handlers for the
//   time of a system call. In the second case the host has no descriptor of ours and no cost of sharing. A handler may
//   borrow if the host may trace the helper: both have the same ids and the host is dumpable, or the host may trace any
//   process. Otherwise the handler's calls fail.
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
  int32_t error = 0;  // after a start that failed: errno
  // Set before the start:
  bool is_helper = false;
  // the only descriptor of the host's that a helper with its own ones keeps. Negative: it shares the host's
  int32_t kept_fd = -1;
};

// Runs entry(argument) on a new thread with the stack [stack, stack + stack_bytes), of which about 8 KiB become the
// thread area. kInvalidArgument if stack_bytes is below 16 KiB. Control.
Status StartRuntimeThread(RuntimeThread* thread, void (*entry)(void*), void* argument, void* stack,
                          uint64_t stack_bytes);
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
// Where a sandbox refuses to sleep, the thread waits on a futex for as long, or until a signal handler has run.
// Control.
void SleepNs(uint64_t ns);

// CLOCK_MONOTONIC by system call; a few hundred ns. Does not use the vdso, because a breakpoint may be armed there.
uint64_t MonotonicNs();
// CLOCK_REALTIME, whole seconds. Control.
uint64_t UnixSeconds();
// The CPU's tick counter (rdtsc, cntvct), ~10 ns; convert with TicksToNs after CalibrateTicks.
SOFTLBR_HANDLER_SAFE uint64_t Ticks();
// A thread may forbid itself to read the counter (PR_SET_TSC): Ticks then raises SIGSEGV. AllowTicks permits it; true
// if it was forbidden: then call ForbidTicks at the end. Cost: one system call if it was not forbidden.
SOFTLBR_HANDLER_SAFE bool AllowTicks();
SOFTLBR_HANDLER_SAFE void ForbidTicks();
// Measures ticks against CLOCK_MONOTONIC for ~1 ms, once. Control.
void CalibrateTicks();
// 0 before CalibrateTicks.
SOFTLBR_HANDLER_SAFE uint64_t TicksToNs(uint64_t ticks);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_THREAD_H_
