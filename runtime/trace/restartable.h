// Code in which no breakpoint may be armed: rseq critical sections, and the exclusive region after a load-exclusive.
//
// Why: a trap inside an rseq critical section makes the kernel restart the section, so the thread would never complete
//   it (measured: 10,000 of 10,000 attempts restarted). A trap between a load-exclusive and its store makes the store
//   fail, with the same effect. A trace that stops there ends, and the next one begins where the thread leaves the
//   section (RestartAfterCriticalSection).
// Sources, in this order: the evaluator, which tracks load-exclusives; the modules' tables (modules/rseq_sections.h);
//   the descriptor that the thread's rseq area points to at present; pcs learned from aborts.
// Context: handler. Memory: the caller's scratch state; 200 bytes of stack.
#ifndef SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_
#define SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/attributes.h"
#include "runtime/lookahead/scratch_state.h"
#include "runtime/modules/code_map.h"

namespace softlbr {

// Pcs at which an armed breakpoint led to an abort: each is in a critical section whose range, and thus exit, is not
// known. Writers: handlers of any thread. Full: the oldest is overwritten.
struct LearnedPcs {
  std::atomic<uint64_t> pcs[kLearnedPcs];
  std::atomic<uint32_t> next;
};

// True if pc is in a critical section; *section is its range, empty if not known. While the evaluator has an exclusive
// region open: true at every pc; *section is then the whole address space.
SOFTLBR_HANDLER_SAFE bool FindCriticalSection(const CodeMap& map, const LearnedPcs& learned, ScratchState* scratch,
                                              uint64_t pc, AddressRange* section);

// Where a thread at `from`, inside `section`, leaves it: at the section's end if that can be reached, else at the first
// other exit found; 0 if there is none. For an exclusive region: the last instruction of the block that closes it.
// Lifts at most kMaxCriticalSectionBlocks blocks into scratch->block.
SOFTLBR_HANDLER_SAFE uint64_t FindCriticalSectionExit(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder,
                                                      ScratchState* scratch, AddressRange section, uint64_t from);

// Call when a hit of the breakpoint at armed_pc has another pc. True if that pc is an abort handler, to which the
// kernel has moved the thread; armed_pc is then remembered.
SOFTLBR_HANDLER_SAFE bool LearnFromAbort(LearnedPcs* learned, uint64_t armed_pc, uint64_t pc);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_
