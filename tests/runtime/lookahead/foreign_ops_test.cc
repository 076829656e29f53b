// The ops that the archive of another CPU leaves out (ops_*_none.cc): all that the op writes is UNKNOWN, and nothing
// else changes.
#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/lookahead/memory/shadow_memory.h"
#include "tests/runtime/lookahead/random_uop.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint32_t kMemoryBytes = 4096;

enum class Writes { kVector, kScalar, kSlot, kPointers, kMemory, kFlags, kAllFlags, kProduct };

struct ForeignOp {
  uint32_t op;
  Writes writes;
};

class ForeignOps : public testing::TestWithParam<ForeignOp> {
 protected:
  ForeignOps() {
    fake::ForgetReadable();
    fake::AllowReading(memory_, sizeof(memory_));
    for (uint16_t slot = SOFTLBR_REG_ZERO + 1; slot < kRegisterSlotCount; ++slot) runner_.Set(slot, random_());
    const auto middle = reinterpret_cast<uint64_t>(memory_ + kMemoryBytes / 2);
    for (const uint16_t slot : {kPointer, kStringDst, kStringSrc}) runner_.Set(slot, middle);
    runner_.Set(kStringCount, 5);
    runner_.Set(kStringDirection, 0);
    // As counts of shifts they are 3.
    for (const uint16_t slot : {kA, kB, kC, kD, uint16_t{SOFTLBR_REG_TEMP}}) runner_.Set(slot, random_() << 6 | 3);
    runner_.Adopt();
    before_ = runner_.context();
  }

  bool IsMemoryKnown() {
    Value value = kUnknownValue;
    EXPECT_EQ(LoadMemory(&runner_.evaluator().memory, before_.regs[kPointer], 8, &value), UopResult::kOk);
    return value.known != 0;
  }
  uint8_t KnownOf(uint32_t slot) { return runner_.context().known[slot]; }

  // Bytes of the register slot that the uop may leave known.
  uint8_t MayBeKnown(const softlbr_uop& uop, uint32_t slot) {
    const Writes writes = GetParam().writes;
    if (slot == SOFTLBR_REG_ZERO || slot == SOFTLBR_REG_BLOCK) return kAllKnown;
    if (writes == Writes::kVector && slot >= uop.dst && slot - uop.dst < (uop.width + 7u) / 8) {
      const uint32_t rest = uop.width - 8 * (slot - uop.dst);
      return rest >= 8 ? 0 : static_cast<uint8_t>(~WidthKnown(rest));
    }
    if (slot == uop.dst && writes == Writes::kSlot) return 0;
    if (slot == uop.dst && (writes == Writes::kScalar || writes == Writes::kProduct)) {  // a product changes no flags
      if ((uop.flags & SOFTLBR_UOP_DST_HIGH) != 0) return static_cast<uint8_t>(~2);
      return static_cast<uint8_t>(~WidthKnown(uop.width));
    }
    const bool is_pointer = slot == uop.dst || slot == uop.b || (slot == uop.a && uop.op == SOFTLBR_OP_STRING_COMPARE);
    return writes == Writes::kPointers && is_pointer ? 0 : kAllKnown;
  }

  alignas(4096) uint8_t memory_[kMemoryBytes] = {};
  Random random_{7};
  UopRunner runner_;
  MachineContext before_;
};

