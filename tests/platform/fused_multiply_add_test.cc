#include "platform/fused_multiply_add.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace softlbr::platform {
namespace {

// Near the limits of the range and near cancellation a second rounding would show, and operands in the wrong places.
TEST(FusedMultiplyAdd, IsLibmsNearLimitsAndCancellation) {
  LearnFusedMultiplyAdd();
  double probe = 1;
  if (!FusedMultiplyAdd(2.0, 3.0, &probe)) GTEST_SKIP() << "needs a CPU with fused multiply-add";
  EXPECT_EQ(probe, 7);
  std::mt19937_64 random(17);
  for (int round = 0; round < 300000; ++round) {
    const int spread = static_cast<int>(random() % 120) - 60;
    const auto any = [&](int exponent) {
      const double mantissa = 1.0 + static_cast<double>(random() >> 12) / 4503599627370496.0;
      return std::ldexp(random() % 2 != 0 ? mantissa : -mantissa, exponent);
    };
    const int ea = static_cast<int>(random() % 2000) - 1000;
    const int eb =
        round % 3 == 0 ? -1030 - ea + static_cast<int>(random() % 60) : static_cast<int>(random() % 200) - 100;
    const double a = any(ea);
    const double b = any(eb);
    double c = any(ea + eb + spread);
    if (round % 4 == 0) c = -(a * b);  // cancels all but the product's low half
    const double want = std::fma(a, b, c);
    double got = c;
    ASSERT_TRUE(FusedMultiplyAdd(a, b, &got));
    if (std::isnan(want)) continue;
    ASSERT_EQ(std::memcmp(&got, &want, sizeof got), 0) << std::hexfloat << a << " * " << b << " + " << c;
    const auto fa = static_cast<float>(any(ea / 10));
    const auto fb =
        static_cast<float>(any(round % 3 == 0 ? -130 - ea / 10 + static_cast<int>(random() % 20) : spread / 2));
    auto fc = static_cast<float>(any(ea / 10 + spread));
    if (round % 4 == 0) fc = -(fa * fb);
    const float wanted = std::fma(fa, fb, fc);
    float gotten = fc;
    ASSERT_TRUE(FusedMultiplyAdd(fa, fb, &gotten));
    if (std::isnan(wanted)) continue;
    ASSERT_EQ(std::memcmp(&gotten, &wanted, sizeof gotten), 0) << std::hexfloat << fa << " * " << fb << " + " << fc;
  }
}

}  // namespace
}  // namespace softlbr::platform
