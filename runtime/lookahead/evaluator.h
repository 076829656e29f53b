// Executes lifted blocks on a shadow of the program's state: the one mechanism that resolves branches.
//
// Who calls: the tracer, in a SIGTRAP handler of the thread whose state it is. Everything here is handler-safe.
// Memory: one Evaluator in each scratch state (scratch_state.h), in the session's region. No allocation; tables of fixed size.
// Truth: a value marked known is bit for bit what the CPU computes; what cannot be known is UNKNOWN, never guessed.
//   - Loads read the private store buffer first, then the program's memory, and only from pages found readable
//     (page_cache). A load from an UNKNOWN address, or after a store to an UNKNOWN address (poison), gives UNKNOWN.
//   - A load from a known address on an unreadable page ends the trace: the program may be about to fault there.
//   - Stores never reach the program's memory.
// Policies: `static` is the smallest form of the same thing: every value is UNKNOWN except at a hit, where the true state
//   resolves exactly the branch that was waited for.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_EVALUATOR_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_EVALUATOR_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "runtime/lookahead/ops/evaluator_state.h"

namespace softlbr {

// A lifted block wherever it is kept (a softlbr_block, or packed in the block cache). Nothing is owned.
struct BlockView {
  uint64_t pc;
  uint32_t byte_length;
  uint16_t instruction_count;
  uint16_t uop_count;
  const softlbr_terminator* end;
  const uint8_t* length;   // per instruction
  const uint8_t* uops_of;  // per instruction
  const softlbr_uop* uops;
};
SOFTLBR_HANDLER_SAFE inline BlockView ViewOf(const softlbr_block& block) {
  return BlockView{block.pc,   block.byte_length, block.instruction_count, block.uop_count,
                   &block.end, block.length,      block.uops_of,           block.uops};
}

enum class BlockOutcome : uint8_t {
  kNext = 0,        // control goes to next_pc; is_taken tells whether by a taken branch at branch_pc
  kUnresolved = 1,  // the terminator at branch_pc depends on an UNKNOWN value: break there
  kSystemCall = 2,  // system call at branch_pc: break at next_pc, where the kernel normally comes back
  kAborted = 3,     // the path cannot be followed: reason
};

struct BlockExit {
  BlockOutcome outcome;
  bool is_taken;
  AbortReason reason;
  uint64_t branch_pc;  // the terminator's address
  uint64_t next_pc;
  uint32_t instructions;  // evaluated in this call
};

// Once per session and thread, on memory of any content. Nothing is known until AdoptTrueState.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD void InitEvaluator(Evaluator* evaluator, ResolvePolicy policy, uint16_t machine);

// A64 only: how many bits a user-space address has. InitEvaluator asks the CPU; on one of another kind it takes 48.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD void SetAddressBits(Evaluator* evaluator, uint32_t bits);

// The true state is known again: context has just been filled from a signal frame (LoadMachineContext). Empties the store
// buffer, the poison and the page cache (not pages.special). Call it in the very handler invocation that got the frame:
// `frame`, in the signal's frame (its ucontext) or below, tells which of the program's dead stack is being written over. The
// handler's own place, which nullptr stands for, does not where it has gone to another stack.
SOFTLBR_HANDLER_SAFE void AdoptTrueState(Evaluator* evaluator, const void* frame = nullptr);

// What AdoptTrueState finds out: [begin, end) is written over by our own handler. For who runs it elsewhere (tests).
SOFTLBR_HANDLER_SAFE void SetDeadStack(Evaluator* evaluator, uint64_t begin, uint64_t end);

// Runs `block` from instruction `first` (0 .. instruction_count; == instruction_count is only valid for a block without
// instructions). Under `static`, uops are run only while is_state_known and first is the terminator itself; afterwards
// every value is UNKNOWN.
// The block must be well formed (runtime/blocks/block_check.h); check it once, when it is lifted.
// Result: kNext: context.pc == next_pc. kUnresolved: the `before` uops of the terminator may have run, nothing after them;
//   the hit adopts the true state and starts again at the terminator. kSystemCall: what the call changes is UNKNOWN. kAborted:
//   branch_pc is the instruction that cannot be followed, its own effects may be half done. exclusive_left is as of the
//   block's end: where it opens or closes a region half way, what lies before is taken to be as its end.
// Cost: a few ns per uop. Stack: below 1.5 KiB.
SOFTLBR_HANDLER_SAFE BlockExit RunBlock(Evaluator* evaluator, const BlockView& block, uint32_t first);

// Brings context.flags and flags_known up to date, for who compares a predicted context with the true one.
SOFTLBR_HANDLER_SAFE void SettleContext(Evaluator* evaluator);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_EVALUATOR_H_
