// Products and sums across the lanes of vectors. Contract: ops.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/chunks.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

uint64_t Lane(uint64_t word, uint32_t lane_bytes, uint32_t index, bool is_signed) {
  const uint64_t lane = word >> (8 * lane_bytes * index) & WidthBits(lane_bytes);
  return is_signed ? SignExtendBits(lane, lane_bytes) : lane;
}

uint64_t MultiplyAddBytes(uint64_t x, uint64_t y) {
  uint64_t result = 0;
  for (uint32_t pair = 0; pair < 4; ++pair) {
    const uint64_t low = Lane(x, 1, 2 * pair, false) * Lane(y, 1, 2 * pair, true);
    const uint64_t high = Lane(x, 1, 2 * pair + 1, false) * Lane(y, 1, 2 * pair + 1, true);
    int64_t sum = static_cast<int64_t>(low + high);
    if (sum > INT16_MAX) sum = INT16_MAX;
    if (sum < INT16_MIN) sum = INT16_MIN;
    result |= (static_cast<uint64_t>(sum) & 0xffff) << (16 * pair);
  }
  return result;
}

// Each word of the result depends only on the same word of x and y.
void ProductWords(const softlbr_uop& uop, const uint64_t* x, const uint64_t* y, uint64_t* result) {
  const uint32_t words = WordsOf(uop.width);
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  switch (uop.op) {
    case SOFTLBR_OP_VMUL_EVEN:
      for (uint32_t word = 0; word < words; ++word)
        result[word] = Lane(x[word], 4, 0, is_signed) * Lane(y[word], 4, 0, is_signed);
      return;
    case SOFTLBR_OP_VMUL_ADD_PAIRS:
      for (uint32_t word = 0; word < words; word += 2) {
        const SignedWords p = LoadChunk<SignedWords>(x + word);
        const SignedWords q = LoadChunk<SignedWords>(y + word);
        // Unsigned, because -32768 * -32768 * 2 wraps.
        StoreChunk(result + word, Words(p << 16 >> 16) * Words(q << 16 >> 16) + Words(p >> 16) * Words(q >> 16));
      }
      return;
    case SOFTLBR_OP_VMUL_ADD_UBSB:
      for (uint32_t word = 0; word < words; ++word) result[word] = MultiplyAddBytes(x[word], y[word]);
      return;
    default:  // VSUM_ABS_DIFF
      for (uint32_t word = 0; word < words; word += 2) {
        const Bytes p = LoadChunk<Bytes>(x + word);
        const Bytes q = LoadChunk<Bytes>(y + word);
        const Bytes less = Bytes(p < q);
        const Halves difference = Halves(((p - q) ^ less) - less);
        const Halves sums = (difference & 0xff) + (difference >> 8);
        StoreChunk(result + word, Longs(sums) * 0x0001000100010001 >> 48);
      }
      return;
  }
}

}  // namespace

void RunProductUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  const uint32_t width = uop.width;
  if (SOFTLBR_LIKELY(AreOperandsPlain(*context, uop, uop.b))) {
    ProductWords(uop, &context->regs[uop.a], &context->regs[uop.b], &context->regs[uop.dst]);
    MarkChunksKnown(context, uop.dst, width);
    return;
  }
  VectorValue a;
  VectorValue b;
  VectorValue result;
  ReadVector(*context, uop.a, width, &a);
  ReadVector(*context, uop.b, width, &b);
  const uint64_t both = a.known & b.known;
  switch (uop.op) {
    case SOFTLBR_OP_VMUL_EVEN: result.known = (WholeLanes(both, 4) & 0x0101010101010101) * 255; break;
    case SOFTLBR_OP_VMUL_ADD_PAIRS: result.known = WholeLanes(both, 4); break;
    case SOFTLBR_OP_VMUL_ADD_UBSB: result.known = WholeLanes(both, 2); break;
    default:  // VSUM_ABS_DIFF: the sum of eight byte differences fits the low two bytes
      result.known = WholeLanes(both, 8) | 0xfcfcfcfcfcfcfcfc;
      break;
  }
  ProductWords(uop, a.bits, b.bits, result.bits);
  WriteVector(context, uop.dst, width, result);
}

}  // namespace softlbr
