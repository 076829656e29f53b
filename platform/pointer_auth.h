// Pointer authentication (AArch64 PAC) with the keys of the calling process.
//
// Who calls: the evaluator, in a handler of the thread that owns the pointers.
// Context: handler-safe. Memory: none. Cost: a few cycles.
#ifndef SOFTLBR_PLATFORM_POINTER_AUTH_H_
#define SOFTLBR_PLATFORM_POINTER_AUTH_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// *out = `pointer` signed with `modifier` by instruction key `key` (0 A, 1 B). On a CPU without pointer authentication,
// or with that key disabled, *out is `pointer` itself, as it is for the program. False: not an AArch64 CPU, or no such
// key.
SOFTLBR_HANDLER_SAFE bool SignPointer(uint64_t pointer, uint64_t modifier, uint32_t key, uint64_t* out);

// *out = `pointer` without its signature, right or wrong. False: not an AArch64 CPU.
SOFTLBR_HANDLER_SAFE bool StripPointer(uint64_t pointer, uint64_t* out);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_POINTER_AUTH_H_
