// Removes dead flag computations: clears SET_FLAGS of a uop if all flags it writes are written again before any of them is read.
// Shared by decoder plugins; one backward pass, header-only.
//
// Why it is safe: entering a block in the middle only skips earlier uops. All flags are live at the terminator and at the block's
// end. An op that writes a flag only under a condition (a shift by an unknown count) does not count as writing it.
#ifndef SOFTLBR_DECODERS_API_DEAD_FLAGS_H_
#define SOFTLBR_DECODERS_API_DEAD_FLAGS_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"

namespace softlbr::decoder {

// The flags that a condition reads.
SOFTLBR_HANDLER_SAFE inline uint32_t FlagsOfCondition(uint32_t condition) {
  switch (condition & ~1u) {
    case SOFTLBR_COND_ALWAYS: return 0;
    case SOFTLBR_COND_Z: return SOFTLBR_FLAG_Z;
    case SOFTLBR_COND_C: return SOFTLBR_FLAG_C;
    case SOFTLBR_COND_S: return SOFTLBR_FLAG_S;
    case SOFTLBR_COND_V: return SOFTLBR_FLAG_V;
    case SOFTLBR_COND_P: return SOFTLBR_FLAG_P;
    case SOFTLBR_COND_BE:
    case SOFTLBR_COND_HI: return SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z;
    case SOFTLBR_COND_LT: return SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;
    case SOFTLBR_COND_LE: return SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;
    default: return SOFTLBR_FLAG_ALL;
  }
}

struct FlagUse {
  uint32_t reads;
  uint32_t writes;  // unconditionally
};

SOFTLBR_HANDLER_SAFE inline FlagUse FlagUseOf(const softlbr_uop& uop) {
  const bool sets = (uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0;
  // clang-format off
  switch (uop.op) {
    case SOFTLBR_OP_ADD: case SOFTLBR_OP_SUB:
      if (!sets) return {0, 0};
      if (uop.flags & SOFTLBR_UOP_KEEP_C) return {0, SOFTLBR_FLAG_ALL & ~SOFTLBR_FLAG_C};
      return {0, SOFTLBR_FLAG_ALL};
    case SOFTLBR_OP_AND: case SOFTLBR_OP_OR: case SOFTLBR_OP_XOR: case SOFTLBR_OP_ANDN: case SOFTLBR_OP_ORN:
    case SOFTLBR_OP_NEG: case SOFTLBR_OP_MUL: case SOFTLBR_OP_BSF: case SOFTLBR_OP_BSR: case SOFTLBR_OP_CTZ:
    case SOFTLBR_OP_CLZ: case SOFTLBR_OP_POPCOUNT: case SOFTLBR_OP_BLSI: case SOFTLBR_OP_BLSR: case SOFTLBR_OP_BLSMSK:
    case SOFTLBR_OP_BEXTR: case SOFTLBR_OP_BZHI:
      return {0, sets ? uint32_t{SOFTLBR_FLAG_ALL} : 0u};
    case SOFTLBR_OP_ADC: case SOFTLBR_OP_SBB:
      return {SOFTLBR_FLAG_C, sets ? uint32_t{SOFTLBR_FLAG_ALL} : 0u};
    case SOFTLBR_OP_SHL: case SOFTLBR_OP_SHR: case SOFTLBR_OP_SAR: {
      const int32_t mask = uop.width == 8 ? 63 : 31;
      const bool is_sure = (uop.flags & SOFTLBR_UOP_B_IMM) != 0 && (uop.imm & mask) != 0;
      return {0, sets && is_sure ? uint32_t{SOFTLBR_FLAG_ALL} : 0u};
    }
    case SOFTLBR_OP_RCL: case SOFTLBR_OP_RCR: case SOFTLBR_OP_FLIP_CARRY:
      return {SOFTLBR_FLAG_C, 0};
    case SOFTLBR_OP_SETCC: case SOFTLBR_OP_SELECT:
      return {FlagsOfCondition(uop.aux), 0};
    case SOFTLBR_OP_GET_FLAGS:
      return {SOFTLBR_FLAG_ALL, 0};
    case SOFTLBR_OP_SET_FLAGS_FROM: case SOFTLBR_OP_CLOBBER_FLAGS: case SOFTLBR_OP_FLAGS_CONST:
      return {0, static_cast<uint32_t>(uop.imm) & SOFTLBR_FLAG_ALL};
    case SOFTLBR_OP_CCMP:
      return {FlagsOfCondition(uop.aux), 0};
    case SOFTLBR_OP_VTEST: case SOFTLBR_OP_STRING_INDEX: case SOFTLBR_OP_FCMP_FLAGS:
      return {0, sets ? uint32_t{SOFTLBR_FLAG_ALL} : 0u};
    default:  // rotates, bit tests, double shifts, divisions, string operations: not counted as writing
      return {0, 0};
  }
  // clang-format on
}

// An op with dst SOFTLBR_REG_ZERO that only sets flags stays in the block; without SET_FLAGS it costs the evaluator one dispatch.
SOFTLBR_HANDLER_SAFE inline void RemoveDeadFlags(softlbr_block* block) {
  uint32_t live = SOFTLBR_FLAG_ALL;
  for (uint32_t i = block->uop_count; i-- > 0;) {
    softlbr_uop* uop = &block->uops[i];
    // Most uops are moves, loads, stores and addresses, which neither read nor write flags.
    if (uop->op <= SOFTLBR_OP_CLOBBER_MEMORY) continue;
    const FlagUse use = FlagUseOf(*uop);
    if (use.writes != 0 && (use.writes & live) == 0) {
      // clang-format off
      switch (uop->op) {
        case SOFTLBR_OP_SET_FLAGS_FROM: case SOFTLBR_OP_CLOBBER_FLAGS: case SOFTLBR_OP_FLAGS_CONST:
          uop->op = SOFTLBR_OP_NOP;
          break;
        case SOFTLBR_OP_VTEST: case SOFTLBR_OP_STRING_INDEX: case SOFTLBR_OP_FCMP_FLAGS:
          break;  // their SET_FLAGS is part of the op
        default:
          uop->flags &= static_cast<uint16_t>(~(SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_KEEP_C));
          break;
      }
      // clang-format on
    }
    live = (live & ~use.writes) | use.reads;
  }
}

}  // namespace softlbr::decoder

#endif  // SOFTLBR_DECODERS_API_DEAD_FLAGS_H_
