// Contract: uop_check.h.
//
// The column `operands` of ops.def holds the simple conditions, which are most of what an op requires of its uop; code
// checks the rest (IsSpecialCaseMet). Separate code for each op would take 2 KB more of the archive's budget.
#include "runtime/lookahead/uop_check.h"

namespace softlbr {
namespace {

constexpr uint32_t kMaxVectorBytes = 64;

enum Need : uint16_t {
  kNothing = 0,
  kScalarWidth = 1 << 0,  // width is 1, 2, 4 or 8
  kNoHigh = 1 << 1,       // the flags name the second byte of a register only if width is 1
  // dst is a register slot, but not SOFTLBR_REG_BLOCK: the rest of the block addresses code relative to it
  kDstSlot = 1 << 2,
  kASlot = 1 << 3,  // a is a register slot
  kBSlot = 1 << 4,
  kImmSlot = 1 << 5,
  kVectorWidth = 1 << 6,  // width is 4, 8, 16, 32 or 64
  kDstVector = 1 << 7,    // dst is a vector of width bytes
  kAVector = 1 << 8,
  kBVector = 1 << 9,
  kScalarAux = 1 << 10,  // aux is 1, 2, 4 or 8
  kFloatAux = 1 << 11,   // aux is 4 or 8
  kWholeAux = 1 << 12,   // width is a multiple of aux, which kScalarAux or kFloatAux shows not to be 0
  kShiftAux = 1 << 13,   // aux is less than 64
  kWidth8 = 1 << 14,     // width is at least 8
  kWidth16 = 1 << 15,    // width is at least 16

