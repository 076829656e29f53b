// Removes dead flag computations: clears SET_FLAGS of a uop if all flags it writes are written again before any of them
// is read. Shared by decoder plugins; one backward pass, header-only.
//
// Why it is safe: entering a block in the middle only skips earlier uops. All flags are live at the terminator and at
// the block's end. An op that writes a flag only under a condition (a shift by an unknown count) does not count as
// writing it.
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

// What an op reads and writes of the flags: the column `flags` of ops.def. "Sets" means: writes all of them if
// SET_FLAGS is set.
enum class FlagEffect : uint8_t {
  kNone,
  kSets,           // with KEEP_C, all but C
  kSetsFromC,      // reads C
  kSetsIfShifted,  // if the count is known not to be 0
  kSetsAlways,     // SET_FLAGS is part of the op and is never cleared
  kSome,           // writes some, or only under a condition: counts as no write
  kSomeFromC,      // the same, and reads C
  kWritesMask,     // those in imm
  kReadsCondition,
  kReadsAll,
};

inline constexpr FlagEffect kFlagEffects[] = {
#define SOFTLBR_OP_ROW(name, value, family, operands, flags, text) FlagEffect::k##flags,
#include "decoders/api/ops.def"
};

SOFTLBR_HANDLER_SAFE inline FlagUse FlagUseOf(const softlbr_uop& uop) {
  const bool sets = (uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0;
  const uint32_t set = sets ? SOFTLBR_FLAG_ALL : 0;
  switch (kFlagEffects[uop.op]) {
    case FlagEffect::kNone:
    case FlagEffect::kSome: return {0, 0};
    case FlagEffect::kSets: return {0, (uop.flags & SOFTLBR_UOP_KEEP_C) != 0 ? set & ~SOFTLBR_FLAG_C : set};
    case FlagEffect::kSetsFromC: return {SOFTLBR_FLAG_C, set};
    case FlagEffect::kSetsIfShifted: {
      const int32_t mask = uop.width == 8 ? 63 : 31;
      const bool is_sure = (uop.flags & SOFTLBR_UOP_B_IMM) != 0 && (uop.imm & mask) != 0;
      return {0, is_sure ? set : 0};
    }
    case FlagEffect::kSetsAlways: return {0, set};
    case FlagEffect::kSomeFromC: return {SOFTLBR_FLAG_C, 0};
    case FlagEffect::kWritesMask: return {0, static_cast<uint32_t>(uop.imm) & SOFTLBR_FLAG_ALL};
    case FlagEffect::kReadsCondition: return {FlagsOfCondition(uop.aux), 0};
    case FlagEffect::kReadsAll: return {SOFTLBR_FLAG_ALL, 0};
  }
  return {SOFTLBR_FLAG_ALL, 0};
}

// An op with dst SOFTLBR_REG_ZERO that only sets flags stays in the block; without SET_FLAGS it costs the evaluator one
// dispatch.
SOFTLBR_HANDLER_SAFE inline void RemoveDeadFlags(softlbr_block* block) {
  uint32_t live = SOFTLBR_FLAG_ALL;
  for (uint32_t i = block->uop_count; i-- > 0;) {
    softlbr_uop* uop = &block->uops[i];
    // Most uops are moves, loads, stores and addresses, which neither read nor write flags.
    if (uop->op <= SOFTLBR_OP_CLOBBER_MEMORY) continue;
    const FlagUse use = FlagUseOf(*uop);
    if (use.writes != 0 && (use.writes & live) == 0) {
      const FlagEffect effect = kFlagEffects[uop->op];
      if (effect == FlagEffect::kWritesMask) {
        uop->op = SOFTLBR_OP_NOP;
      } else if (effect != FlagEffect::kSetsAlways) {
        uop->flags &= static_cast<uint16_t>(~(SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_KEEP_C));
      }
    }
    live = (live & ~use.writes) | use.reads;
  }
}

}  // namespace softlbr::decoder

#endif  // SOFTLBR_DECODERS_API_DEAD_FLAGS_H_
