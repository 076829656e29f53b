// The table of known code keeps numbers while it grows, and begins anew when it is full.
#include "toolchain/db/flow/code_numbers.h"

#include <gtest/gtest.h>

namespace softlbr::toolchain {
namespace {

TEST(CodeNumbers, KeepsNumbersWhileItGrows) {
  constexpr uint32_t kEntries = 100'000;
  CodeNumbers numbers;
  for (uint32_t i = 1; i <= kEntries; ++i) {
    uint32_t* number = numbers.Of({i, 7});
    ASSERT_EQ(*number, 0u) << i;
    *number = i;
  }
  for (uint32_t i = 1; i <= kEntries; ++i) ASSERT_EQ(*numbers.Of({i, 7}), i);
  EXPECT_EQ(*numbers.Of({1, 8}), 0u) << "both words are compared";
}

TEST(CodeNumbers, BeginsAnewWhenItIsFullOrCleared) {
  CodeNumbers numbers;
  uint32_t most = 0;
  for (uint32_t i = 1; i <= 1'500'000; ++i) {
    *numbers.Of({i, 0}) = i;
    if (i > 1 && most == 0 && *numbers.Of({1, 0}) == 0) most = i;
    *numbers.Of({1, 0}) = 1;
  }
  EXPECT_EQ(most, (1u << 20) + 1) << "the first entry beyond the bound";
  EXPECT_EQ(*numbers.Of({1'500'000, 0}), 1'500'000u);
  numbers.Clear();
  EXPECT_EQ(*numbers.Of({1'500'000, 0}), 0u);
}

}  // namespace
}  // namespace softlbr::toolchain
