#include "runtime/lookahead/memory/store_buffer.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {
namespace {

std::unique_ptr<StoreBuffer> MakeBuffer() {
  auto buffer = std::make_unique<StoreBuffer>();
  std::memset(buffer.get(), 0xa5, sizeof(StoreBuffer));  // memory of any content
  InitStoreBuffer(buffer.get());
  return buffer;
}

TEST(StoreBuffer, InitMakesAnyMemoryEmpty) {
  const auto buffer = MakeBuffer();
  EXPECT_TRUE(IsStoreBufferEmpty(*buffer));
  EXPECT_FALSE(buffer->is_poisoned);
  EXPECT_TRUE(CheckStoreBuffer(*buffer));
  EXPECT_EQ(LoadBuffered(*buffer, 0x1000, 8).written, 0);
}

TEST(StoreBuffer, ReadsBackUnalignedStoresAcrossLines) {
  const auto buffer = MakeBuffer();
  for (uint32_t offset = 0; offset < 2 * kStoreLineBytes; ++offset) {
    for (uint32_t width = 1; width <= 8; ++width) {
      ClearStoreBuffer(buffer.get());
      StoreBuffered(buffer.get(), 0x1000 + offset, width, Value{0x8877665544332211, 0xff});
      const BufferedValue got = LoadBuffered(*buffer, 0x1000 + offset, width);
      EXPECT_EQ(got.written, WidthKnown(width));
      EXPECT_EQ(got.known, WidthKnown(width));
      EXPECT_EQ(got.bits & WidthBits(width), 0x8877665544332211 & WidthBits(width));
      EXPECT_EQ(LoadBuffered(*buffer, 0x1000 + offset - 1, 1).written, 0);
      EXPECT_EQ(LoadBuffered(*buffer, 0x1000 + offset + width, 1).written, 0);
    }
  }
}

TEST(StoreBuffer, LaterRangeHidesEarlierLines) {
  const auto buffer = MakeBuffer();
  StoreBuffered(buffer.get(), 0x1ffc, 8, Value{0x1111111111111111, 0xff});
  StoreBuffered(buffer.get(), 0x2100, 8, Value{0x2222222222222222, 0xff});
  StoreRangeBuffered(buffer.get(), 0x2000, 0x1000, 0x33, true);
  EXPECT_EQ(LoadBuffered(*buffer, 0x1ffc, 8).bits, 0x3333333311111111u);
  EXPECT_EQ(LoadBuffered(*buffer, 0x2100, 8).bits, 0x3333333333333333u);
  StoreBuffered(buffer.get(), 0x2100, 4, Value{0x44444444, 0xff});
  EXPECT_EQ(LoadBuffered(*buffer, 0x2100, 8).bits, 0x3333333344444444u);
}

TEST(StoreBuffer, UnknownRangeOverKnownRangeIsUnknown) {
  const auto buffer = MakeBuffer();
  StoreRangeBuffered(buffer.get(), 0x2000, 0x1000, 0x33, true);
  StoreRangeBuffered(buffer.get(), 0x2800, 0x1000, 0, false);
  EXPECT_EQ(LoadBuffered(*buffer, 0x27fc, 8).known, 0x0f);
  EXPECT_EQ(LoadBuffered(*buffer, 0x27fc, 8).written, 0xff);
  EXPECT_EQ(LoadBuffered(*buffer, 0x3800, 8).written, 0);
}

TEST(StoreBuffer, PoisonKeepsOnlyLaterStores) {
  const auto buffer = MakeBuffer();
  StoreBuffered(buffer.get(), 0x1000, 8, Value{1, 0xff});
  PoisonStoreBuffer(buffer.get());
  EXPECT_TRUE(buffer->is_poisoned);
  EXPECT_EQ(LoadBuffered(*buffer, 0x1000, 8).written, 0);
  StoreBuffered(buffer.get(), 0x1000, 4, Value{2, 0xff});
  EXPECT_EQ(LoadBuffered(*buffer, 0x1000, 8).written, 0x0f);
  EXPECT_TRUE(buffer->is_poisoned);
  ClearStoreBuffer(buffer.get());
  EXPECT_FALSE(buffer->is_poisoned);
}

TEST(StoreBuffer, LostStoresAreUnknownAndOthersKept) {
  const auto buffer = MakeBuffer();
  uint64_t stored = 0;
  while (buffer->lost_stores == 0 && stored <= kStoreBufferEntries) {
    StoreBuffered(buffer.get(), 0x10000 + kStoreLineBytes * stored, 8, Value{stored, 0xff});
    ++stored;
  }
  ASSERT_EQ(buffer->lost_stores, 1u);
  EXPECT_GT(stored, kStoreBufferEntries * 3 / 4);
  EXPECT_FALSE(buffer->is_poisoned);
  EXPECT_TRUE(CheckStoreBuffer(*buffer));
  for (uint64_t i = 0; i + 1 < stored; ++i) {
    const BufferedValue got = LoadBuffered(*buffer, 0x10000 + kStoreLineBytes * i, 8);
    ASSERT_EQ(got.known, 0xff);
    ASSERT_EQ(got.bits, i);
  }
  const uint64_t lost_address = 0x10000 + kStoreLineBytes * (stored - 1);
  EXPECT_EQ(LoadBuffered(*buffer, lost_address, 8).written, 0xff);
  EXPECT_EQ(LoadBuffered(*buffer, lost_address, 8).known, 0);
  EXPECT_EQ(LoadBuffered(*buffer, 0x900000, 8).written, 0);  // another block
  // An existing line still takes stores; a later range does not bring back a lost store.
  StoreBuffered(buffer.get(), 0x10000 + 8, 8, Value{77, 0xff});
  EXPECT_EQ(LoadBuffered(*buffer, 0x10000 + 8, 8).bits, 77u);
  StoreRangeBuffered(buffer.get(), lost_address & ~uint64_t{0xfff}, 4096, 5, true);
  EXPECT_EQ(LoadBuffered(*buffer, lost_address, 8).known, 0);
  ClearStoreBuffer(buffer.get());
  EXPECT_EQ(LoadBuffered(*buffer, lost_address, 8).written, 0);
  EXPECT_TRUE(IsStoreBufferEmpty(*buffer));
}

TEST(StoreBuffer, LostStoreHidesEarlierRange) {
  const auto buffer = MakeBuffer();
  StoreRangeBuffered(buffer.get(), 0x10000, 0x100000, 5, true);
  uint64_t address = 0x10000;
  for (; buffer->lost_stores == 0; address += kStoreLineBytes) StoreBuffered(buffer.get(), address, 1, Value{9, 0xff});
  address -= kStoreLineBytes;
  EXPECT_EQ(LoadBuffered(*buffer, address, 1).known, 0);
  EXPECT_EQ(LoadBuffered(*buffer, address, 1).written, 1);
  EXPECT_EQ(LoadBuffered(*buffer, 0x10000 + 1, 1).bits & 0xff, 5u);
}

TEST(StoreBuffer, HoldsScatteredAndStridedLinesAtHighLoad) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    const auto buffer = MakeBuffer();
    const uint64_t stride = round < 10 ? 0 : kStoreLineBytes << (round % 20);  // 16 bytes .. 8 MiB
    uint64_t stored = 0;
    for (; buffer->lost_stores == 0 && stored < kStoreBufferEntries; ++stored) {
      const uint64_t address = stride == 0 ? random() % (1u << 30) * kStoreLineBytes : 0x7ff000000000 + stored * stride;
      StoreBuffered(buffer.get(), address, 8, Value{0, 0xff});
    }
    ASSERT_GT(stored, kStoreBufferEntries * 5 / 8) << "stride " << stride;
    ASSERT_TRUE(CheckStoreBuffer(*buffer));
  }
}

