// x86-64's tests of vectors, its masks of their top bits, and blends. Contract: ops.h.
#include "platform/base/bytes.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/vector/lane_mask.h"

namespace softlbr {
namespace {

void Test(Evaluator* evaluator, const softlbr_uop& uop) {
  VectorValue a;
  VectorValue b;
  ReadVector(evaluator->context, uop.a, uop.width, &a);
  ReadVector(evaluator->context, uop.b, uop.width, &b);
  Truth is_and_zero = Truth::kTrue;
  Truth is_andn_zero = Truth::kTrue;
  for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
    const uint64_t in_width = ExpandKnown(static_cast<uint8_t>(VectorKnown(uop.width) >> (8 * word)));
    const uint64_t a_mask = ExpandKnown(static_cast<uint8_t>(a.known >> (8 * word)));
    const uint64_t b_mask = ExpandKnown(static_cast<uint8_t>(b.known >> (8 * word)));
    const uint64_t a_ones = a.bits[word] & a_mask;
    const uint64_t b_ones = b.bits[word] & b_mask;
    const uint64_t a_zeroes = ~a.bits[word] & a_mask;
    const uint64_t b_zeroes = ~b.bits[word] & b_mask;
    Truth and_zero = Truth::kUnknown;
    if ((a_ones & b_ones) != 0) and_zero = Truth::kFalse;
    if (((a_zeroes | b_zeroes) & in_width) == in_width) and_zero = Truth::kTrue;
    Truth andn_zero = Truth::kUnknown;
    if ((a_zeroes & b_ones) != 0) andn_zero = Truth::kFalse;
    if (((a_ones | b_zeroes) & in_width) == in_width) andn_zero = Truth::kTrue;
    is_and_zero = And(is_and_zero, and_zero);
    is_andn_zero = And(is_andn_zero, andn_zero);
  }
  uint8_t packed = 0;
  uint8_t packed_known = SOFTLBR_FLAG_P | SOFTLBR_FLAG_A | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;
  PackFlag(SOFTLBR_FLAG_Z, is_and_zero, &packed, &packed_known);
  PackFlag(SOFTLBR_FLAG_C, is_andn_zero, &packed, &packed_known);
  SetExplicitFlags(&evaluator->lazy, packed, packed_known);
}

void TestIntoMask(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t lane_bytes = uop.aux;
  VectorValue a;
  VectorValue b;
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  LaneMask mask = {0, 0};
  for (uint32_t i = 0; i < uop.width / lane_bytes; ++i) {
    const Value x = LaneValue(a, lane_bytes, i);
    const Value y = LaneValue(b, lane_bytes, i);
    const uint64_t x_mask = ExpandKnown(x.known);
    const uint64_t y_mask = ExpandKnown(y.known);
    const uint64_t zeroes = (~x.bits & x_mask) | (~y.bits & y_mask);
    if ((x.bits & y.bits & x_mask & y_mask) != 0) {
      mask.bits |= uint64_t{1} << i;
      mask.known |= uint64_t{1} << i;
    } else if ((~zeroes & WidthBits(lane_bytes)) == 0) {
      mask.known |= uint64_t{1} << i;
    }
  }
  if ((uop.flags & SOFTLBR_UOP_NEGATE) != 0) mask.bits = ~mask.bits;
  WriteMask(context, uop, mask, uop.width / lane_bytes);
}

}  // namespace

void RunBlendUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  VectorValue a;
  VectorValue b;
  switch (uop.op) {
    case SOFTLBR_OP_VTEST: Test(evaluator, uop); return;
    case SOFTLBR_OP_VTEST_MASK: TestIntoMask(context, uop); return;
    case SOFTLBR_OP_VMASK_BITS:
      ReadVector(*context, uop.a, uop.width, &a);
      WriteMask(context, uop, TopBits(a, uop.width, uop.aux), static_cast<uint32_t>(uop.width) / uop.aux);
      return;
    case SOFTLBR_OP_VMASK_TO_LANES: {
      // Filled at run time: constants would be copied by a call of memcpy (AArch64 at -Os).
      VectorValue ones;
      VectorValue zeroes;
      FillBytes(&ones, 0xff, sizeof ones);
      FillBytes(&zeroes, 0, sizeof zeroes.bits);
      zeroes.known = ones.known;
      SelectLanes(context, uop, ReadMask(*context, uop.a), ones, zeroes);
      return;
    }
    case SOFTLBR_OP_VBLEND: {
      const uint64_t imm = static_cast<uint32_t>(uop.imm) & 0xff;
      ReadVector(*context, uop.a, uop.width, &a);
      ReadVector(*context, uop.b, uop.width, &b);
      SelectLanes(context, uop, LaneMask{imm * 0x0101010101010101, ~uint64_t{0}}, b, a);
      return;
    }
    default: {  // VBLEND_VAR
      VectorValue control;
      ReadVector(*context, uop.a, uop.width, &a);
      ReadVector(*context, uop.b, uop.width, &b);
      ReadVector(*context, static_cast<uint32_t>(uop.imm), uop.width, &control);
      SelectLanes(context, uop, TopBits(control, uop.width, uop.aux), b, a);
      return;
    }
  }
}

}  // namespace softlbr
