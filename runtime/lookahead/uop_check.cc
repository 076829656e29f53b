// Contract: uop_check.h.
#include "runtime/lookahead/uop_check.h"

namespace softlbr {
namespace {

constexpr uint32_t kMaxVectorBytes = 64;

// Not inlined: there are a hundred calls, and the archive has a budget.
SOFTLBR_NOINLINE bool IsScalarWidth(uint32_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
SOFTLBR_NOINLINE bool IsVectorWidth(uint32_t width) {
  return width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}
SOFTLBR_NOINLINE bool IsRegisterSlot(int64_t slot) { return slot >= 0 && slot < SOFTLBR_REG_COUNT; }

// Beyond 16 bytes ReadVector reads a whole register.
SOFTLBR_NOINLINE bool IsVector(int64_t slot, uint32_t bytes) {
  if (bytes > kMaxVectorBytes) return false;
  const int64_t regs = bytes > 16 ? SOFTLBR_SLOTS_PER_VECTOR : (bytes + 7) / 8;
  return slot >= SOFTLBR_REG_GENERAL && slot + regs <= SOFTLBR_REG_COUNT;
}

// dst may not be SOFTLBR_REG_BLOCK: the rest of the block addresses code relative to it.
SOFTLBR_NOINLINE bool AreScalarSlots(const softlbr_uop& uop) {
  return IsRegisterSlot(uop.dst) && uop.dst != SOFTLBR_REG_BLOCK && IsRegisterSlot(uop.a) && IsRegisterSlot(uop.b);
}
SOFTLBR_NOINLINE bool IsScalar(const softlbr_uop& uop) {
  constexpr uint32_t kHigh = SOFTLBR_UOP_A_HIGH | SOFTLBR_UOP_B_HIGH | SOFTLBR_UOP_DST_HIGH;
  const bool is_high_allowed = uop.width == 1 || uop.op == SOFTLBR_OP_SIGN_EXTEND || uop.op == SOFTLBR_OP_ZERO_EXTEND;
  return IsScalarWidth(uop.width) && AreScalarSlots(uop) && ((uop.flags & kHigh) == 0 || is_high_allowed);
}
SOFTLBR_NOINLINE bool IsAddress(const softlbr_uop& uop) { return IsRegisterSlot(uop.a) && IsRegisterSlot(uop.b) && uop.aux < 64; }

SOFTLBR_NOINLINE bool HasLanes(const softlbr_uop& uop) { return IsScalarWidth(uop.aux) && uop.width % uop.aux == 0; }

// dst and a are vectors of uop.width; b is not read.
SOFTLBR_NOINLINE bool IsUnaryVectorUop(const softlbr_uop& uop) {
  return IsVectorWidth(uop.width) && IsVector(uop.dst, uop.width) && IsVector(uop.a, uop.width);
}
SOFTLBR_NOINLINE bool IsVectorUop(const softlbr_uop& uop) { return IsUnaryVectorUop(uop) && IsVector(uop.b, uop.width); }
// a and b are vectors, dst a scalar register slot.
SOFTLBR_NOINLINE bool IsVectorToScalar(const softlbr_uop& uop) {
  return IsVectorWidth(uop.width) && IsVector(uop.a, uop.width) && IsRegisterSlot(uop.dst) && uop.dst != SOFTLBR_REG_BLOCK;
}

bool CheckMemory(const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_LOAD:
    case SOFTLBR_OP_STORE: return IsScalar(uop) && IsAddress(uop);
    case SOFTLBR_OP_STORE_UNKNOWN: return IsAddress(uop) && uop.width <= kMaxVectorBytes && IsRegisterSlot(uop.dst);
    case SOFTLBR_OP_VLOAD: {
      const uint32_t tail = uop.width % 8;
      return IsAddress(uop) && uop.width != 0 && (tail == 0 || IsScalarWidth(tail)) && IsVector(uop.dst, uop.width);
    }
    case SOFTLBR_OP_VSTORE: return IsAddress(uop) && uop.width != 0 && IsVector(uop.dst, uop.width);
    case SOFTLBR_OP_VLOAD_MASKED:
    case SOFTLBR_OP_VSTORE_MASKED:
      return AreScalarSlots(uop) && uop.width >= 8 && IsVectorWidth(uop.width) && IsVector(uop.dst, uop.width);
    default: return true;
  }
}

bool CheckScalar(const softlbr_uop& uop) {
  if (!IsScalar(uop)) return false;
  const bool is_string = uop.op >= SOFTLBR_OP_STRING_MOVE && uop.op <= SOFTLBR_OP_STRING_COMPARE;
  // These write their pointers and count as well.
  if (is_string && (uop.a == SOFTLBR_REG_BLOCK || uop.b == SOFTLBR_REG_BLOCK)) return false;
  switch (uop.op) {
    case SOFTLBR_OP_SIGN_EXTEND:
    case SOFTLBR_OP_ZERO_EXTEND:
    case SOFTLBR_OP_BYTE_SWAP_LANES:
    case SOFTLBR_OP_CRC32C: return IsScalarWidth(uop.aux);
    case SOFTLBR_OP_ADDRESS: return uop.aux < 64;
    case SOFTLBR_OP_STRING_STORE:
    case SOFTLBR_OP_STRING_SCAN:
    case SOFTLBR_OP_DIV:
    case SOFTLBR_OP_REM:
    case SOFTLBR_OP_MADD:
    case SOFTLBR_OP_MADD_LONG: return IsRegisterSlot(uop.imm);
    case SOFTLBR_OP_SHLD:
    case SOFTLBR_OP_SHRD: return uop.imm < 0 || IsRegisterSlot(uop.imm);
    case SOFTLBR_OP_BITFIELD: return uop.width >= 4;
    case SOFTLBR_OP_SETCC:
    case SOFTLBR_OP_SELECT:
    case SOFTLBR_OP_CCMP: return uop.aux <= SOFTLBR_COND_LS;
    default: return true;
  }
}

bool CheckShuffle(const softlbr_uop& uop) {
  const int64_t end = int64_t{uop.aux} * (int64_t{uop.imm} + 1);  // end of lane imm, in bytes
  const bool has_wide_lanes = IsScalarWidth(uop.aux) || uop.aux == 16 || uop.aux == 32;
  switch (uop.op) {
    case SOFTLBR_OP_VZERO_ABOVE:
      return uop.width <= kMaxVectorBytes && uop.imm >= 0 && uop.imm < SOFTLBR_VECTOR_REGISTERS && uop.dst >= SOFTLBR_REG_GENERAL &&
             int64_t{uop.dst} + SOFTLBR_SLOTS_PER_VECTOR * (int64_t{uop.imm} + 1) <= SOFTLBR_REG_COUNT;
    case SOFTLBR_OP_VBROADCAST:
      return has_wide_lanes && IsVectorWidth(uop.width) && uop.width % uop.aux == 0 && IsVector(uop.dst, uop.width) &&
             (IsVector(uop.a, uop.aux) || (uop.aux <= 8 && IsRegisterSlot(uop.a)));
    case SOFTLBR_OP_VINSERT:
      return has_wide_lanes && uop.imm >= 0 && end <= kMaxVectorBytes && IsVector(uop.dst, static_cast<uint32_t>(end)) &&
             (IsVector(uop.a, uop.aux) || (uop.aux <= 8 && IsRegisterSlot(uop.a)));
    case SOFTLBR_OP_VEXTRACT:
      return IsScalar(uop) && IsScalarWidth(uop.aux) && uop.imm >= 0 && end <= kMaxVectorBytes &&
             IsVector(uop.a, static_cast<uint32_t>(end));
    case SOFTLBR_OP_VEXTRACT_WIDE:
      return (uop.width == 8 || uop.width == 16 || uop.width == 32) && uop.imm >= 0 &&
             int64_t{uop.width} * (int64_t{uop.imm} + 1) <= kMaxVectorBytes && IsVector(uop.a, kMaxVectorBytes) &&
             IsVector(uop.dst, uop.width);
    case SOFTLBR_OP_VSHUFFLE: return IsUnaryVectorUop(uop) && uop.width >= 8 && HasLanes(uop) && uop.aux >= 2;
    case SOFTLBR_OP_VSHUFFLE2: return IsVectorUop(uop) && uop.width >= 16 && HasLanes(uop) && uop.aux >= 4;
    case SOFTLBR_OP_VPERM2_128: return IsVectorUop(uop) && uop.width == 32;
    case SOFTLBR_OP_VPERMUTE:
      if ((uop.flags & SOFTLBR_UOP_B_IMM) != 0) return IsUnaryVectorUop(uop) && uop.width >= 32;
      return IsVectorUop(uop) && HasLanes(uop);
    case SOFTLBR_OP_VUNPACK_LOW:
    case SOFTLBR_OP_VUNPACK_HIGH: return IsVectorUop(uop) && uop.width >= 8 && HasLanes(uop) && 2 * uop.aux <= uop.width;
    case SOFTLBR_OP_VPACK: return IsVectorUop(uop) && uop.width >= 8 && HasLanes(uop) && uop.aux >= 2;
    case SOFTLBR_OP_VEXTEND:
    case SOFTLBR_OP_VTRUNCATE:
      return IsUnaryVectorUop(uop) && HasLanes(uop) && uop.imm > 0 && uop.imm <= 8 &&
             IsScalarWidth(static_cast<uint32_t>(uop.imm)) && uop.width % uop.imm == 0;
    case SOFTLBR_OP_VMOV: return uop.width != 0 && IsVector(uop.dst, uop.width) && IsVector(uop.a, uop.width);
    case SOFTLBR_OP_VBYTE_SHL:
    case SOFTLBR_OP_VBYTE_SHR: return IsUnaryVectorUop(uop) && uop.width >= 8;
    default:  // VALIGN, VSHUFFLE_BYTES
      return IsVectorUop(uop) && uop.width >= 8;
  }
}

bool CheckVector(const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_VAND:
    case SOFTLBR_OP_VOR:
    case SOFTLBR_OP_VXOR:
    case SOFTLBR_OP_VANDN:
    case SOFTLBR_OP_VTERNARY: return IsVectorUop(uop);
    case SOFTLBR_OP_VMUL_EVEN:
    case SOFTLBR_OP_VMUL_ADD_PAIRS:
    case SOFTLBR_OP_VMUL_ADD_UBSB:
    case SOFTLBR_OP_VSUM_ABS_DIFF: return IsVectorUop(uop) && uop.width >= 8;
    case SOFTLBR_OP_VABS: return IsUnaryVectorUop(uop) && HasLanes(uop);
    case SOFTLBR_OP_VSHL:
    case SOFTLBR_OP_VSHR:
    case SOFTLBR_OP_VSAR:  // the count is a register slot
      return IsUnaryVectorUop(uop) && IsRegisterSlot(uop.b) && HasLanes(uop);
    case SOFTLBR_OP_VTEST: return IsVectorWidth(uop.width) && IsVector(uop.a, uop.width) && IsVector(uop.b, uop.width);
    case SOFTLBR_OP_VMASK_BITS: return IsVectorToScalar(uop) && HasLanes(uop);
    case SOFTLBR_OP_VCMP_MASK:
    case SOFTLBR_OP_VTEST_MASK: return IsVectorToScalar(uop) && IsVector(uop.b, uop.width) && HasLanes(uop);
    case SOFTLBR_OP_VMASK_TO_LANES:
      return IsVectorWidth(uop.width) && IsVector(uop.dst, uop.width) && IsRegisterSlot(uop.a) && HasLanes(uop);
    case SOFTLBR_OP_VSELECT_MASK: return IsVectorUop(uop) && HasLanes(uop) && IsRegisterSlot(uop.imm);
    case SOFTLBR_OP_VBLEND_VAR: return IsVectorUop(uop) && HasLanes(uop) && IsVector(uop.imm, uop.width);
    case SOFTLBR_OP_STRING_INDEX:
      return IsVector(uop.a, 16) && IsVector(uop.b, 16) && IsRegisterSlot(uop.dst) && uop.dst != SOFTLBR_REG_BLOCK;
    case SOFTLBR_OP_CARRYLESS_MUL: return IsVectorUop(uop) && uop.width >= 16;
    default: return IsVectorUop(uop) && HasLanes(uop);
  }
}

bool IsFloatLane(uint32_t bytes) { return bytes == 4 || bytes == 8; }

bool CheckFloat(const softlbr_uop& uop) {
  if (uop.op == SOFTLBR_OP_ROUNDING) return IsRegisterSlot(uop.a) && uop.aux < 32;
  const bool is_scalar = (uop.flags & SOFTLBR_UOP_SCALAR) != 0;
  if (uop.op == SOFTLBR_OP_FLOAT_TO_FLOAT) {
    const bool has_formats = (uop.aux == 2 || IsFloatLane(uop.aux)) && (uop.imm == 2 || uop.imm == 4 || uop.imm == 8);
    return has_formats && IsVectorWidth(uop.width) && uop.width % uop.aux == 0 && uop.width % uop.imm == 0 &&
           IsVector(uop.dst, uop.width) && IsVector(uop.a, uop.width);
  }
  if (!IsFloatLane(uop.aux)) return false;
  const uint32_t bytes = is_scalar ? 16 : uop.width;
  const uint32_t b_bytes = is_scalar ? uop.aux : uop.width;
  switch (uop.op) {
    case SOFTLBR_OP_FCMP_FLAGS: return IsVector(uop.a, uop.aux) && IsVector(uop.b, uop.aux);
    case SOFTLBR_OP_FCMP_MASK: return IsVectorToScalar(uop) && IsVector(uop.b, uop.width) && uop.width % uop.aux == 0;
    case SOFTLBR_OP_INT_TO_FLOAT: return IsScalarWidth(uop.width) && IsRegisterSlot(uop.a) && IsVector(uop.dst, uop.aux);
    case SOFTLBR_OP_FLOAT_TO_INT:
      return (uop.width == 4 || uop.width == 8) && IsVector(uop.a, uop.aux) && IsRegisterSlot(uop.dst) &&
             uop.dst != SOFTLBR_REG_BLOCK;
    case SOFTLBR_OP_INTS_TO_FLOATS:
    case SOFTLBR_OP_FLOATS_TO_INTS: return IsUnaryVectorUop(uop) && uop.width % uop.aux == 0;
    case SOFTLBR_OP_FHADD:
    case SOFTLBR_OP_FADDSUB: return IsVectorUop(uop) && uop.width >= 16;
    default:
      if (!is_scalar && (!IsVectorWidth(uop.width) || uop.width % uop.aux != 0)) return false;
      if (uop.op == SOFTLBR_OP_FMADD && !IsVector(uop.imm, b_bytes)) return false;
      return IsVector(uop.dst, bytes) && IsVector(uop.a, bytes) && IsVector(uop.b, b_bytes);
  }
}

}  // namespace

