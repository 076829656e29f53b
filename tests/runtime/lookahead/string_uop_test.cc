// String ops against a byte-wise model on a copy of the memory.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/lookahead/memory/shadow_memory.h"
#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint32_t kBytes = 32768;
constexpr uint16_t kDst = kA;
constexpr uint16_t kSrc = kB;
constexpr uint16_t kCount = kC;
constexpr uint16_t kValue = kD;
constexpr uint8_t kDown = 1;
constexpr uint8_t kWhileEqual = 2;
constexpr uint16_t kDirection = SOFTLBR_REG_GENERAL + 30;

class StringUop : public testing::Test {
 protected:
  StringUop() {
    fake::ForgetReadable();
    fake::AllowReading(memory_, sizeof(memory_));
    for (uint8_t& byte : memory_) byte = static_cast<uint8_t>(random_() % 4);
  }
  uint64_t At(uint64_t offset) { return reinterpret_cast<uint64_t>(memory_) + offset; }
  void SetPointers(uint64_t dst, uint64_t src, uint64_t count) {
    runner_.Set(kDst, At(dst));
    runner_.Set(kSrc, At(src));
    runner_.Set(kCount, count);
  }
  Value Load(uint64_t offset) {
    Value value = kUnknownValue;
    EXPECT_EQ(LoadMemory(&runner_.evaluator().memory, At(offset), 1, &value), UopResult::kOk);
    return value;
  }
  void ExpectMemory(const std::vector<uint8_t>& model) {
    for (uint64_t i = 0; i < kBytes; ++i) {
      const Value got = Load(i);
      ASSERT_EQ(got.known & 1, 1) << i;
      ASSERT_EQ(got.bits & 0xff, model[i]) << i;
    }
  }
  std::vector<uint8_t> Copy() { return std::vector<uint8_t>(memory_, memory_ + kBytes); }

  alignas(4096) uint8_t memory_[kBytes];
  Random random_{6};
  UopRunner runner_;
};

TEST_F(StringUop, MoveAgreesWithByteModelOnOverlap) {
  for (int round = 0; round < 300; ++round) {
    const uint32_t width = 1u << random_() % 4;
    const bool down = random_() % 3 == 0;
    const uint64_t count = random_() % 60;
    const uint64_t src = 2000 + random_() % 64;
    const uint64_t dst = 2000 + random_() % 64;
    std::vector<uint8_t> model = Copy();
    const int64_t step = down ? -static_cast<int64_t>(width) : static_cast<int64_t>(width);
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t element[8];
      std::memcpy(element, &model[src + static_cast<uint64_t>(step * static_cast<int64_t>(i))], width);
      std::memcpy(&model[dst + static_cast<uint64_t>(step * static_cast<int64_t>(i))], element, width);
    }
    runner_.Adopt();
    SetPointers(dst, src, count);
    // The uop gives the direction, or names the register slot that does; then bit 0 of aux has no effect.
    uint32_t aux = down ? kDown : 0;
    if (round % 2 == 0) aux = kDirection << 2 | static_cast<uint32_t>(random_() % 2);
    runner_.Set(kDirection, down ? 1 : 0);
    runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, width, kDst, kSrc, kCount, 0, 0, aux));
    ASSERT_NO_FATAL_FAILURE(ExpectMemory(model)) << "width " << width << " count " << count << " down " << down;
    ASSERT_EQ(runner_.Get(kCount), 0u);
    ASSERT_EQ(runner_.Get(kDst), At(dst) + static_cast<uint64_t>(step) * count);
    ASSERT_EQ(runner_.Get(kSrc), At(src) + static_cast<uint64_t>(step) * count);
  }
}

TEST_F(StringUop, FillAgreesWithByteModel) {
  for (int round = 0; round < 300; ++round) {
    const uint32_t width = 1u << random_() % 4;
    const bool down = random_() % 3 == 0;
    // A repeated byte becomes a range of any length; other values are stored element by element, so few of them.
    const bool uniform = random_() % 2 == 0;
    const uint64_t count = random_() % (uniform ? 1500 : 60);
    const uint64_t value = uniform ? random_() % 256 * 0x0101010101010101 : random_();
    const uint64_t dst = 14000 + random_() % 64;
    std::vector<uint8_t> model = Copy();
    for (uint64_t i = 0; i < count; ++i) {
      std::memcpy(&model[down ? dst - i * width : dst + i * width], &value, width);
    }
    runner_.Adopt();
    SetPointers(dst, 0, count);
    runner_.Set(kValue, value);
    runner_.Run(MakeUop(SOFTLBR_OP_STRING_STORE, width, kDst, 0, kCount, 0, kValue, down ? kDown : 0));
    ASSERT_NO_FATAL_FAILURE(ExpectMemory(model)) << "width " << width << " count " << count << " down " << down;
    ASSERT_EQ(runner_.Get(kCount), 0u);
    ASSERT_EQ(runner_.Get(kDst), down ? At(dst) - count * width : At(dst) + count * width);
  }
}

