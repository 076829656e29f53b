// Restartable sequences: what the kernel restarts whenever it takes the thread away inside (a breakpoint does so each time).
//
// Context: handler-safe. Memory: none.
#ifndef SOFTLBR_PLATFORM_RSEQ_H_
#define SOFTLBR_PLATFORM_RSEQ_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// A sequence as the program describes it to the kernel (struct rseq_cs): [start_pc, start_pc + length). Taken away inside,
// the thread goes on at abort_pc; at start_pc + length it is through.
struct RseqDescriptor {
  uint32_t version;
  uint32_t flags;
  uint64_t start_pc;
  uint64_t length;
  uint64_t abort_pc;
};
static_assert(sizeof(RseqDescriptor) == 32, "the kernel's layout");

// The 4 bytes before every abort address.
extern const uint32_t kRseqSignature;

// Where a thread keeps the address of the descriptor it is under, as a distance from its thread pointer. False if the C library
// has registered no such place.
SOFTLBR_HANDLER_SAFE bool FindRseqPointer(int64_t* from_thread_pointer);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_RSEQ_H_
