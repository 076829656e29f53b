// The CPU-specific part of starting a thread: its thread area and the clone call.
#ifndef SOFTLBR_PLATFORM_LINUX_THREADS_CLONE_THREAD_H_
#define SOFTLBR_PLATFORM_LINUX_THREADS_CLONE_THREAD_H_

#include <atomic>
#include <cstdint>

#include "platform/base/limits.h"

namespace softlbr::platform {

// Initialises the thread area [area, area + kThreadAreaBytes), which must be zeroed, and returns the value of the
// thread pointer. Copies the calling thread's stack guard, which functions built with a stack protector need.
uint64_t PrepareThreadArea(void* area);

// Calls clone with `flags`. The new thread calls entry(argument) on the stack that ends at stack_end (16-aligned), then
// exits without touching that stack again. *tid is set before this returns; the kernel clears it and wakes its futex
// when the thread ends. Result: the tid, or negative errno.
long CloneThread(uint64_t flags, void* stack_end, std::atomic<int32_t>* tid, uint64_t thread_pointer,
                 void (*entry)(void*), void* argument);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_THREADS_CLONE_THREAD_H_