  kScalarSlots = kDstSlot | kASlot | kBSlot,
  kScalar = kScalarWidth | kNoHigh | kScalarSlots,
  kAddress = kASlot | kBSlot | kShiftAux,
  kUnaryVector = kVectorWidth | kDstVector | kAVector,
  kVector = kUnaryVector | kBVector,
  kVectorToScalar = kVectorWidth | kAVector | kDstSlot,
  kLanes = kScalarAux | kWholeAux,
  kFloatLanes = kFloatAux | kWholeAux,
};

constexpr uint16_t kNeeds[] = {
#define SOFTLBR_OP_ROW(name, value, family, operands, flags, text) operands,
#include "decoders/api/ops.def"
};
constexpr uint32_t kValues[] = {
#define SOFTLBR_OP_ROW(name, value, family, operands, flags, text) value,
#include "decoders/api/ops.def"
};
constexpr bool AreValuesIndices() {
  for (uint32_t i = 0; i <= SOFTLBR_OP_MAX_VALUE; ++i) {
    if (kValues[i] != i) return false;
  }
  return sizeof(kValues) / sizeof(kValues[0]) == SOFTLBR_OP_MAX_VALUE + 1;
}
static_assert(AreValuesIndices(), "tables made from ops.def are indexed by the op");

constexpr uint64_t kScalarWidths = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8;

SOFTLBR_NOINLINE bool IsScalarWidth(uint32_t width) { return width < 64 && (kScalarWidths >> width & 1) != 0; }
// For widths that are a power of 2.
SOFTLBR_NOINLINE bool IsVectorWidth(uint32_t width) { return width >= 4 && width <= 64 && (width & (width - 1)) == 0; }
SOFTLBR_NOINLINE bool IsSlot(int64_t slot) { return static_cast<uint64_t>(slot) < SOFTLBR_REG_COUNT; }

// Beyond 16 bytes ReadVector reads a whole register.
SOFTLBR_NOINLINE bool IsVector(int64_t slot, uint32_t bytes) {
  if (bytes > kMaxVectorBytes) return false;
  const int64_t regs = bytes > 16 ? SOFTLBR_SLOTS_PER_VECTOR : (bytes + 7) / 8;
  return slot >= SOFTLBR_REG_GENERAL && slot + regs <= SOFTLBR_REG_COUNT;
}

bool AreNeedsMet(const softlbr_uop& uop, uint32_t needs) {
  constexpr uint32_t kHigh = SOFTLBR_UOP_A_HIGH | SOFTLBR_UOP_B_HIGH | SOFTLBR_UOP_DST_HIGH;
  const uint32_t width = uop.width;
  const uint32_t aux = uop.aux;
  uint32_t met = 0;
  if (IsScalarWidth(width)) met |= kScalarWidth;
  if ((uop.flags & kHigh) == 0 || width == 1) met |= kNoHigh;
  if (IsSlot(uop.dst) && uop.dst != SOFTLBR_REG_BLOCK) met |= kDstSlot;
  if (IsSlot(uop.a)) met |= kASlot;
  if (IsSlot(uop.b)) met |= kBSlot;
  if (IsSlot(uop.imm)) met |= kImmSlot;
  if (IsVectorWidth(width)) met |= kVectorWidth;
  if (IsVector(uop.dst, width)) met |= kDstVector;
  if (IsVector(uop.a, width)) met |= kAVector;
  if (IsVector(uop.b, width)) met |= kBVector;
  if (IsScalarWidth(aux)) met |= kScalarAux;
  if (aux == 4 || aux == 8) met |= kFloatAux;
  if (aux != 0 && width % aux == 0) met |= kWholeAux;
  if (aux < 64) met |= kShiftAux;
  if (width >= 8) met |= kWidth8;
  if (width >= 16) met |= kWidth16;
  return (needs & ~met) == 0;
}

bool IsVectorOrSlot(int64_t slot, uint32_t bytes) { return IsVector(slot, bytes) || (bytes <= 8 && IsSlot(slot)); }

bool IsSpecialCaseMet(const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const uint32_t aux = uop.aux;
  const int64_t imm = uop.imm;
  // Lane imm of aux bytes ends here; 65 for a lane that no register has.
  const uint32_t end =
      static_cast<uint64_t>(imm) < kMaxVectorBytes ? aux * (static_cast<uint32_t>(imm) + 1) : kMaxVectorBytes + 1;
  const bool has_wide_lanes = IsScalarWidth(aux) || aux == 16 || aux == 32;
  const bool is_float_scalar = (uop.flags & SOFTLBR_UOP_SCALAR) != 0;
  switch (uop.op) {
    case SOFTLBR_OP_UNKNOWN:
      if (IsScalarWidth(width)) return IsSlot(uop.dst) && uop.dst != SOFTLBR_REG_BLOCK;
      return width != 0 && IsVector(uop.dst, width);
    case SOFTLBR_OP_STORE_UNKNOWN: return width <= kMaxVectorBytes && IsSlot(uop.dst);
    case SOFTLBR_OP_VLOAD: return width != 0 && (width % 8 == 0 || IsScalarWidth(width % 8));
    case SOFTLBR_OP_VSTORE:
    case SOFTLBR_OP_VMOV: return width != 0;

    case SOFTLBR_OP_STRING_MOVE:
    case SOFTLBR_OP_STRING_STORE:
    case SOFTLBR_OP_STRING_SCAN:
    case SOFTLBR_OP_STRING_COMPARE:  // these write their pointers and count as well
      return uop.a != SOFTLBR_REG_BLOCK && uop.b != SOFTLBR_REG_BLOCK;
    case SOFTLBR_OP_SHLD:
    case SOFTLBR_OP_SHRD: return imm < 0 || IsSlot(imm);
    case SOFTLBR_OP_BITFIELD: return width >= 4;
    case SOFTLBR_OP_SETCC:
    case SOFTLBR_OP_SELECT:
    case SOFTLBR_OP_CCMP: return aux <= SOFTLBR_COND_LS;

    case SOFTLBR_OP_VZERO_ABOVE:
      return width <= kMaxVectorBytes && imm >= 0 && imm < SOFTLBR_VECTOR_REGISTERS && uop.dst >= SOFTLBR_REG_GENERAL &&
             uop.dst + SOFTLBR_SLOTS_PER_VECTOR * (imm + 1) <= SOFTLBR_REG_COUNT;
    case SOFTLBR_OP_VBROADCAST: return has_wide_lanes && width % aux == 0 && IsVectorOrSlot(uop.a, aux);
    case SOFTLBR_OP_VINSERT: return has_wide_lanes && IsVector(uop.dst, end) && IsVectorOrSlot(uop.a, aux);
    case SOFTLBR_OP_VEXTRACT: return IsVector(uop.a, end);
    case SOFTLBR_OP_VEXTRACT_WIDE:
      return imm >= 0 && width * (imm + 1) <= kMaxVectorBytes && width <= 32 && IsVector(uop.a, kMaxVectorBytes);
    case SOFTLBR_OP_VSHUFFLE:
    case SOFTLBR_OP_VPACK: return aux >= 2;
    case SOFTLBR_OP_VSHUFFLE2: return aux >= 4;
    case SOFTLBR_OP_VPERM2_128: return width == 32;
    case SOFTLBR_OP_VPERMUTE:
      if ((uop.flags & SOFTLBR_UOP_B_IMM) != 0) return width >= 32;
      return AreNeedsMet(uop, kBVector | kLanes);
    case SOFTLBR_OP_VUNPACK_LOW:
    case SOFTLBR_OP_VUNPACK_HIGH: return 2 * aux <= width;
    case SOFTLBR_OP_VEXTEND:
    case SOFTLBR_OP_VTRUNCATE: return imm >= 0 && IsScalarWidth(static_cast<uint32_t>(imm)) && width % imm == 0;
    case SOFTLBR_OP_VBLEND_VAR: return IsVector(imm, width);
    case SOFTLBR_OP_STRING_INDEX: return IsVector(uop.a, 16) && IsVector(uop.b, 16);

    case SOFTLBR_OP_FCMP_FLAGS: return IsVector(uop.a, aux) && IsVector(uop.b, aux);
    case SOFTLBR_OP_INT_TO_FLOAT: return IsVector(uop.dst, aux);
    case SOFTLBR_OP_FLOAT_TO_INT: return width >= 4 && IsVector(uop.a, aux);
    case SOFTLBR_OP_FLOAT_TO_FLOAT:
      return (aux == 2 || aux == 4 || aux == 8) && (imm == 2 || imm == 4 || imm == 8) && width % aux == 0 &&
             width % imm == 0;
    case SOFTLBR_OP_ROUNDING: return aux < 32;
    case SOFTLBR_OP_FADD:
    case SOFTLBR_OP_FSUB:
    case SOFTLBR_OP_FMUL:
    case SOFTLBR_OP_FDIV:
    case SOFTLBR_OP_FSQRT:
    case SOFTLBR_OP_FMIN:
    case SOFTLBR_OP_FMAX:
    case SOFTLBR_OP_FMADD:
    case SOFTLBR_OP_FCMP:
    case SOFTLBR_OP_FROUND:
      if (uop.op == SOFTLBR_OP_FMADD && !IsVector(imm, is_float_scalar ? aux : width)) return false;
      if (is_float_scalar) return IsVector(uop.dst, 16) && IsVector(uop.a, 16) && IsVector(uop.b, aux);
      return AreNeedsMet(uop, kVector | kWholeAux);
    default: return true;
  }
}

}  // namespace

bool IsUopWellFormed(const softlbr_uop& uop) {
  return uop.op <= SOFTLBR_OP_MAX_VALUE && AreNeedsMet(uop, kNeeds[uop.op]) && IsSpecialCaseMet(uop);
}

bool IsTerminatorWellFormed(const softlbr_terminator& end) {
  if (end.kind > SOFTLBR_END_MAX_VALUE || end.condition > SOFTLBR_COND_MAX_VALUE) return false;
  if (!IsSlot(end.base) || !IsSlot(end.index) || !IsSlot(end.cond_reg)) return false;
  if (end.scale >= 64 || end.cond_bit >= 64) return false;
  if (end.load_bytes != 0 && !IsScalarWidth(end.load_bytes)) return false;
  const bool needs_width = end.condition == SOFTLBR_COND_REG_ZERO || end.condition == SOFTLBR_COND_REG_NONZERO ||
                           end.condition == SOFTLBR_COND_REG_NONZERO_AND_Z ||
                           end.condition == SOFTLBR_COND_REG_NONZERO_AND_NZ;
  return !needs_width || IsScalarWidth(end.cond_width);
}

}  // namespace softlbr
