// Flags and conditions from the last flag-setting op. Contract: flags.h.
//
// Operands are shifted so that bit 63 is their sign bit; one piece of code then serves all widths. The bits shifted in
// below are known to be 0.
#include "runtime/lookahead/values/flags.h"

namespace softlbr {
namespace {

// The known bits of an operand and their mask, with the sign bit at 63.
struct Aligned {
  uint64_t bits;  // UNKNOWN bits are 0
  uint64_t mask;
};

// Not inlined: there are twenty calls, and the archive has a budget.
SOFTLBR_NOINLINE Aligned Align(uint64_t bits, uint8_t known, uint32_t width) {
  const uint32_t shift = 64 - 8 * width;
  if (SOFTLBR_LIKELY(known == kAllBytesKnown)) return Aligned{bits << shift, ~uint64_t{0}};
  const uint64_t mask = (ExpandKnown(known) << shift) | ((uint64_t{1} << shift) - 1);
  return Aligned{(bits << shift) & mask, mask};
}

constexpr uint64_t kTop = uint64_t{1} << 63;

// a < b for every value that the UNKNOWN bits can take. Signed order is unsigned order with the top bit flipped.
inline Truth IsLess(Aligned a, Aligned b, bool is_signed) {
  const uint64_t flip = is_signed ? kTop : 0;
  const uint64_t a_min = (a.bits ^ flip) & a.mask;
  const uint64_t b_min = (b.bits ^ flip) & b.mask;
  if ((a_min | ~a.mask) < b_min) return Truth::kTrue;
  if (a_min >= (b_min | ~b.mask)) return Truth::kFalse;
  return Truth::kUnknown;
}

inline Truth Packed(const LazyFlags& f, uint8_t flag) {
  if ((f.packed_known & flag) == 0) return Truth::kUnknown;
  return TruthOf((f.packed & flag) != 0);
}

inline bool IsAddition(FlagsKind kind) {
  return kind == FlagsKind::kAdd || kind == FlagsKind::kAdc || kind == FlagsKind::kAddKeepC;
}
inline bool IsPlainSubtraction(FlagsKind kind) { return kind == FlagsKind::kSub || kind == FlagsKind::kSubNotBorrow; }

inline Truth AlignedIsZero(Aligned r) {
  if (r.bits != 0) return Truth::kFalse;
  return r.mask == ~uint64_t{0} ? Truth::kTrue : Truth::kUnknown;
}

Truth Zero(const LazyFlags& f) {
  if (f.kind == FlagsKind::kExplicit) return Packed(f, SOFTLBR_FLAG_Z);
  const Truth by_result = AlignedIsZero(Align(f.result, f.known_result, f.width));
  if (by_result != Truth::kUnknown || !IsPlainSubtraction(f.kind)) return by_result;
  const Aligned a = Align(f.a, f.known_a, f.width);
  const Aligned b = Align(f.b, f.known_b, f.width);
  return ((a.bits ^ b.bits) & a.mask & b.mask) != 0 ? Truth::kFalse : Truth::kUnknown;
}

Truth Sign(const LazyFlags& f) {
  if (f.kind == FlagsKind::kExplicit) return Packed(f, SOFTLBR_FLAG_S);
  const Aligned r = Align(f.result, f.known_result, f.width);
  if ((r.mask & kTop) == 0) return Truth::kUnknown;
  return TruthOf((r.bits & kTop) != 0);
}

Truth Parity(const LazyFlags& f) {
  if (f.kind == FlagsKind::kExplicit) return Packed(f, SOFTLBR_FLAG_P);
  if ((f.known_result & 1) == 0) return Truth::kUnknown;
  const uint32_t nibble = static_cast<uint32_t>(f.result ^ (f.result >> 4)) & 15;
  return TruthOf((0x6996u >> nibble & 1) == 0);
}

Truth Adjust(const LazyFlags& f) {
  if (f.kind == FlagsKind::kExplicit || f.kind == FlagsKind::kResult) return Packed(f, SOFTLBR_FLAG_A);
  if ((f.known_a & f.known_b & f.known_result & 1) == 0) return Truth::kUnknown;
  return TruthOf(((f.a ^ f.b ^ f.result) & 16) != 0);
}

// Carry out of the top bit, computed from the top bits of operands and result alone; valid for any carry in.
inline Truth CarryOfTopBits(const LazyFlags& f, Aligned a, Aligned b) {
  const Aligned r = Align(f.result, f.known_result, f.width);
  if ((a.mask & b.mask & r.mask & kTop) == 0) return Truth::kUnknown;
  const uint64_t x = IsAddition(f.kind) ? a.bits : ~a.bits;
  const uint64_t s = IsAddition(f.kind) ? ~r.bits : r.bits;
  return TruthOf((((x & b.bits) | ((x | b.bits) & s)) & kTop) != 0);
}

Truth Carry(const LazyFlags& f) {
  switch (f.kind) {
    case FlagsKind::kExplicit:
    case FlagsKind::kResult:
    case FlagsKind::kAddKeepC:
    case FlagsKind::kSubKeepC: return Packed(f, SOFTLBR_FLAG_C);
    default: break;
  }
  const Aligned a = Align(f.a, f.known_a, f.width);
  const Aligned b = Align(f.b, f.known_b, f.width);
  switch (f.kind) {
    case FlagsKind::kSub: return IsLess(a, b, false);
    case FlagsKind::kSubNotBorrow: return Not(IsLess(a, b, false));
    case FlagsKind::kSbbNotBorrow: return Not(CarryOfTopBits(f, a, b));
    case FlagsKind::kAdd: {
      const Truth by_top = CarryOfTopBits(f, a, b);
      if (by_top != Truth::kUnknown) return by_top;
      if (a.bits + b.bits < a.bits) return Truth::kTrue;  // the smallest sum carries
      const uint64_t a_max = a.bits | ~a.mask;
      const uint64_t b_max = b.bits | ~b.mask;
      return a_max + b_max < a_max ? Truth::kUnknown : Truth::kFalse;
    }
    default: return CarryOfTopBits(f, a, b);
  }
}

Truth Overflow(const LazyFlags& f) {
  if (f.kind == FlagsKind::kExplicit || f.kind == FlagsKind::kResult) return Packed(f, SOFTLBR_FLAG_V);
  const Aligned a = Align(f.a, f.known_a, f.width);
  const Aligned b = Align(f.b, f.known_b, f.width);
  if ((a.mask & b.mask & kTop) == 0) return Truth::kUnknown;
  // Only operands of equal sign (addition) or of different sign (subtraction) can overflow.
  const bool signs_differ = ((a.bits ^ b.bits) & kTop) != 0;
  if (signs_differ == IsAddition(f.kind)) return Truth::kFalse;
  const Aligned r = Align(f.result, f.known_result, f.width);
  if ((r.mask & kTop) == 0) return Truth::kUnknown;
  return TruthOf(((a.bits ^ r.bits) & kTop) != 0);
}

Truth LessSigned(const LazyFlags& f) {
  if (IsPlainSubtraction(f.kind)) {
    return IsLess(Align(f.a, f.known_a, f.width), Align(f.b, f.known_b, f.width), true);
  }
  return Xor(Sign(f), Overflow(f));
}

}  // namespace

Truth FlagValue(const LazyFlags& flags, uint8_t flag) {
  switch (flag) {
    case SOFTLBR_FLAG_C: return Carry(flags);
    case SOFTLBR_FLAG_P: return Parity(flags);
    case SOFTLBR_FLAG_A: return Adjust(flags);
    case SOFTLBR_FLAG_Z: return Zero(flags);
    case SOFTLBR_FLAG_S: return Sign(flags);
    case SOFTLBR_FLAG_V: return Overflow(flags);
    default: return Truth::kUnknown;
  }
}

Truth EvaluateCondition(const LazyFlags& flags, uint32_t condition) {
  Truth truth = Truth::kUnknown;
  switch (condition & ~1u) {
    case SOFTLBR_COND_ALWAYS: truth = Truth::kTrue; break;
    case SOFTLBR_COND_Z: truth = Zero(flags); break;
    case SOFTLBR_COND_C: truth = Carry(flags); break;
    case SOFTLBR_COND_S: truth = Sign(flags); break;
    case SOFTLBR_COND_V: truth = Overflow(flags); break;
    case SOFTLBR_COND_P: truth = Parity(flags); break;
    case SOFTLBR_COND_BE:
      if (flags.kind == FlagsKind::kSub) {  // a <= b: not b < a
        truth =
            Not(IsLess(Align(flags.b, flags.known_b, flags.width), Align(flags.a, flags.known_a, flags.width), false));
      } else {
        truth = Or(Carry(flags), Zero(flags));
      }
      break;
    case SOFTLBR_COND_LT: truth = LessSigned(flags); break;
    case SOFTLBR_COND_LE:
      if (IsPlainSubtraction(flags.kind)) {
        truth =
            Not(IsLess(Align(flags.b, flags.known_b, flags.width), Align(flags.a, flags.known_a, flags.width), true));
      } else {
        truth = Or(Zero(flags), LessSigned(flags));
      }
      break;
    case SOFTLBR_COND_HI:
      if (flags.kind == FlagsKind::kSubNotBorrow) {  // a > b: b < a
        truth = IsLess(Align(flags.b, flags.known_b, flags.width), Align(flags.a, flags.known_a, flags.width), false);
      } else {
        truth = And(Carry(flags), Not(Zero(flags)));
      }
      break;
    default: return Truth::kUnknown;
  }
  return (condition & 1) != 0 ? Not(truth) : truth;
}

void SettleFlags(LazyFlags* flags) {
  if (flags->kind == FlagsKind::kExplicit) return;
  uint8_t packed = 0;
  uint8_t known = 0;
  PackFlag(SOFTLBR_FLAG_C, Carry(*flags), &packed, &known);
  PackFlag(SOFTLBR_FLAG_P, Parity(*flags), &packed, &known);
  PackFlag(SOFTLBR_FLAG_A, Adjust(*flags), &packed, &known);
  PackFlag(SOFTLBR_FLAG_Z, Zero(*flags), &packed, &known);
  PackFlag(SOFTLBR_FLAG_S, Sign(*flags), &packed, &known);
  PackFlag(SOFTLBR_FLAG_V, Overflow(*flags), &packed, &known);
  SetExplicitFlags(flags, packed, known);
}

void ReplaceCarry(LazyFlags* flags, Truth carry) {
  switch (flags->kind) {
    case FlagsKind::kAdd:
    case FlagsKind::kAdc: flags->kind = FlagsKind::kAddKeepC; break;
    case FlagsKind::kSub:
    case FlagsKind::kSubNotBorrow:
      // Z may follow from the operands alone; after the change of kind it could no longer be computed.
      if (flags->known_result != kAllBytesKnown) SettleFlags(flags);
      if (flags->kind != FlagsKind::kExplicit) flags->kind = FlagsKind::kSubKeepC;
      break;
    case FlagsKind::kSbb:
    case FlagsKind::kSbbNotBorrow: flags->kind = FlagsKind::kSubKeepC; break;
    default: break;
  }
  flags->packed = static_cast<uint8_t>(flags->packed & ~SOFTLBR_FLAG_C);
  flags->packed_known = static_cast<uint8_t>(flags->packed_known & ~SOFTLBR_FLAG_C);
  PackFlag(SOFTLBR_FLAG_C, carry, &flags->packed, &flags->packed_known);
}

void ReplaceFlags(LazyFlags* flags, uint8_t mask, uint8_t packed, uint8_t packed_known) {
  if (mask != SOFTLBR_FLAG_ALL) SettleFlags(flags);
  SetExplicitFlags(flags, static_cast<uint8_t>((flags->packed & ~mask) | (packed & packed_known & mask)),
                   static_cast<uint8_t>((flags->packed_known & ~mask) | (packed_known & mask)));
}

Truth IsZero(Value value, uint32_t width) { return AlignedIsZero(Align(value.bits, value.known, width)); }

Truth SignOf(Value value, uint32_t width) {
  if ((value.known >> (width - 1) & 1) == 0) return Truth::kUnknown;
  return TruthOf((value.bits >> (8 * width - 1) & 1) != 0);
}

}  // namespace softlbr
