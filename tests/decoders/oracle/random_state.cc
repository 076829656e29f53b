// Contract: random_state.h.
#include "tests/decoders/oracle/random_state.h"

#include <cstring>

namespace softlbr::oracle {
namespace {

constexpr uint64_t kArithmeticFlags = 0x8d5;  // OF SF ZF AF PF CF
constexpr uint64_t kDirectionFlag = 0x400;

}  // namespace

void StateMaker::Fill(Random* random, NativeState* state) const {
  for (uint64_t& value : state->gpr) value = pool_.Integer(random);
  for (uint64_t& value : state->k) value = pool_.Integer(random);
  for (uint32_t i = 0; i < 8; ++i) state->set_mm(i, pool_.Integer(random));
  for (auto& vector : state->zmm) std::memcpy(vector, pool_.Vector(random), sizeof(vector));
  // Related operands: one register is a copy of another, or a copy with one byte changed.
  const uint32_t copies = random->Below(4);
  for (uint32_t i = 0; i < copies; ++i) {
    uint32_t to = random->Below(random->OneIn(2) ? 32 : 4);
    std::memcpy(state->zmm[to], state->zmm[random->Below(random->OneIn(2) ? 32 : 4)], 64);
    if (random->OneIn(2)) state->zmm[to][random->Below(64)] ^= static_cast<uint8_t>(1u << random->Below(8));
    if (random->OneIn(2)) state->gpr[random->Below(16)] = state->gpr[random->Below(16)];
  }
  state->rflags = 0x202 | (random->Next() & kArithmeticFlags);
  if (random->OneIn(16)) state->rflags |= kDirectionFlag;
  uint32_t mxcsr = 0x1f80;
  if (random->OneIn(16)) mxcsr |= random->Below(4) << 13 | random->Below(2) << 15 | random->Below(2) << 6;
  state->set_mxcsr(mxcsr);
}

}  // namespace softlbr::oracle
