// x86-64's floating-point compares into masks, and its ops of neighbouring lanes. Contract: ops.h.
#include "runtime/lookahead/ops/float_lane.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

void CompareIntoMask(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t lane = uop.aux;
  const uint32_t lanes = (uop.flags & SOFTLBR_UOP_SCALAR) != 0 ? 1 : uop.width / lane;
  VectorValue a;
  VectorValue b;
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  uint64_t bits = 0;
  uint64_t known = ~LowBits(lanes);
  for (uint32_t i = 0; i < lanes; ++i) {
    const Value r = RunFloatLane(*context, uop, LaneValue(a, lane, i), LaneValue(b, lane, i), kUnknownValue);
    bits |= (r.bits & 1) << i;
    known |= uint64_t{r.known & 1u} << i;
  }
  WriteSlot(context, uop.dst, Value{bits, CompressKnown(known)});
}

// FHADD: in each 16 bytes, sums of adjacent lanes of a, then of b. FADDSUB: a - b in even lanes, a + b in odd ones.
void Horizontal(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t lane = uop.aux;
  const uint32_t lanes = kScalarBytes / lane;
  VectorValue a;
  VectorValue b;
  VectorValue result = {};
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  softlbr_uop step = uop;
  for (uint32_t i = 0; i < uop.width / lane; ++i) {
    Value x;
    Value y;
    if (uop.op == SOFTLBR_OP_FADDSUB) {
      step.op = i % 2 == 0 ? SOFTLBR_OP_FSUB : SOFTLBR_OP_FADD;
      x = LaneValue(a, lane, i);
      y = LaneValue(b, lane, i);
    } else {
      step.op = SOFTLBR_OP_FADD;
      const uint32_t in_chunk = i % lanes;
      const VectorValue& v = in_chunk < lanes / 2 ? a : b;
      const uint32_t from = i / lanes * lanes + 2 * (in_chunk % (lanes / 2));
      x = LaneValue(v, lane, from);
      y = LaneValue(v, lane, from + 1);
    }
    SetLane(&result, lane, i, RunFloatLane(*context, step, x, y, kUnknownValue));
  }
  WriteVector(context, uop.dst, uop.width, result);
}

}  // namespace

void RunFloatLanesUop(Evaluator* evaluator, const softlbr_uop& uop) {
  if (uop.op == SOFTLBR_OP_FCMP_MASK) {
    CompareIntoMask(&evaluator->context, uop);
  } else {
    Horizontal(&evaluator->context, uop);
  }
}

}  // namespace softlbr
