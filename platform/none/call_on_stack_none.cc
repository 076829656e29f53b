#include "platform/call_on_stack.h"

// Not called: no trap handler runs on this target. Keeps the current stack.
void softlbr_call_on_stack(void*, void (*function)(void*), void* argument) { function(argument); }