TEST(StoreBuffer, PoisonsWhenRangesRunOutAndKeepsNewest) {
  const auto buffer = MakeBuffer();
  for (uint64_t i = 0; i < kStoreRanges; ++i) StoreRangeBuffered(buffer.get(), 0x10000 * (i + 1), 100, 7, true);
  EXPECT_FALSE(buffer->is_poisoned);
  StoreRangeBuffered(buffer.get(), 0x90000, 100, 9, true);
  EXPECT_TRUE(buffer->is_poisoned);
  EXPECT_EQ(LoadBuffered(*buffer, 0x90000, 1).bits & 0xff, 9u);
  EXPECT_EQ(LoadBuffered(*buffer, 0x10000, 1).written, 0);
}

TEST(StoreBuffer, RangeReplacesCoveredRange) {
  const auto buffer = MakeBuffer();
  for (uint64_t i = 0; i < 20; ++i) StoreRangeBuffered(buffer.get(), 0x10000, 4096, static_cast<uint8_t>(i), true);
  EXPECT_FALSE(buffer->is_poisoned);
  EXPECT_EQ(buffer->range_count, 1u);
  EXPECT_EQ(LoadBuffered(*buffer, 0x10000, 8).bits, 0x1313131313131313u);
}

TEST(StoreBuffer, WorksAtBothEndsOfTheAddressSpace) {
  const auto buffer = MakeBuffer();
  StoreBuffered(buffer.get(), ~uint64_t{0} - 3, 8, Value{0x8877665544332211, 0xff});
  EXPECT_EQ(LoadBuffered(*buffer, ~uint64_t{0} - 3, 8).bits, 0x8877665544332211);
  EXPECT_EQ(LoadBuffered(*buffer, 0, 4).bits & 0xffffffff, 0x88776655u);
  StoreRangeBuffered(buffer.get(), ~uint64_t{0} - 200, 200, 5, true);
  EXPECT_EQ(LoadBuffered(*buffer, ~uint64_t{0} - 1, 1).bits & 0xff, 5u);
  EXPECT_EQ(LoadBuffered(*buffer, ~uint64_t{0}, 1).bits & 0xff, 0x44u);  // the last byte is not in the range
  StoreRangeBuffered(buffer.get(), ~uint64_t{0} - 200, 1000, 5, true);
  EXPECT_TRUE(buffer->is_poisoned);
}

