// Memory for Capstone's allocator hooks, lent by the caller of Capstone for the duration of the call.
//
// Who: OpenCapstone lends the arena (control thread); DescribeByCapstone lends a few bytes of its own stack (handlers,
// on any number of threads at once). Capstone's hooks allocate from the lent memory.
// Why a hook finds its lender by stack address: hooks get no handle, handlers have no thread-local storage, and a lock
// might be held by the very thread that a handler interrupted. But a hook runs on its lender's stack, which grows down:
//
//     lender's frame        Lend(frame)
//     ... Capstone ...      only frames of this call: no other lender has an address in here
//     hook's frame          LentTo(frame)
//
// So the lender with the lowest frame above the hook's is the hook's own. Other threads, and handlers that interrupt
// this one, may lend at the same time.
// Invariants:
//   M1  Only the lender's call hands out its memory: no two calls ever share a byte.
//   M2  An entry of the table with frame != 0 belongs to the call that stored it, until TakeBack.
// Full: with kMaxLenders calls in progress, Lend refuses and the caller does without Capstone; it does not wait.
// A call must return: if it is left by longjmp, its entry stays occupied. (softlbr's own handler runs with all signals
// blocked.)
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_MEMORY_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::x86 {

inline constexpr uint32_t kMaxLenders = 64;

// The unused part of the lent memory. Only hooks of the lender's own call access it.
struct LentMemory {
  uint8_t* next;
  uint8_t* end;
};

// frame: __builtin_frame_address(0) of a function that calls Capstone, and TakeBack before it returns. Result: the
// entry for TakeBack, or kMaxLenders if the table is full.
SOFTLBR_HANDLER_SAFE uint32_t Lend(const void* frame, LentMemory* memory);
SOFTLBR_HANDLER_SAFE void TakeBack(uint32_t entry);

// The memory lent to the call in which the function with this frame runs; nullptr if there is none. At most kMaxLenders
// steps.
LentMemory* LentTo(const void* frame);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_MEMORY_H_
