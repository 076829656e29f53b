// The state that micro-operations work on: the shadow program's registers, flags and memory.
//
// Memory: one in each scratch state (scratch_state.h), in the session's region. evaluator.h fills and runs it.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_EVALUATOR_STATE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_EVALUATOR_STATE_H_

#include <cstdint>

#include "platform/base/machine_context.h"
#include "runtime/counters/session_counters.h"
#include "runtime/lookahead/memory/shadow_memory.h"
#include "runtime/lookahead/values/flags.h"

namespace softlbr {

struct Evaluator {
  MachineContext context;  // flags, flags_known: as of the last SettleContext
  LazyFlags lazy;
  ResolvePolicy policy;
  bool is_state_known;         // false under `static` after the first block of a segment: every value is UNKNOWN
  uint16_t machine;            // e_machine, for the few context conventions that differ
  uint8_t exclusive_left;      // instructions left in the open exclusive region; if not 0, no breakpoint may be armed
  uint8_t address_bits;        // A64: bits of a user-space address; a pointer's tag and signature are above them
  uint8_t code_spare_bytes;    // mask of a branch target's bytes above address_bits: the CPU ignores them or faults
  uint64_t code_address_mask;  // mask of the low address_bits bits
  ShadowMemory memory;
};
static_assert(sizeof(Evaluator) <= 42 * 1024, "the session reserves kScratchStates of them");

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_EVALUATOR_STATE_H_
