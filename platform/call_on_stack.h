// Runs a function on another stack.
//
// Who calls: the trap handler, when the stack it was entered on is too small.
// Context: handler. Memory: `stack_end` is the first byte above the new stack, 16-byte aligned; nobody else uses that
// stack until the call returns.
#ifndef SOFTLBR_PLATFORM_CALL_ON_STACK_H_
#define SOFTLBR_PLATFORM_CALL_ON_STACK_H_

#include "platform/base/attributes.h"

// In assembly, because a compiler does not expect the stack pointer to change within a function.
extern "C" SOFTLBR_HANDLER_SAFE void softlbr_call_on_stack(void* stack_end, void (*function)(void*), void* argument);

#endif  // SOFTLBR_PLATFORM_CALL_ON_STACK_H_
