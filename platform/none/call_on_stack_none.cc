#include "platform/call_on_stack.h"

// Never reached: without a trap handler there is no stack to leave.
void softlbr_call_on_stack(void*, void (*function)(void*), void* argument) { function(argument); }
