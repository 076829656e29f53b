// x86-64's tests, scans and fields of bits. Contract: ops.h.
#include "runtime/lookahead/ops/bit_index.h"
#include "runtime/lookahead/ops/ops.h"

namespace softlbr {
namespace {

// BIT_TEST, BIT_SET, BIT_CLEAR, BIT_FLIP.
void BitAccess(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  Truth bit = Truth::kUnknown;
  Value result = kUnknownValue;
  if ((b.known & 1) != 0) {
    const uint32_t index = static_cast<uint32_t>(b.bits % (8 * uop.width));
    const uint64_t one = uint64_t{1} << index;
    if ((a.known >> (index / 8) & 1) != 0) bit = TruthOf((a.bits & one) != 0);
    result = a;
    if (uop.op == SOFTLBR_OP_BIT_SET) result.bits |= one;
    if (uop.op == SOFTLBR_OP_BIT_CLEAR) result.bits &= ~one;
    if (uop.op == SOFTLBR_OP_BIT_FLIP) result.bits ^= one;
  }
  if (SetsFlags(uop)) ReplaceCarry(&evaluator->lazy, bit);
  if (uop.op != SOFTLBR_OP_BIT_TEST) WriteResult(&evaluator->context, uop, result);
}

// BSF, BSR.
void BitScan(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  const uint32_t width = uop.width;
  const Truth zero = IsZero(a, width);
  Value result = kUnknownValue;
  if (zero == Truth::kTrue) {
    result = b;
  } else {
    const BitIndex found = uop.op == SOFTLBR_OP_BSF ? LowestOne(a, width) : HighestOne(a, width);
    if (found.is_known) {
      result = Value{found.index, kAllBytesKnown};
    } else if (zero == Truth::kFalse) {
      result = Value{0, 0xfe};  // an UNKNOWN index, which fits the low byte
    }
  }
  if (SetsFlags(uop)) SetCarryZeroSign(evaluator, Truth::kUnknown, zero, Truth::kUnknown);
  WriteResult(&evaluator->context, uop, result);
}

// BEXTR.
void FieldExtract(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  const uint32_t width = uop.width;
  Value result = kUnknownValue;
  if ((b.known & 3) == 3) {
    const uint32_t start = static_cast<uint32_t>(b.bits & 0xff);
    const uint64_t ones = LowOnes(static_cast<uint32_t>(b.bits >> 8 & 0xff));
    result = Value{0, kAllBytesKnown};
    if (start < 8 * width) {
      const uint64_t width_bits = WidthBits(width);
      const uint64_t moved = (a.bits & width_bits) >> start;
      const uint64_t mask = ((ExpandKnown(a.known) | ~width_bits) >> start) | ~(~uint64_t{0} >> start);
      result = Value{moved & ones, CompressKnown(mask | ~ones)};
    }
  }
  if (SetsFlags(uop)) {
    SetCarryZeroSign(evaluator, Truth::kFalse, IsZero(result, width), Truth::kUnknown);
    evaluator->lazy.packed_known = static_cast<uint8_t>(evaluator->lazy.packed_known | SOFTLBR_FLAG_V);
  }
  WriteResult(&evaluator->context, uop, result);
}

}  // namespace

void RunBitScanUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Value a = OperandA(evaluator->context, uop);
  const Value b = OperandB(evaluator->context, uop);
  switch (uop.op) {
    case SOFTLBR_OP_BSF:
    case SOFTLBR_OP_BSR: BitScan(evaluator, uop, a, b); return;
    case SOFTLBR_OP_BEXTR: FieldExtract(evaluator, uop, a, b); return;
    default: BitAccess(evaluator, uop, a, b); return;
  }
}

}  // namespace softlbr
