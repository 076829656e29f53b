// Runs a function on another stack than the calling thread's.
//
// Who calls: the trap handler, where the stack it finds itself on is too small for what it has to do.
// Context: handler. `stack_end` is the first byte above the new stack, 16-byte aligned; nobody else uses it meanwhile.
#ifndef SOFTLBR_PLATFORM_CALL_ON_STACK_H_
#define SOFTLBR_PLATFORM_CALL_ON_STACK_H_

#include "platform/base/attributes.h"

// In assembly: a compiler would keep its own ideas of where its frame is.
extern "C" SOFTLBR_HANDLER_SAFE void softlbr_call_on_stack(void* stack_end, void (*function)(void*), void* argument);

#endif  // SOFTLBR_PLATFORM_CALL_ON_STACK_H_
