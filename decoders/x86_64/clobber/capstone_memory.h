// Memory for Capstone's allocator hooks, lent by whoever calls Capstone for the length of that call.
//
// Who: OpenCapstone lends the arena (control thread), DescribeByCapstone a few bytes of its own stack (handlers, on any
// number of threads at once). Capstone's hooks take from it.
// Why found by stack address: the hooks get no handle, a handler has no thread-local storage, and a lock could be held by
// the very thread that a handler interrupted. But a hook runs on its lender's stack, which grows down:
//
//     lender's frame        Lend(frame)
//     ... Capstone ...      only frames of this call: nobody else lends from an address in here
//     hook's frame          LentTo(frame)
//
// So the lender with the lowest frame above the hook's is the hook's own, whatever other threads, and handlers that interrupt
// this one, lend meanwhile.
// Invariants:
//   M1  Memory is handed out by its lender's call alone: no two calls ever share a byte.
//   M2  An entry of the table with frame != 0 belongs to the call that put it there, until TakeBack.
// Full: kMaxLenders calls at once. Lend refuses and the caller does without Capstone; nobody waits.
// A call must return: one that is left by longjmp keeps its entry. (softlbr's own handler runs with all signals blocked.)
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_MEMORY_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::x86 {

inline constexpr uint32_t kMaxLenders = 64;

// What is left of the memory lent. Only hooks of the lender's own call touch it.
struct LentMemory {
  uint8_t* next;
  uint8_t* end;
};

// frame: __builtin_frame_address(0) of a function that calls Capstone and TakeBack before it returns. Entry for TakeBack, or
// kMaxLenders: the table is full.
SOFTLBR_HANDLER_SAFE uint32_t Lend(const void* frame, LentMemory* memory);
SOFTLBR_HANDLER_SAFE void TakeBack(uint32_t entry);

// What the call was lent that the function with this frame runs in; nullptr if it runs in none. At most kMaxLenders steps.
LentMemory* LentTo(const void* frame);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_MEMORY_H_