TEST_F(StringUop, LongCopyLeavesExactPointersAndAnUnknownArea) {
  SetPointers(0, 16000, 10000);
  runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 1, kDst, kSrc, kCount));
  EXPECT_EQ(runner_.Get(kDst), At(10000));
  EXPECT_EQ(runner_.Known(kDst), 0xff);
  EXPECT_EQ(runner_.Get(kCount), 0u);
  EXPECT_EQ(Load(9999).known & 1, 0);
  EXPECT_EQ(Load(10000).known & 1, 1);
}

// Loads from the other address would not see it.
TEST_F(StringUop, LongCopyIntoMemoryMappedTwiceAborts) {
  SpecialRanges special = {};
  special.count = 1;
  special.ranges[0] = {At(8192), At(12288), PageState::kTwice};
  runner_.evaluator().memory.pages.special = &special;
  for (const uint64_t bytes : {uint64_t{100}, uint64_t{10000}}) {
    runner_.Adopt();
    SetPointers(8192 - 50, 16000, bytes);
    EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 1, kDst, kSrc, kCount)).outcome, BlockOutcome::kAborted)
        << bytes;
  }
  runner_.Adopt();
  SetPointers(16000, 8192, 10000);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 1, kDst, kSrc, kCount)).outcome, BlockOutcome::kNext)
      << "read only";
}

// Whatever the length, code that it covers must be found (tracer.cc).
TEST_F(StringUop, StoredBytesAreFound) {
  for (const uint64_t bytes : {uint64_t{4096}, uint64_t{kMaxProbedPages + 4} * kProbePageBytes}) {
    runner_.Adopt();
    const ShadowMemory& memory = runner_.evaluator().memory;
    StoreRange(&runner_.evaluator().memory, At(0), bytes, 0, false);
    EXPECT_TRUE(HasStored(memory, At(0), 16)) << bytes;
    EXPECT_TRUE(HasStored(memory, At(0) + bytes - 8, 16)) << bytes;
    EXPECT_FALSE(HasStored(memory, At(0) + bytes, 16)) << bytes;
  }
}

TEST_F(StringUop, CopyBeyondReadableMemoryAborts) {
  SetPointers(0, kBytes - 100, 200);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 1, kDst, kSrc, kCount)).reason, AbortReason::kUnreadableData);
  runner_.Adopt();
  SetPointers(kBytes - 100, 0, 5000);
  runner_.Set(kValue, 0);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_STORE, 1, kDst, 0, kCount, 0, kValue)).reason,
            AbortReason::kUnreadableData);
  runner_.Adopt();
  SetPointers(0, 0, ~uint64_t{0} / 2);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 8, kDst, kSrc, kCount)).outcome, BlockOutcome::kAborted);
  SetPointers(0, 0, uint64_t{1} << 61);  // 2^64 bytes
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 8, kDst, kSrc, kCount)).outcome, BlockOutcome::kAborted);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_STORE, 8, kDst, 0, kCount, 0, kValue)).outcome,
            BlockOutcome::kAborted);
}

TEST_F(StringUop, SearchAgreesWithLoop) {
  for (int round = 0; round < 2000; ++round) {
    const uint32_t width = 1u << random_() % 4;
    const bool down = random_() % 3 == 0;
    const bool is_scan = random_() % 2 == 0;
    const bool while_equal = random_() % 2 == 0;
    const bool once = random_() % 8 == 0;
    uint64_t count = once ? 1 : random_() % 40;
    uint64_t src = 9000 + random_() % 64;
    uint64_t dst = random_() % 4 == 0 ? src : 9000 + random_() % 64;
    const uint64_t value = random_() % 4 * 0x0101010101010101;
    const uint8_t flags_before = static_cast<uint8_t>(random_() & SOFTLBR_FLAG_ALL);
    runner_.Adopt();
    SetPointers(dst, src, count);
    runner_.Set(kValue, value);
    runner_.SetFlags(flags_before);
    const uint32_t aux = (down ? kDown : 0u) | (while_equal ? kWhileEqual : 0u);
    runner_.Run(MakeUop(is_scan ? SOFTLBR_OP_STRING_SCAN : SOFTLBR_OP_STRING_COMPARE, width, kDst, kSrc,
                        once ? uint16_t{SOFTLBR_REG_ZERO} : kCount, SOFTLBR_UOP_SET_FLAGS, kValue, aux));

    uint64_t left = 0;
    uint64_t right = 0;
    bool compared = false;
    while (count > 0) {
      left = is_scan ? value : 0;
      right = 0;
      if (!is_scan) std::memcpy(&left, &memory_[src], width);
      std::memcpy(&right, &memory_[dst], width);
      if (is_scan) std::memset(reinterpret_cast<char*>(&left) + width, 0, 8 - width);
      compared = true;
      --count;
      src += down ? -uint64_t{width} : width;
      dst += down ? -uint64_t{width} : width;
      if ((left == right) != while_equal) break;
    }
    ASSERT_EQ(runner_.Get(kDst), At(dst));
    ASSERT_EQ(runner_.Known(kDst), 0xff);
    ASSERT_TRUE(is_scan || runner_.Get(kSrc) == At(src));
    ASSERT_TRUE(once || runner_.Get(kCount) == count);
    if (!compared) {
      ASSERT_EQ(runner_.Flags(), flags_before);
      continue;
    }
    const LazyFlags lazy = runner_.evaluator().lazy;
    ASSERT_EQ(EvaluateCondition(lazy, SOFTLBR_COND_Z), TruthOf(left == right));
    ASSERT_EQ(EvaluateCondition(lazy, SOFTLBR_COND_C), TruthOf(left < right));
  }
}

