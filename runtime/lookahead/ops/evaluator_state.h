// What micro-operations work on: the shadow program's registers, flags and memory.
//
// Memory: one a scratch state (scratch_state.h), in the session's region. Filled and run by evaluator.h.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_EVALUATOR_STATE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_EVALUATOR_STATE_H_

#include <cstdint>

#include "platform/base/machine_context.h"
#include "runtime/counters/session_counters.h"
#include "runtime/lookahead/memory/shadow_memory.h"
#include "runtime/lookahead/values/flags.h"

namespace softlbr {

struct Evaluator {
  MachineContext context;  // flags, flags_known: only as fresh as the last SettleContext
  LazyFlags lazy;
  ShadowMemory memory;
  ResolvePolicy policy;
  bool is_state_known;         // false under `static` after the first branch of a segment: nothing is known
  uint16_t machine;            // e_machine, for the few context conventions that differ
  uint8_t exclusive_left;      // instructions left of what a load-exclusive opened; not 0: no breakpoint may be armed
  uint8_t address_bits;        // A64: bits of a user-space address; a pointer's tag and signature lie above them
  uint8_t code_spare_bytes;    // bytes of a branch's target above them: ignored, or it faults
  uint64_t code_address_mask;  // the bits below
};
static_assert(sizeof(Evaluator) <= 58 * 1024, "the session reserves kScratchStates of them");

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_EVALUATOR_STATE_H_