bool IsUopWellFormed(const softlbr_uop& uop) {
  const uint32_t op = uop.op;
  if (op > SOFTLBR_OP_MAX_VALUE) return false;
  if (op == SOFTLBR_OP_NOP) return true;
  if (op == SOFTLBR_OP_UNKNOWN) {
    if (IsScalarWidth(uop.width)) return IsRegisterSlot(uop.dst) && uop.dst != SOFTLBR_REG_BLOCK;
    return uop.width != 0 && IsVector(uop.dst, uop.width);
  }
  if ((op >= SOFTLBR_OP_LOAD && op <= SOFTLBR_OP_CLOBBER_MEMORY) || op >= SOFTLBR_OP_VLOAD_MASKED) return CheckMemory(uop);
  switch (op) {
    case SOFTLBR_OP_CONST_HIGH:
    case SOFTLBR_OP_GET_FLAGS:
    case SOFTLBR_OP_SET_FLAGS_FROM: return AreScalarSlots(uop);
    case SOFTLBR_OP_CLOBBER_FLAGS:
    case SOFTLBR_OP_FLAGS_CONST:
    case SOFTLBR_OP_FLIP_CARRY: return true;
    default: break;
  }
  if (op <= SOFTLBR_OP_CCMP || op >= SOFTLBR_OP_POINTER_SIGN) return CheckScalar(uop);
  if (op >= SOFTLBR_OP_FADD) return CheckFloat(uop);
  const bool is_shuffle = op < SOFTLBR_OP_VAND || (op >= SOFTLBR_OP_VBYTE_SHL && op <= SOFTLBR_OP_VTRUNCATE);
  return is_shuffle ? CheckShuffle(uop) : CheckVector(uop);
}

bool IsTerminatorWellFormed(const softlbr_terminator& end) {
  if (end.kind > SOFTLBR_END_MAX_VALUE || end.condition > SOFTLBR_COND_MAX_VALUE) return false;
  if (!IsRegisterSlot(end.base) || !IsRegisterSlot(end.index) || !IsRegisterSlot(end.cond_reg)) return false;
  if (end.scale >= 64 || end.cond_bit >= 64) return false;
  if (end.load_bytes != 0 && !IsScalarWidth(end.load_bytes)) return false;
  const bool needs_width = end.condition == SOFTLBR_COND_REG_ZERO || end.condition == SOFTLBR_COND_REG_NONZERO ||
                           end.condition == SOFTLBR_COND_REG_NONZERO_AND_Z || end.condition == SOFTLBR_COND_REG_NONZERO_AND_NZ;
  return !needs_width || IsScalarWidth(end.cond_width);
}

}  // namespace softlbr
