// Restartable sequences on the way of a trace, and what a load-exclusive opens.
//
// Why: a breakpoint inside one aborts it every time, so the thread would never get through (measured: 10 000 of 10 000). None is
//   armed there; the trace ends, and the next begins where the sequence is left. Between a load-exclusive and its store it is
//   the same: a hit lets the store fail.
// Known from: the tables of the modules (profile/rseq_sections.h), the descriptor that the thread itself points to, and
//   failing both, the abort of a breakpoint that was armed in one unknowingly.
// Context: handler. Memory: the scratch state; 200 bytes of stack.
#ifndef SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_
#define SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "runtime/lookahead/scratch_state.h"
#include "runtime/modules/code_map.h"

namespace softlbr {

// Places known from aborts only: their sequence, and so its exit, is not.
struct LearnedPcs {
  std::atomic<uint64_t> pcs[kLearnedPcs];
  std::atomic<uint32_t> next;
};

// True if pc lies in a sequence, *sequence; an empty one if no more than that is known. True wherever the evaluator has a
// load-exclusive open; *sequence is then everything.
SOFTLBR_HANDLER_SAFE bool FindCriticalSection(const CodeMap& map, const LearnedPcs& learned, ScratchState* scratch, uint64_t pc,
                                              AddressRange* sequence);

// Where a thread that stands at `from`, inside, can leave the sequence: its regular end if that can be reached, else the first
// exit found, 0 if there is none. Of a load-exclusive's: the end of the block that closes it. Lifts at most kMaxCriticalSectionBlocks blocks; scratch state->block is lost.
SOFTLBR_HANDLER_SAFE uint64_t FindCriticalSectionExit(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder,
                                                      ScratchState* scratch, AddressRange sequence, uint64_t from);

// A hit at armed_pc came with another pc: was it the abort of a sequence? Then armed_pc is remembered.
SOFTLBR_HANDLER_SAFE bool LearnFromAbort(LearnedPcs* learned, uint64_t armed_pc, uint64_t pc);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_RESTARTABLE_H_
