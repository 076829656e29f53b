// Masked loads and stores against byte-wise copies; bytes outside the mask must not be touched.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/lookahead/memory/shadow_memory.h"
#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint32_t kPageBytes = 4096;
constexpr uint8_t kWidths[] = {8, 16, 32, 64};

class MaskedUop : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint32_t i = 0; i < sizeof pages_; ++i) pages_[i] = static_cast<uint8_t>(i * 7 + i / 256);
    fake::ForgetReadable();
    fake::AllowReading(pages_, kPageBytes);
  }

  uint64_t AddressOf(uint32_t offset) { return reinterpret_cast<uint64_t>(pages_) + offset; }

  void SetVector(uint16_t slot, const uint8_t* bytes) {
    for (uint16_t i = 0; i < 8; ++i) {
      uint64_t word;
      std::memcpy(&word, bytes + 8 * i, 8);
      runner_.Set(static_cast<uint16_t>(slot + i), word);
    }
  }

  uint64_t RandomMask() {
    const uint64_t run = random_() % 65;
    switch (random_() % 4) {
      case 0: return run == 64 ? ~uint64_t{0} : (uint64_t{1} << run) - 1;
      case 1: return random_() & random_();
      case 2: return 0;
      default: return ~uint64_t{0} << (run % 64);
    }
  }

  alignas(kPageBytes) uint8_t pages_[2 * kPageBytes];  // the second page is not readable
  Random random_{11};
  UopRunner runner_;
};

TEST_F(MaskedUop, LoadsMaskedBytesAndZeroesTheRest) {
  for (int round = 0; round < Rounds(4000); ++round) {
    const uint8_t width = kWidths[random_() % 4];
    const uint64_t mask = RandomMask();
    const uint32_t offset = 500 + static_cast<uint32_t>(random_() % 64);
    const uint8_t before[64] = {0xcc, 0xcc};
    runner_.MakeAllKnown();
    SetVector(kVA, before);
    runner_.Set(kA, AddressOf(offset) - 9);
    runner_.Set(kB, mask);
    runner_.Adopt();
    ASSERT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VLOAD_MASKED, width, kVA, kA, kB, 0, 9)).outcome, BlockOutcome::kNext);
    for (uint32_t i = 0; i < 64; ++i) {
      const uint8_t expected = i >= width ? before[i] : (mask >> i & 1) != 0 ? pages_[offset + i] : 0;
      ASSERT_EQ(runner_.Get(static_cast<uint16_t>(kVA + i / 8)) >> (8 * (i % 8)) & 0xff, expected)
          << std::hex << mask << " " << i;
      ASSERT_EQ(runner_.Known(static_cast<uint16_t>(kVA + i / 8)), 0xff);
    }
  }
}

TEST_F(MaskedUop, StoresOnlyMaskedBytes) {
  for (int round = 0; round < Rounds(4000); ++round) {
    const uint8_t width = kWidths[random_() % 4];
    const uint64_t mask = RandomMask();
    const uint32_t offset = 500 + static_cast<uint32_t>(random_() % 64);
    uint8_t bytes[64];
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_());
    runner_.MakeAllKnown();
    SetVector(kVA, bytes);
    runner_.Set(kA, AddressOf(offset));
    runner_.Set(kB, mask);
    runner_.Adopt();
    ASSERT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VSTORE_MASKED, width, kVA, kA, kB)).outcome, BlockOutcome::kNext);
    for (uint32_t i = 0; i < 64; ++i) {
      const BufferedValue stored = LoadBuffered(runner_.evaluator().memory.stores, AddressOf(offset + i), 1);
      const bool is_picked = i < width && (mask >> i & 1) != 0;
      ASSERT_EQ(stored.written, is_picked ? 1 : 0) << std::hex << mask << " " << i;
      if (!is_picked) continue;
      ASSERT_EQ(stored.known, 1);
      ASSERT_EQ(stored.bits & 0xff, bytes[i]);
    }
  }
}

TEST_F(MaskedUop, OnlyMaskedBytesCanFault) {
  for (uint32_t left = 0; left <= 64; ++left) {  // bytes before the unreadable page
    for (const uint16_t op : {SOFTLBR_OP_VLOAD_MASKED, SOFTLBR_OP_VSTORE_MASKED}) {
      for (const bool reaches : {false, true}) {
        runner_.MakeAllKnown();
        runner_.Set(kA, AddressOf(kPageBytes - left));
        const uint64_t inside = left == 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
        if (reaches && left == 64) continue;
        runner_.Set(kB, reaches ? inside | uint64_t{1} << (left + random_() % (64 - left)) : inside);
        runner_.Adopt();
        const BlockExit exit = runner_.Run(MakeUop(op, 64, kVA, kA, kB));
        EXPECT_EQ(exit.outcome, reaches ? BlockOutcome::kAborted : BlockOutcome::kNext) << left << " " << op;
        if (reaches) {
          EXPECT_EQ(exit.reason, AbortReason::kUnreadableData);
        }
      }
    }
  }
}

TEST_F(MaskedUop, UnknownMaskOrAddressGivesUnknown) {
  for (const bool hides_mask : {false, true}) {
    runner_.MakeAllKnown();
    runner_.Set(kA, AddressOf(600), hides_mask ? 0xff : 0x7f);
    runner_.Set(kB, 0xff, hides_mask ? 0x7f : 0xff);
    runner_.Adopt();
    ASSERT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VLOAD_MASKED, 16, kVA, kA, kB)).outcome, BlockOutcome::kNext);
    EXPECT_EQ(runner_.Known(kVA), 0);
    EXPECT_EQ(runner_.Known(kVA + 1), 0);
    EXPECT_EQ(runner_.Known(kVA + 2), 0xff);
    EXPECT_FALSE(runner_.evaluator().memory.stores.is_poisoned);
    ASSERT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VSTORE_MASKED, 16, kVA, kA, kB)).outcome, BlockOutcome::kNext);
    EXPECT_TRUE(runner_.evaluator().memory.stores.is_poisoned);
  }
}

TEST_F(MaskedUop, KeepsKnownMaskOfEachByte) {
  runner_.MakeAllKnown();
  runner_.Set(kVA, 0x1122334455667788, 0x5a);
  runner_.Set(kA, AddressOf(800));
  runner_.Set(kB, 0x3c);
  runner_.Adopt();
  ASSERT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VSTORE_MASKED, 8, kVA, kA, kB)).outcome, BlockOutcome::kNext);
  runner_.Set(kB, 0xff);
  ASSERT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VLOAD_MASKED, 8, kVB, kA, kB)).outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Known(kVB), 0xdb);  // bytes 2..5 were stored; 3 and 4 of them are known
  EXPECT_EQ(runner_.Get(kVB) >> 24 & 0xffff, 0x4455u);
}

}  // namespace
}  // namespace softlbr::lookahead_test
