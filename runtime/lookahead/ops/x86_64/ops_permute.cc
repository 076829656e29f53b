// Moves of lanes within and between vectors, as an immediate or indices choose. Contract: ops.h.
//
// A lane is moved together with its known mask. If its source depends on an UNKNOWN index, the lane is UNKNOWN.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

// The fast path of the common shuffles with known operands: two words at a time. False: nothing was done.
bool ShuffleKnownWords(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  if ((uop.width & 15) != 0 || (a.known & b.known) != VectorKnown(uop.width) || uop.aux == 8) return false;
  const uint32_t imm = static_cast<uint32_t>(uop.imm) & 0xff;
  for (uint32_t word = 0; word < uop.width / 8; word += 2) {
    const uint64_t* x = a.bits + word;
    if (uop.aux == 4) {
      const uint64_t* y = uop.op == SOFTLBR_OP_VSHUFFLE2 ? b.bits + word : x;
      auto pick = [imm](const uint64_t* from, uint32_t at) {
        const uint32_t lane = imm >> at & 3;
        return from[lane >> 1] >> (32 * (lane & 1)) & 0xffffffff;
      };
      result->bits[word] = pick(x, 0) | pick(x, 2) << 32;
      result->bits[word + 1] = pick(y, 4) | pick(y, 6) << 32;
      continue;
    }
    const uint32_t half = (uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? 1 : 0;  // pshufhw, or pshuflw
    uint64_t shuffled = 0;
    for (uint32_t i = 0; i < 4; ++i) shuffled |= (x[half] >> (16 * (imm >> (2 * i) & 3)) & 0xffff) << (16 * i);
    result->bits[word + half] = shuffled;
    result->bits[word + 1 - half] = x[1 - half];
  }
  result->known = VectorKnown(uop.width);
  return true;
}

void ShuffleImmediate(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  if (ShuffleKnownWords(uop, a, b, result)) return;
  const uint32_t lane = uop.aux;
  const uint32_t chunk = ChunkOf(uop.width);
  const uint32_t lanes = chunk / lane;
  const uint32_t imm = static_cast<uint32_t>(uop.imm) & 0xff;
  for (uint32_t i = 0; i < uop.width / lane; ++i) {
    const uint32_t first = i / lanes * lanes;  // first lane of this chunk
    const uint32_t in_chunk = i % lanes;
    uint32_t from = in_chunk;
    bool from_b = false;
    if (uop.op == SOFTLBR_OP_VSHUFFLE2) {
      from_b = in_chunk >= lanes / 2;
      from = lane == 8 ? imm >> (i & 7) & 1 : imm >> (2 * in_chunk) & 3;
    } else if (lane == 2) {
      const uint32_t half = (uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? 4 : 0;  // pshufhw, or pshuflw
      if (in_chunk / 4 == half / 4) from = half + (imm >> (2 * (in_chunk % 4)) & 3);
    } else {
      from = imm >> (2 * in_chunk) & 3 & (lanes - 1);
    }
    SetLane(result, lane, i, LaneValue(from_b ? b : a, lane, first + from));
  }
}

void Permute(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  const bool is_immediate = (uop.flags & SOFTLBR_UOP_B_IMM) != 0;
  const uint32_t lane = is_immediate ? 8 : uop.aux;
  const uint32_t lanes = uop.width / lane;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (is_immediate) {
      const uint32_t from = static_cast<uint32_t>(uop.imm) >> (2 * (i & 3)) & 3;
      SetLane(result, lane, i, LaneValue(a, lane, (i & ~3u) + from));
      continue;
    }
    const Value index = LaneValue(b, lane, i);
    // At most 64 lanes: the low byte of the index decides.
    const Value value =
        (index.known & 1) != 0 ? LaneValue(a, lane, static_cast<uint32_t>(index.bits & (lanes - 1))) : kUnknownValue;
    SetLane(result, lane, i, value);
  }
}

void PermuteHalves(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  const uint32_t imm = static_cast<uint32_t>(uop.imm);
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t control = imm >> (4 * half);
    for (uint32_t word = 0; word < 2; ++word) {
      Value value = {0, kAllBytesKnown};
      if ((control & 8) == 0) value = LaneValue((control & 2) != 0 ? b : a, 8, 2 * (control & 1) + word);
      SetLane(result, 8, 2 * half + word, value);
    }
  }
}

}  // namespace

void RunPermuteUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  const bool has_b =
      uop.op != SOFTLBR_OP_VSHUFFLE && (uop.op != SOFTLBR_OP_VPERMUTE || (uop.flags & SOFTLBR_UOP_B_IMM) == 0);
  VectorValue a;
  VectorValue b;
  VectorValue result = {};
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, has_b ? uop.b : uop.a, uop.width, &b);
  switch (uop.op) {
    case SOFTLBR_OP_VPERMUTE: Permute(uop, a, b, &result); break;
    case SOFTLBR_OP_VPERM2_128: PermuteHalves(uop, a, b, &result); break;
    default:  // VSHUFFLE, VSHUFFLE2
      ShuffleImmediate(uop, a, b, &result);
      break;
  }
  WriteVector(context, uop.dst, uop.width, result);
}

}  // namespace softlbr
