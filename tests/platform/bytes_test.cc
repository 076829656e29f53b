#include "platform/base/bytes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace softlbr {
namespace {

TEST(Bytes, CopiesExactlyEveryLengthAtEveryAlignment) {
  std::vector<uint8_t> source(96);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i + 1);
  for (uint64_t offset = 0; offset < 9; ++offset) {
    for (uint64_t length = 0; length < 40; ++length) {
      std::vector<uint8_t> output(96, 0);
      CopyBytes(&output[8 + offset], &source[offset / 2], length);
      for (uint64_t i = 0; i < output.size(); ++i) {
        const bool is_inside = i >= 8 + offset && i < 8 + offset + length;
        ASSERT_EQ(output[i], is_inside ? source[offset / 2 + i - 8 - offset] : 0);
      }
    }
  }
}

TEST(Bytes, CopiesToALowerOverlappingAddress) {
  for (uint64_t distance = 1; distance < 12; ++distance) {
    std::string text = "abcdefghijklmnopqrstuvwxyz0123456789";
    const std::string expected = text.substr(distance);
    CopyBytes(text.data(), text.data() + distance, text.size() - distance);
    EXPECT_EQ(text.substr(0, expected.size()), expected);
  }
}

TEST(Bytes, FillsExactlyEveryLength) {
  for (uint64_t offset = 0; offset < 9; ++offset) {
    for (uint64_t length = 0; length < 40; ++length) {
      std::vector<uint8_t> output(64, 1);
      FillBytes(&output[offset], 0xa5, length);
      for (uint64_t i = 0; i < output.size(); ++i) {
        ASSERT_EQ(output[i], i >= offset && i < offset + length ? 0xa5 : 1);
      }
    }
  }
}

TEST(Bytes, ComparesEveryByte) {
  for (uint64_t length = 0; length < 40; ++length) {
    std::string left(length, 'x');
    std::string right(length, 'x');
    EXPECT_TRUE(EqualBytes(left.data(), right.data(), length));
    for (uint64_t i = 0; i < length; ++i) {
      right[i] = 'y';
      EXPECT_FALSE(EqualBytes(left.data(), right.data(), length));
      right[i] = 'x';
    }
  }
}

TEST(Bytes, MeasuresStringsUpToTheLimit) {
  EXPECT_EQ(StringBytes("", 5), 0u);
  EXPECT_EQ(StringBytes("abc", 5), 3u);
  EXPECT_EQ(StringBytes("abc", 3), 3u);
  EXPECT_EQ(StringBytes("abc", 2), 2u);
  EXPECT_EQ(StringBytes("abc", 0), 0u);
}

TEST(Bytes, LoadsAndStoresAtAnyAlignment) {
  char buffer[16] = {};
  StoreUnaligned<uint64_t>(buffer + 3, 0x1122334455667788);
  EXPECT_EQ(LoadUnaligned<uint64_t>(buffer + 3), 0x1122334455667788u);
  EXPECT_EQ(buffer[2], 0);
  EXPECT_EQ(buffer[11], 0);
}

}  // namespace
}  // namespace softlbr