TEST(StoreBuffer, SurvivesGenerationWrap) {
  const auto buffer = MakeBuffer();
  StoreBuffered(buffer.get(), 0x1000, 8, Value{1, 0xff});  // in generation 1 or 2, which is reused after the wrap
  ClearStoreBuffer(buffer.get());
  buffer->generation = UINT32_MAX - 3;
  for (uint32_t i = 0; i < 10; ++i) {
    StoreBuffered(buffer.get(), 0x1000 + 16 * (i % 3), 8, Value{i, 0xff});
    ClearStoreBuffer(buffer.get());
    EXPECT_NE(buffer->generation, 0u);
    for (uint64_t at = 0x1000; at < 0x1030; at += 16) ASSERT_EQ(LoadBuffered(*buffer, at, 8).written, 0) << i;
  }
}

// A model of the buffer: each byte is absent, known or UNKNOWN.
class ByteModel {
 public:
  void Store(uint64_t address, uint32_t width, Value value) {
    for (uint32_t i = 0; i < width; ++i) {
      bytes_[address + i] = {static_cast<uint8_t>(value.bits >> (8 * i)), (value.known >> i & 1) != 0};
    }
  }
  void StoreRange(uint64_t address, uint64_t bytes, uint8_t value, bool is_known) {
    for (uint64_t i = 0; i < bytes; ++i) bytes_[address + i] = {value, is_known};
  }
  void Clear() { bytes_.clear(); }
  // Does the buffer agree with the model? may_know_less: the buffer may be poisoned or have lost stores.
  bool Agrees(const StoreBuffer& buffer, uint64_t address, uint32_t width, bool may_know_less) const {
    const BufferedValue got = LoadBuffered(buffer, address, width);
    for (uint32_t i = 0; i < width; ++i) {
      const auto found = bytes_.find(address + i);
      const bool written = (got.written >> i & 1) != 0;
      const bool known = (got.known >> i & 1) != 0;
      if (known && !written) return false;
      if (found == bytes_.end()) {
        if (written && (known || !may_know_less)) return false;
        continue;
      }
      if ((!written || !known) && may_know_less) {
        // Absent and not poisoned would mean that memory holds the value.
        if (!written && !buffer.is_poisoned) return false;
        continue;
      }
      if (!written || known != found->second.second) return false;
      if (known && (got.bits >> (8 * i) & 0xff) != found->second.first) return false;
    }
    return true;
  }

 private:
  std::map<uint64_t, std::pair<uint8_t, bool>> bytes_;
};

TEST(StoreBuffer, AgreesWithByteMapOnRandomSequences) {
  Random random(4);
  for (int sequence = 0; sequence < 300; ++sequence) {
    const auto buffer = MakeBuffer();
    ByteModel model;
    // Stores to a small area overlap often, those to a large one fill the buffer.
    const uint64_t area = sequence % 4 == 0 ? 65536 : 512;
    for (int step = 0; step < (area > 512 ? 2000 : 300); ++step) {
      const uint64_t address = 0x7000 + random() % area;
      const uint32_t width = 1 + static_cast<uint32_t>(random() % 8);
      const bool was_poisoned = buffer->is_poisoned;
      switch (random() % 16) {
        case 0: {
          const uint64_t bytes = random() % 300;
          const auto value = static_cast<uint8_t>(random());
          const bool is_known = random() % 2 != 0;
          model.StoreRange(address, bytes, value, is_known);
          StoreRangeBuffered(buffer.get(), address, bytes, value, is_known);
          break;
        }
        case 1:
          if (random() % 20 == 0) {
            ClearStoreBuffer(buffer.get());
            model.Clear();
          }
          break;
        default: {
          const Value value = {random(), RandomKnown(random)};
          model.Store(address, width, value);
          StoreBuffered(buffer.get(), address, width, value);
          break;
        }
      }
      ASSERT_TRUE(CheckStoreBuffer(*buffer));
      const bool is_poisoned = was_poisoned || buffer->is_poisoned || buffer->lost_stores != 0;
      for (int probe = 0; probe < 4; ++probe) {
        const uint64_t at = 0x6ff0 + random() % (area + 400);
        ASSERT_TRUE(model.Agrees(*buffer, at, 1 + static_cast<uint32_t>(random() % 8), is_poisoned)) << "step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace softlbr::lookahead_test
