// Soundness of the evaluator, the property that all traces depend on: if a result is known although some bytes of the
// state are UNKNOWN, it is the same for every value of those bytes. All ops, in random sequences, over registers,
// flags, conditions, memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/lookahead/memory/shadow_memory.h"
#include "tests/runtime/lookahead/random_uop.h"

namespace softlbr::lookahead_test {
namespace {

constexpr int kCompletions = 3;
constexpr uint32_t kMemoryBytes = 16384;
constexpr uint32_t kMiddle = kMemoryBytes / 2;

std::string Describe(const softlbr_block& block) {
  std::string text;
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    const softlbr_uop& u = block.uops[i];
    char line[160];
    std::snprintf(line, sizeof(line), "op %u width %u aux %u dst %u a %u b %u flags %#x imm %d\n", u.op, u.width, u.aux,
                  u.dst, u.a, u.b, u.flags, u.imm);
    text += line;
  }
  return text;
}

class Soundness : public testing::Test {
 protected:
  Soundness() {
    fake::ForgetReadable();
    fake::AllowReading(memory_, sizeof(memory_));
    for (uint32_t i = 0; i < kMemoryBytes; ++i) memory_[i] = static_cast<uint8_t>(random_() % 3 == 0 ? 0 : random_());
  }

  uint64_t MiddleAddress() { return reinterpret_cast<uint64_t>(memory_ + kMiddle); }

  // Includes floating-point numbers of similar size, so that the floating-point ops compute more than extremes.
  uint64_t InterestingVectorBits() {
    if (random_() % 3 != 0) return InterestingBits(random_);
    if (random_() % 2 != 0) {
      const double x = static_cast<double>(static_cast<int64_t>(random_() % 2001) - 1000) / 8;
      uint64_t bits;
      std::memcpy(&bits, &x, 8);
      return bits;
    }
    const float x[2] = {static_cast<float>(random_() % 1000) / 4, -static_cast<float>(random_() % 9)};
    uint64_t bits;
    std::memcpy(&bits, x, 8);
    return bits;
  }

  // Sets partial_ to a random, partly UNKNOWN state; the bits of UNKNOWN bytes are garbage.
  void MakePartialState() {
    MachineContext& context = partial_.context();
    partial_.MakeAllKnown();
    const bool everything_known = random_() % 8 == 0;
    for (const uint16_t slot : {kA, kB, kC, kD, uint16_t{SOFTLBR_REG_TEMP}}) {
      partial_.Set(slot, InterestingBits(random_), everything_known ? 0xff : RandomKnown(random_));
    }
    for (uint16_t slot = kVA; slot < kVD + 8; ++slot) {
      const uint8_t known = everything_known || random_() % 2 != 0 ? 0xff : RandomKnown(random_);
      partial_.Set(slot, InterestingVectorBits(), known);
    }
    for (const uint16_t slot : {kPointer, kStringDst, kStringSrc}) {
      partial_.Set(slot, MiddleAddress() + random_() % 64, random_() % 6 == 0 ? 0 : 0xff);
    }
    partial_.Set(kIndex, random_() % 64, random_() % 6 == 0 ? 0 : 0xff);
    partial_.Set(kStringCount, random_() % 40, random_() % 6 == 0 ? 0 : 0xff);
    partial_.Set(kStringDirection, random_() % 2, random_() % 6 == 0 ? 0 : 0xff);
    const uint8_t flags_known = everything_known ? 63 : static_cast<uint8_t>((random_() | random_()) & 63);
    context.flags = static_cast<uint8_t>(random_() & flags_known);
    context.flags_known = flags_known;
    context.rounding_is_default = random_() % 8 != 0;
    partial_.Adopt();
  }

  // Copies partial_'s state into full_ and gives every UNKNOWN byte a random value.
  void Complete() {
    MachineContext& to = full_.context();
    to = partial_start_;
    for (uint32_t slot = 0; slot < kRegisterSlotCount; ++slot) {
      if (to.known[slot] == 0xff) continue;
      const uint64_t known = ExpandKnown(to.known[slot]);
      uint64_t filler = InterestingBits(random_);
      if (slot == kPointer || slot == kStringDst || slot == kStringSrc) filler = MiddleAddress() + random_() % 64;
      if (slot == kIndex) filler = random_() % 64;
      if (slot == kStringCount) filler = random_() % 40;
      if (slot == kStringDirection) filler = random_() % 2;
      to.regs[slot] = (to.regs[slot] & known) | (filler & ~known);
      to.known[slot] = 0xff;
    }
    to.flags = static_cast<uint8_t>((to.flags & to.flags_known) | (random_() & ~to.flags_known & 63));
    to.flags_known = 63;
    full_.Adopt();
  }