TEST_P(ForeignOps, WriteOnlyUnknownValues) {
  const Writes writes = GetParam().writes;
  for (int round = 0; round < Rounds(300); ++round) {
    softlbr_uop uop = RandomUop(random_, GetParam().op);
    if (writes == Writes::kScalar) {  // a shift: its count is not 0
      uop.b = kB;
      uop.imm = kC;  // the immediate count of a rotate, the slot of a double shift's
      uop.flags &= static_cast<uint16_t>(~SOFTLBR_UOP_B_HIGH);
    }
    runner_.context() = before_;
    runner_.SetFlags(0);
    runner_.Adopt();
    ASSERT_TRUE(IsMemoryKnown());
    ASSERT_NE(runner_.Run(uop).outcome, BlockOutcome::kAborted);
    for (uint32_t slot = 0; slot < kRegisterSlotCount; ++slot) {
      if (writes == Writes::kMemory && IsStringOp(uop.op)) break;  // its pointers and count are known
      const uint8_t may_be_known = MayBeKnown(uop, slot);
      ASSERT_EQ(KnownOf(slot) & ~may_be_known, 0) << "register slot " << slot;
      if (slot == SOFTLBR_REG_BLOCK || may_be_known != kAllKnown) continue;
      ASSERT_EQ(KnownOf(slot), kAllKnown) << "register slot " << slot;
      ASSERT_EQ(runner_.context().regs[slot], before_.regs[slot]) << "register slot " << slot;
    }
    ASSERT_EQ(IsMemoryKnown(), writes != Writes::kMemory);
    const bool is_string = IsStringOp(uop.op) && writes == Writes::kPointers;
    const bool sets_flags =
        (uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0 &&
        (writes == Writes::kScalar || writes == Writes::kFlags || GetParam().op == SOFTLBR_OP_STRING_INDEX);
    if (is_string || sets_flags || writes == Writes::kAllFlags) {
      const bool is_rotate = uop.op == SOFTLBR_OP_RCL || uop.op == SOFTLBR_OP_RCR;
      ASSERT_EQ(runner_.FlagsKnown() & (is_rotate ? SOFTLBR_FLAG_C | SOFTLBR_FLAG_V : SOFTLBR_FLAG_ALL), 0);
    }
  }
}

// tests/checks/foreign_ops.pl reads these lists.
constexpr ForeignOp kOpsOfX86_64[] = {
    {SOFTLBR_OP_STRING_MOVE, Writes::kMemory},
    {SOFTLBR_OP_STRING_SCAN, Writes::kPointers},
    {SOFTLBR_OP_STRING_COMPARE, Writes::kPointers},
    {SOFTLBR_OP_RCL, Writes::kScalar},
    {SOFTLBR_OP_RCR, Writes::kScalar},
    {SOFTLBR_OP_SHLD, Writes::kScalar},
    {SOFTLBR_OP_SHRD, Writes::kScalar},
    {SOFTLBR_OP_BIT_TEST, Writes::kFlags},
    {SOFTLBR_OP_BIT_SET, Writes::kScalar},
    {SOFTLBR_OP_BIT_CLEAR, Writes::kScalar},
    {SOFTLBR_OP_BIT_FLIP, Writes::kScalar},
    {SOFTLBR_OP_BSF, Writes::kScalar},
    {SOFTLBR_OP_BSR, Writes::kScalar},
    {SOFTLBR_OP_BEXTR, Writes::kScalar},
    {SOFTLBR_OP_VBLEND, Writes::kVector},
    {SOFTLBR_OP_VBLEND_VAR, Writes::kVector},
    {SOFTLBR_OP_VMASK_BITS, Writes::kSlot},
    {SOFTLBR_OP_VTEST, Writes::kFlags},
    {SOFTLBR_OP_VTEST_MASK, Writes::kSlot},
    {SOFTLBR_OP_VMASK_TO_LANES, Writes::kVector},
    {SOFTLBR_OP_FCMP_MASK, Writes::kSlot},
    {SOFTLBR_OP_FHADD, Writes::kVector},
    {SOFTLBR_OP_FADDSUB, Writes::kVector},
    {SOFTLBR_OP_VMUL_EVEN, Writes::kVector},
    {SOFTLBR_OP_VMUL_ADD_PAIRS, Writes::kVector},
    {SOFTLBR_OP_VMUL_ADD_UBSB, Writes::kVector},
    {SOFTLBR_OP_VSUM_ABS_DIFF, Writes::kVector},
    {SOFTLBR_OP_VSHUFFLE, Writes::kVector},
    {SOFTLBR_OP_VSHUFFLE2, Writes::kVector},
    {SOFTLBR_OP_VPERMUTE, Writes::kVector},
    {SOFTLBR_OP_VPERM2_128, Writes::kVector},
    {SOFTLBR_OP_STRING_INDEX, Writes::kSlot},
};
constexpr ForeignOp kOpsOfAarch64[] = {
    {SOFTLBR_OP_VLOAD_MASKED, Writes::kVector}, {SOFTLBR_OP_VSTORE_MASKED, Writes::kMemory},
    {SOFTLBR_OP_POINTER_SIGN, Writes::kSlot},   {SOFTLBR_OP_POINTER_CHECK, Writes::kSlot},
    {SOFTLBR_OP_POINTER_STRIP, Writes::kSlot},  {SOFTLBR_OP_BITFIELD, Writes::kSlot},
    {SOFTLBR_OP_MADD, Writes::kProduct},        {SOFTLBR_OP_MADD_LONG, Writes::kProduct},
    {SOFTLBR_OP_EXTRACT, Writes::kProduct},     {SOFTLBR_OP_CCMP, Writes::kAllFlags},
};
INSTANTIATE_TEST_SUITE_P(X86_64, ForeignOps, testing::ValuesIn(kOpsOfX86_64));
INSTANTIATE_TEST_SUITE_P(Aarch64, ForeignOps, testing::ValuesIn(kOpsOfAarch64));

}  // namespace
}  // namespace softlbr::lookahead_test
