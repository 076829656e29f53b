// Integer arithmetic and logic. Contract: ops.h.
//
// Known bytes: carries and products propagate upwards only, so the bytes below the lowest UNKNOWN one are known. Logic
// is exact bit by bit.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/wide_division.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

void SetFlagsOf(Evaluator* evaluator, const softlbr_uop& uop, FlagsKind kind, Value a, Value b, Value result) {
  LazyFlags* lazy = &evaluator->lazy;
  if ((uop.flags & SOFTLBR_UOP_KEEP_C) == 0) {
    SetArithmeticFlags(lazy, kind, uop.width, a, b, result);
    return;
  }
  const Truth carry = FlagValue(*lazy, SOFTLBR_FLAG_C);
  const bool is_addition = kind == FlagsKind::kAdd || kind == FlagsKind::kAdc;
  SetArithmeticFlags(lazy, is_addition ? FlagsKind::kAddKeepC : FlagsKind::kSubKeepC, uop.width, a, b, result);
  lazy->packed = 0;
  lazy->packed_known = 0;
  PackFlag(SOFTLBR_FLAG_C, carry, &lazy->packed, &lazy->packed_known);
}

void Add(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b, Truth carry) {
  Value result = {a.bits + b.bits + (carry == Truth::kTrue ? 1 : 0), 0};
  if (carry != Truth::kUnknown) result.known = KnownRunFromBottom(a.known & b.known);
  if (carry == Truth::kFalse && IsKnownZero(b, uop.width)) result.known = a.known;
  if (SetsFlags(uop)) {
    const FlagsKind kind = uop.op == SOFTLBR_OP_ADD ? FlagsKind::kAdd : FlagsKind::kAdc;
    SetFlagsOf(evaluator, uop, kind, a, b, result);
  }
  WriteResult(&evaluator->context, uop, result);
}

void Subtract(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b, Truth borrow) {
  if (uop.op != SOFTLBR_OP_NEG && AreOperandsSame(uop)) a = b = Value{0, kAllBytesKnown};
  Value result = {a.bits - b.bits - (borrow == Truth::kTrue ? 1 : 0), 0};
  if (borrow != Truth::kUnknown) result.known = KnownRunFromBottom(a.known & b.known);
  if (borrow == Truth::kFalse && IsKnownZero(b, uop.width)) result.known = a.known;
  if (SetsFlags(uop)) {
    const bool not_borrow = (uop.flags & SOFTLBR_UOP_CARRY_NOT_BORROW) != 0;
    FlagsKind kind = not_borrow ? FlagsKind::kSubNotBorrow : FlagsKind::kSub;
    if (uop.op == SOFTLBR_OP_SBB) kind = not_borrow ? FlagsKind::kSbbNotBorrow : FlagsKind::kSbb;
    SetFlagsOf(evaluator, uop, kind, a, b, result);
  }
  WriteResult(&evaluator->context, uop, result);
}

Value AndBits(Value a, Value b) {
  const uint64_t a_mask = ExpandKnown(a.known);
  const uint64_t b_mask = ExpandKnown(b.known);
  const uint64_t known = (a_mask & b_mask) | (a_mask & ~a.bits) | (b_mask & ~b.bits);
  return Value{a.bits & b.bits & known, CompressKnown(known)};
}
Value NotBits(Value a) { return Value{~a.bits, a.known}; }
Value OrBits(Value a, Value b) { return NotBits(AndBits(NotBits(a), NotBits(b))); }