  void ExpectPartialAgrees() {
    for (uint32_t slot = 0; slot < kRegisterSlotCount; ++slot) {
      const uint8_t known = partial_.context().known[slot];
      if (known == full_.context().known[slot] && partial_.context().regs[slot] == full_.context().regs[slot]) continue;
      ASSERT_EQ(known & ~full_.context().known[slot], 0)
          << "register slot " << slot << " is UNKNOWN from the full state";
      ASSERT_EQ((partial_.context().regs[slot] ^ full_.context().regs[slot]) & ExpandKnown(known), 0u)
          << "register slot " << slot << std::hex << " partial " << partial_.context().regs[slot] << " known "
          << int{known} << " full " << full_.context().regs[slot];
    }
    for (uint32_t condition = 0; condition <= SOFTLBR_COND_LS; ++condition) {
      const Truth truth = EvaluateCondition(partial_.evaluator().lazy, condition);
      if (truth == Truth::kUnknown) continue;
      ASSERT_EQ(truth, EvaluateCondition(full_.evaluator().lazy, condition)) << "condition " << condition;
    }
    const uint8_t flags_known = partial_.FlagsKnown();
    ASSERT_EQ(flags_known & ~full_.FlagsKnown(), 0);
    ASSERT_EQ((partial_.Flags() ^ full_.Flags()) & flags_known, 0) << "known " << int{flags_known};
    ASSERT_TRUE(!partial_.context().rounding_is_default || full_.context().rounding_is_default);
  }

  void ExpectMemoryAgrees() {
    const uint64_t begin = MiddleAddress() - 512;
    for (uint64_t address = begin; address < begin + 2048; address += 8) {
      Value partial = kUnknownValue;
      Value full = kUnknownValue;
      ASSERT_EQ(LoadMemory(&partial_.evaluator().memory, address, 8, &partial), UopResult::kOk);
      ASSERT_EQ(LoadMemory(&full_.evaluator().memory, address, 8, &full), UopResult::kOk);
      ASSERT_EQ(partial.known & ~full.known, 0) << "memory at " << address - MiddleAddress();
      ASSERT_EQ((partial.bits ^ full.bits) & ExpandKnown(partial.known), 0u)
          << "memory at " << address - MiddleAddress();
    }
    ASSERT_TRUE(CheckStoreBuffer(partial_.evaluator().memory.stores));
    ASSERT_TRUE(CheckStoreBuffer(full_.evaluator().memory.stores));
  }

  void RunAndCompare(const softlbr_block& block, bool uses_memory) {
    MakePartialState();
    partial_start_ = partial_.context();
    const BlockExit partial_exit = partial_.Run(block);
    for (int i = 0; i < kCompletions; ++i) {
      Complete();
      const BlockExit full_exit = full_.Run(block);
      if (full_exit.outcome == BlockOutcome::kAborted) continue;  // this completion faults
      ASSERT_NE(partial_exit.outcome, BlockOutcome::kAborted) << "the partial state faults, this completion does not";
      ASSERT_NO_FATAL_FAILURE(ExpectPartialAgrees()) << Describe(block);
      if (!uses_memory) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectMemoryAgrees()) << Describe(block);
    }
  }

  alignas(4096) uint8_t memory_[kMemoryBytes];
  Random random_{20240601};
  UopRunner partial_;
  UopRunner full_;
  MachineContext partial_start_;
};

// ROUNDING affects only later ops, which the sequences test.
TEST_F(Soundness, EveryOpAlone) {
  for (uint32_t op = 0; op <= SOFTLBR_OP_MAX_VALUE; ++op) {
    const bool uses_memory = (op >= SOFTLBR_OP_LOAD && op <= SOFTLBR_OP_STRING_COMPARE) || IsMaskedOp(op);
    for (int round = 0; round < Rounds(uses_memory ? 300 : 1500); ++round) {
      const softlbr_uop uop = RandomUop(random_, op);
      ASSERT_NO_FATAL_FAILURE(RunAndCompare(BlockMaker().Add(uop).block(), uses_memory)) << OpName(op);
    }
  }
}

TEST_F(Soundness, SequencesOfScalarOps) {
  for (int round = 0; round < Rounds(40000); ++round) {
    BlockMaker maker;
    for (int i = 0; i < 4; ++i) {
      uint32_t op = 0;
      do {
        op = static_cast<uint32_t>(random_() % (SOFTLBR_OP_CCMP + 1));
      } while (op >= SOFTLBR_OP_LOAD && op <= SOFTLBR_OP_STRING_COMPARE);
      maker.Add(RandomUop(random_, op));
    }
    ASSERT_NO_FATAL_FAILURE(RunAndCompare(maker.block(), false));
  }
}

TEST_F(Soundness, SequencesWithMemory) {
  for (int round = 0; round < Rounds(4000); ++round) {
    BlockMaker maker;
    for (int i = 0; i < 10; ++i) {
      uint32_t op = random_() % 3 == 0 ? static_cast<uint32_t>(random_() % (SOFTLBR_OP_CCMP + 1))
                                       : static_cast<uint32_t>(SOFTLBR_OP_LOAD + random_() % 10);
      if (random_() % 6 == 0) op = static_cast<uint32_t>(SOFTLBR_OP_VLOAD_MASKED + random_() % 2);
      if (op == SOFTLBR_OP_CLOBBER_MEMORY && random_() % 4 != 0) continue;
      maker.Add(RandomUop(random_, op));
    }
    ASSERT_NO_FATAL_FAILURE(RunAndCompare(maker.block(), true));
  }
}

TEST_F(Soundness, SequencesOfVectorOps) {
  for (int round = 0; round < Rounds(40000); ++round) {
    BlockMaker maker;
    for (int i = 0; i < 4; ++i) {
      const uint32_t first = SOFTLBR_OP_VMOV;
      maker.Add(RandomUop(random_, static_cast<uint32_t>(first + random_() % (SOFTLBR_OP_MAX_VALUE + 1 - first))));
    }
    ASSERT_NO_FATAL_FAILURE(RunAndCompare(maker.block(), false));
  }
}

}  // namespace
}  // namespace softlbr::lookahead_test
