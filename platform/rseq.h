// Critical sections (rseq): code that the kernel restarts when it interrupts the thread inside. Each breakpoint hit
// inside one interrupts it.
//
// Context: handler-safe. Memory: none.
#ifndef SOFTLBR_PLATFORM_RSEQ_H_
#define SOFTLBR_PLATFORM_RSEQ_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// The descriptor of a critical section (struct rseq_cs). The section is [start_pc, start_pc + length): a thread
// interrupted inside resumes at abort_pc; at start_pc + length the section is complete.
struct RseqDescriptor {
  uint32_t version;
  uint32_t flags;
  uint64_t start_pc;
  uint64_t length;
  uint64_t abort_pc;
};
static_assert(sizeof(RseqDescriptor) == 32, "the kernel's layout");

// The 4 bytes before every abort_pc.
extern const uint32_t kRseqSignature;

// *from_thread_pointer = offset from the thread pointer to the thread's pointer to its current descriptor (rseq_cs).
// False if the C library has not registered rseq.
SOFTLBR_HANDLER_SAFE bool FindRseqPointer(int64_t* from_thread_pointer);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_RSEQ_H_
