// The CPU's part of starting a thread: its thread area and the clone call.
#ifndef SOFTLBR_PLATFORM_LINUX_CLONE_THREAD_H_
#define SOFTLBR_PLATFORM_LINUX_CLONE_THREAD_H_

#include <atomic>
#include <cstdint>

#include "platform/base/limits.h"

namespace softlbr::platform {

// Lays a thread area out in [area, area + kThreadAreaBytes), which is zeroed, and returns the value of the thread pointer. The
// stack guard of the calling thread goes with it, so that functions built with a stack protector find one.
uint64_t PrepareThreadArea(void* area);

// clone with flags; the new thread calls entry(argument) on the stack that ends at stack_end (16-aligned), then exits without
// touching that stack again. tid is written before this returns, cleared and futex-woken when the thread is gone.
// Result: the tid, or negative errno.
long CloneThread(uint64_t flags, void* stack_end, std::atomic<int32_t>* tid, uint64_t thread_pointer, void (*entry)(void*),
                 void* argument);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_CLONE_THREAD_H_
