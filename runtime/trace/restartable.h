// Code in which no breakpoint may be armed: rseq critical sections, and what a load-exclusive opens.
//
// Why: a trap inside an rseq critical section makes the kernel restart the section, so the thread would never get through
//   (measured: 10,000 of 10,000). Between a load-exclusive and its store a trap makes the store fail, with the same effect. A
//   trace that stops there ends, and the next one begins where the thread leaves the section (RestartAfterCriticalSection).
// Known from, in this order: the evaluator, which counts what a load-exclusive has opened; the modules' tables
//   (modules/rseq_sections.h); the descriptor that the thread itself points to at present; pcs learned from aborts.
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

// Pcs where an armed breakpoint was followed by an abort: each lies in a critical section whose range, and so its exit, is not
// known. Writers: handlers of any thread. Full: the oldest is overwritten.
struct LearnedPcs {
  std::atomic<uint64_t> pcs[kLearnedPcs];
  std::atomic<uint32_t> next;
};

// True if pc lies in a critical section, *section; an empty one if its range is not known. True at every pc while the evaluator
// has a load-exclusive open; *section is then everything.
SOFTLBR_HANDLER_SAFE bool FindCriticalSection(const CodeMap& map, const LearnedPcs& learned, ScratchState* scratch, uint64_t pc,
                                              AddressRange* section);

// Where a thread at `from`, inside, leaves the section: at its regular end if that can be reached, else at the first other exit
// found; 0 if there is none. For what a load-exclusive opened: at the last instruction of the block that closes it. Lifts at
// most kMaxCriticalSectionBlocks blocks into scratch->block.
SOFTLBR_HANDLER_SAFE uint64_t FindCriticalSectionExit(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder,
                                                      ScratchState* scratch, AddressRange section, uint64_t from);

// A hit of the breakpoint at armed_pc came with another pc. True if that is an abort handler's, to which the kernel moved the
// thread; armed_pc is then remembered.
SOFTLBR_HANDLER_SAFE bool LearnFromAbort(LearnedPcs* learned, uint64_t armed_pc, uint64_t pc);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_