void Logic(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  Value result = kUnknownValue;
  switch (uop.op) {
    case SOFTLBR_OP_AND: result = AndBits(a, b); break;
    case SOFTLBR_OP_OR: result = OrBits(a, b); break;
    case SOFTLBR_OP_XOR:
      result = Value{a.bits ^ b.bits, static_cast<uint8_t>(a.known & b.known)};
      if (AreOperandsSame(uop)) result = Value{0, kAllBytesKnown};
      break;
    case SOFTLBR_OP_ANDN:
      result = (uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? AndBits(NotBits(b), a) : AndBits(NotBits(a), b);
      if (AreOperandsSame(uop)) result = Value{0, kAllBytesKnown};
      break;
    default:  // ORN
      result = OrBits(a, NotBits(b));
      if (AreOperandsSame(uop)) result = Value{~uint64_t{0}, kAllBytesKnown};
      break;
  }
  if (SetsFlags(uop)) {
    SetLogicFlags(&evaluator->lazy, uop.width, result);
    const bool is_negated = uop.op == SOFTLBR_OP_ANDN || uop.op == SOFTLBR_OP_ORN;  // x86 leaves their P undefined
    if (is_negated) ReplaceFlags(&evaluator->lazy, SOFTLBR_FLAG_P, 0, 0);
  }
  WriteResult(&evaluator->context, uop, result);
}

uint64_t Extend(uint64_t bits, uint32_t width, bool is_signed) {
  return is_signed ? SignExtendBits(bits, width) : bits & WidthBits(width);
}

// Full product of two operands extended to 64 bits.
Uint128 Product(uint64_t a, uint64_t b, bool is_signed) {
  Uint128 product = static_cast<Uint128>(a) * b;
  if (is_signed) {  // for each negative operand, subtract 2^64 times the other one
    if (static_cast<int64_t>(a) < 0) product -= static_cast<Uint128>(b) << 64;
    if (static_cast<int64_t>(b) < 0) product -= static_cast<Uint128>(a) << 64;
  }
  return product;
}

void Multiply(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  const uint32_t width = uop.width;
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  const bool is_known = IsKnown(a, width) && IsKnown(b, width);
  const bool is_zero = IsKnownZero(a, width) || IsKnownZero(b, width);
  const uint64_t x = Extend(a.bits, width, is_signed);
  const uint64_t y = Extend(b.bits, width, is_signed);
  const Uint128 product = Product(x, y, is_signed);
  const uint64_t low = static_cast<uint64_t>(product);
  Value result = {0, kAllBytesKnown};
  if (!is_zero && uop.op == SOFTLBR_OP_MUL) {
    result = Value{low, KnownRunFromBottom(a.known & b.known)};
  } else if (!is_zero) {
    result = Value{static_cast<uint64_t>(product >> (8 * width)), is_known ? kAllBytesKnown : uint8_t{0}};
  }
  if (SetsFlags(uop) && uop.op == SOFTLBR_OP_MUL) {
    const uint64_t extended = Extend(low, width, is_signed);
    const uint64_t extended_high = is_signed && static_cast<int64_t>(extended) < 0 ? ~uint64_t{0} : 0;
    const bool fits = extended == low && extended_high == static_cast<uint64_t>(product >> 64);
    const uint8_t both = SOFTLBR_FLAG_C | SOFTLBR_FLAG_V;
    const bool is_set = !is_zero && !fits;
    SetExplicitFlags(&evaluator->lazy, is_set ? both : uint8_t{0}, is_known || is_zero ? both : uint8_t{0});
  }
  WriteResult(&evaluator->context, uop, result);
}

// A64 division: x / 0 = 0, and the most negative value divided by -1 is itself.
Division DivideA64(uint64_t dividend, uint64_t divisor, uint32_t width, bool is_signed) {
  const uint64_t x = Extend(dividend, width, is_signed);
  const uint64_t y = Extend(divisor, width, is_signed);
  if (y == 0) return Division{0, x};
  if (!is_signed) return Division{x / y, x % y};
  const bool is_x_negative = static_cast<int64_t>(x) < 0;
  const bool is_y_negative = static_cast<int64_t>(y) < 0;
  const uint64_t x_magnitude = is_x_negative ? -x : x;
  const uint64_t y_magnitude = is_y_negative ? -y : y;
  const uint64_t quotient = x_magnitude / y_magnitude;
  const uint64_t remainder = x_magnitude % y_magnitude;
  return Division{is_x_negative != is_y_negative ? -quotient : quotient, is_x_negative ? -remainder : remainder};
}

UopResult Divide(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  const uint32_t width = uop.width;
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  const bool is_a64 = (uop.flags & SOFTLBR_UOP_NEGATE) != 0;
  const Value high = ReadSlot(evaluator->context, static_cast<uint32_t>(uop.imm));
  Value result = kUnknownValue;
  Division division = {0, 0};
  if (is_a64) {
    if (IsKnown(a, width) && IsKnown(b, width)) {
      division = DivideA64(a.bits, b.bits, width, is_signed);
      result.known = kAllBytesKnown;
    }
  } else if (IsKnownZero(b, width)) {
    return UopResult::kTrap;
  } else if (IsKnown(a, width) && IsKnown(b, width) && IsKnown(high, width)) {
    if (!DivideX86(high.bits, a.bits, b.bits, width, is_signed, &division)) return UopResult::kTrap;
    result.known = kAllBytesKnown;
  }
  result.bits = uop.op == SOFTLBR_OP_DIV ? division.quotient : division.remainder;
  if (SetsFlags(uop)) SetExplicitFlags(&evaluator->lazy, 0, 0);
  WriteResult(&evaluator->context, uop, result);
  return UopResult::kOk;
}

}  // namespace

UopResult RunIntegerUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Value a = OperandA(evaluator->context, uop);
  const Value b = OperandB(evaluator->context, uop);
  switch (uop.op) {
    case SOFTLBR_OP_ADD: Add(evaluator, uop, a, b, Truth::kFalse); break;
    case SOFTLBR_OP_ADC: Add(evaluator, uop, a, b, FlagValue(evaluator->lazy, SOFTLBR_FLAG_C)); break;
    case SOFTLBR_OP_SUB: Subtract(evaluator, uop, a, b, Truth::kFalse); break;
    case SOFTLBR_OP_SBB: {
      const Truth carry = FlagValue(evaluator->lazy, SOFTLBR_FLAG_C);
      Subtract(evaluator, uop, a, b, (uop.flags & SOFTLBR_UOP_CARRY_NOT_BORROW) != 0 ? Not(carry) : carry);
      break;
    }
    case SOFTLBR_OP_NEG: Subtract(evaluator, uop, Value{0, kAllBytesKnown}, a, Truth::kFalse); break;
    case SOFTLBR_OP_NOT: WriteResult(&evaluator->context, uop, NotBits(a)); break;
    case SOFTLBR_OP_MUL:
    case SOFTLBR_OP_MUL_HIGH: Multiply(evaluator, uop, a, b); break;
    case SOFTLBR_OP_DIV:
    case SOFTLBR_OP_REM: return Divide(evaluator, uop, a, b);
    default: Logic(evaluator, uop, a, b); break;
  }
  return UopResult::kOk;
}

}  // namespace softlbr
