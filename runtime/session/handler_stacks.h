// Stacks of our own for handlers whose thread has too little stack left.
//
// Why: Rust programs give their threads an alternate signal stack of 8 KiB, of which the kernel's signal frame takes up
// to 3.5 KiB. Context: handler, lock-free. Memory: kHandlerStacks stacks of kHandlerStackBytes in the session's region.
// Full: when all stacks are taken, the trap is dropped and counted as lost.small_stack.
#ifndef SOFTLBR_RUNTIME_SESSION_HANDLER_STACKS_H_
#define SOFTLBR_RUNTIME_SESSION_HANDLER_STACKS_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"

namespace softlbr {

struct HandlerStacks {
  std::atomic<uint32_t> busy;  // one bit for each stack
  uint8_t* memory;
};
static_assert(kHandlerStacks < 32, "HandlerStacks::busy has a bit for each");

// Runs function(argument) on a free stack. False if none was free; the function was then not called.
SOFTLBR_HANDLER_SAFE bool CallOnHandlerStack(HandlerStacks* stacks, void (*function)(void*), void* argument);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_HANDLER_STACKS_H_