TEST_F(StringUop, SearchOverAnUnknownByteIsUnknown) {
  runner_.Run(MakeUop(SOFTLBR_OP_STORE_UNKNOWN, 1, 0, kDst));
  SetPointers(100, 0, 50);
  std::memset(memory_ + 100, 1, 50);
  runner_.Set(kSrc, At(120));
  runner_.Run(MakeUop(SOFTLBR_OP_STORE_UNKNOWN, 1, 0, kSrc));
  runner_.Set(kValue, 0);
  runner_.Run(MakeUop(SOFTLBR_OP_STRING_SCAN, 1, kDst, 0, kCount, SOFTLBR_UOP_SET_FLAGS, kValue));
  EXPECT_EQ(runner_.Known(kDst), 0);
  EXPECT_EQ(runner_.Known(kCount), 0);
  EXPECT_EQ(EvaluateCondition(runner_.evaluator().lazy, SOFTLBR_COND_Z), Truth::kUnknown);
  // Found before the UNKNOWN byte: exact.
  memory_[110] = 0;
  SetPointers(100, 0, 50);
  runner_.Run(MakeUop(SOFTLBR_OP_STRING_SCAN, 1, kDst, 0, kCount, SOFTLBR_UOP_SET_FLAGS, kValue));
  EXPECT_EQ(runner_.Get(kDst), At(111));
  EXPECT_EQ(runner_.Get(kCount), 39u);
}

TEST_F(StringUop, LongSearchIsUnknownButBounded) {
  std::memset(memory_, 1, sizeof(memory_));
  SetPointers(0, 0, 20000);
  runner_.Set(kValue, 7);
  const BlockExit exit =
      runner_.Run(MakeUop(SOFTLBR_OP_STRING_SCAN, 1, kDst, 0, kCount, SOFTLBR_UOP_SET_FLAGS, kValue));
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Known(kDst), 0);
}

TEST_F(StringUop, UnknownMoveCountGivesZeroCountAndPoison) {
  SetPointers(0, 100, 0);
  runner_.Set(kCount, 0, 0);
  runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 1, kDst, kSrc, kCount));
  EXPECT_EQ(runner_.Known(kDst), 0);
  EXPECT_EQ(runner_.Known(kSrc), 0);
  EXPECT_EQ(runner_.Known(kCount), 0xff);
  EXPECT_EQ(runner_.Get(kCount), 0u);
  EXPECT_TRUE(runner_.evaluator().memory.stores.is_poisoned);
}

TEST_F(StringUop, UnknownDestinationStillMovesKnownPointers) {
  SetPointers(0, 100, 5);
  runner_.Set(kDst, 0, 0);
  runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 4, kDst, kSrc, kCount));
  EXPECT_EQ(runner_.Known(kDst), 0);
  EXPECT_EQ(runner_.Known(kSrc), 0xff);
  EXPECT_EQ(runner_.Get(kSrc), At(120));
  EXPECT_TRUE(runner_.evaluator().memory.stores.is_poisoned);
}

TEST_F(StringUop, UnknownDirectionLeavesPointersUnknown) {
  SetPointers(1000, 2000, 5);
  runner_.Set(kDirection, 0, 0);
  runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 4, kDst, kSrc, kCount, 0, 0, kDirection << 2));
  EXPECT_EQ(runner_.Known(kDst), 0);
  EXPECT_EQ(runner_.Known(kSrc), 0);
  EXPECT_EQ(runner_.Get(kCount), 0u);
  EXPECT_TRUE(runner_.evaluator().memory.stores.is_poisoned);
}

TEST_F(StringUop, CountZeroTouchesNothing) {
  runner_.Set(kDst, 0x10);  // unreadable
  runner_.Set(kSrc, 0x20, 0);
  runner_.Set(kCount, 0);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STRING_MOVE, 8, kDst, kSrc, kCount)).outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Get(kDst), 0x10u);
  EXPECT_EQ(runner_.Known(kDst), 0xff);
  EXPECT_FALSE(runner_.evaluator().memory.stores.is_poisoned);
}

}  // namespace
}  // namespace softlbr::lookahead_test
