// Signatures in pointers (AArch64 pointer authentication), as the thread that asks has them.
//
// Who calls: the evaluator, in a handler of the thread whose pointers they are: the keys are the process's own.
// Context: handler-safe. Memory: none. Cost: a few cycles.
#ifndef SOFTLBR_PLATFORM_POINTER_AUTH_H_
#define SOFTLBR_PLATFORM_POINTER_AUTH_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// *out = `pointer` signed with `modifier` by instruction key `key` (0 A, 1 B). As the CPU does it: on one without the facility,
// or with that key turned off, *out is the pointer itself. False: this CPU is of another kind, or the key is none of these.
SOFTLBR_HANDLER_SAFE bool SignPointer(uint64_t pointer, uint64_t modifier, uint32_t key, uint64_t* out);

// *out = `pointer` without its signature, whatever that is. False: this CPU is of another kind.
SOFTLBR_HANDLER_SAFE bool StripPointer(uint64_t pointer, uint64_t* out);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_POINTER_AUTH_H_
