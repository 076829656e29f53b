// Carry-less multiplication. Contract: ops.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {

void RunCarrylessUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  VectorValue a;
  VectorValue b;
  VectorValue result = {};
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  const uint32_t control = static_cast<uint32_t>(uop.imm);
  for (uint32_t word = 0; word + 1 < WordsOf(uop.width); word += 2) {
    const uint32_t a_word = word + (control & 1);
    const uint32_t b_word = word + (control >> 4 & 1);
    const bool is_known = IsLaneKnown(a, 8, a_word) && IsLaneKnown(b, 8, b_word);
    const Uint128 multiplicand = a.bits[a_word];
    Uint128 product = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      if ((b.bits[b_word] >> bit & 1) != 0) product ^= multiplicand << bit;
    }
    const uint8_t known = is_known ? kAllBytesKnown : uint8_t{0};
    SetLane(&result, 8, word, Value{static_cast<uint64_t>(product), known});
    SetLane(&result, 8, word + 1, Value{static_cast<uint64_t>(product >> 64), known});
  }
  WriteVector(context, uop.dst, uop.width, result);
}

}  // namespace softlbr
