// Runs lifted blocks on the shadow context: the one mechanism that resolves branches.
//
// Who calls: the tracer, in the SIGTRAP handler of the thread whose state it is. Everything here is handler-safe.
// Memory: one Evaluator in each scratch state (scratch_state.h), in the session's region. No allocation; every table is
// of fixed size. Exact or UNKNOWN: a value marked known is bit for bit what the CPU computes; any other value is
// UNKNOWN, never guessed.
//   - Loads read the store buffer first, then the program's memory, and only pages found readable
//     (memory/page_cache.h). A load from an UNKNOWN address gives UNKNOWN; so does a load of memory after a store to an
//     UNKNOWN address (poison).
//   - A load from a known address on an unreadable page ends the trace: the program may be about to fault there.
//   - Stores never reach the program's memory.
// Policies: `static` is the smallest form of the same mechanism: every value is UNKNOWN except at a sample or hit,
//   where the true state resolves exactly the branch that the thread has stopped at.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_EVALUATOR_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_EVALUATOR_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "runtime/lookahead/ops/evaluator_state.h"

namespace softlbr {

// A view of a lifted block, which may be a softlbr_block or packed in the block cache. Owns nothing.
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
  kNext = 0,        // control goes to next_pc; is_taken: by a taken branch at branch_pc
  kUnresolved = 1,  // the terminator at branch_pc depends on an UNKNOWN value: arm there
  kSystemCall = 2,  // system call at branch_pc: arm at next_pc, where the kernel normally returns to
  kAborted = 3,     // the path cannot be followed; see reason
};

struct BlockExit {
  BlockOutcome outcome;
  bool is_taken;
  AbortReason reason;
  uint64_t branch_pc;  // the terminator's address
  uint64_t next_pc;
  uint32_t instructions;  // evaluated in this call
  uint32_t system_call;   // of kSystemCall: its number, 0 if that is unknown
};

// Call once, on memory of any content. Every value is UNKNOWN until AdoptTrueState.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD void InitEvaluator(Evaluator* evaluator, ResolvePolicy policy, uint16_t machine);

// A64 only: sets the number of bits of a user-space address. InitEvaluator asks the CPU; on another kind of CPU it
// assumes 48.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD void SetAddressBits(Evaluator* evaluator, uint32_t bits);

// Adopts the true state: the caller has just filled `context` from a signal frame (LoadMachineContext). Clears the
// store buffer with its poison, and the page cache except pages.special. Call it in the handler invocation that
// received the frame.
// frame: an address in the signal frame (its ucontext) or below it; below that address our handler overwrites dead
// stack of the program. nullptr: the caller's own stack frame; do not use it after the handler has switched to another
// stack.
SOFTLBR_HANDLER_SAFE void AdoptTrueState(Evaluator* evaluator, const void* frame = nullptr);

// Sets the dead stack that our own handler overwrites: [begin, end). AdoptTrueState computes it; tests set it directly.
SOFTLBR_HANDLER_SAFE void SetDeadStack(Evaluator* evaluator, uint64_t begin, uint64_t end);

// Runs `block` from instruction `first` on (0 .. instruction_count - 1; 0 for a block without instructions). Under
// `static`, uops run only if is_state_known and `first` is the terminator; afterwards every value is UNKNOWN.
// The block must be well formed (runtime/blocks/block_check.h); check it once, when it is lifted.
// Result:
//   kNext        context.pc == next_pc.
//   kUnresolved  the terminator's uops before the branch may have run, those after it have not. The hit adopts the true
//                state and starts again at the terminator.
//   kSystemCall  everything that the call changes is UNKNOWN.
//   kAborted     branch_pc is the instruction that cannot be followed; its own effects may be half done.
// exclusive_left is the value at the block's end. If an exclusive region opens or closes within the block, instructions
// before that point are therefore treated like those after it.
// Cost: a few ns per uop. Stack: below 1.5 KiB.
SOFTLBR_HANDLER_SAFE BlockExit RunBlock(Evaluator* evaluator, const BlockView& block, uint32_t first);

// Brings context.flags and flags_known up to date, to compare a predicted context with the true one.
SOFTLBR_HANDLER_SAFE void SettleContext(Evaluator* evaluator);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_EVALUATOR_H_
