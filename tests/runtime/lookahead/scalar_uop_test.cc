// Scalar ops beyond the native tests: A64 forms against plain C++, writes by width, partly known values,
// well-formedness.
#include <gtest/gtest.h>

#include "tests/runtime/lookahead/random_uop.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint32_t kNotBorrow = SOFTLBR_UOP_CARRY_NOT_BORROW;
constexpr uint32_t kNegate = SOFTLBR_UOP_NEGATE;
constexpr uint32_t kSigned = SOFTLBR_UOP_SIGNED;
constexpr uint8_t kNzcv = SOFTLBR_FLAG_S | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_C | SOFTLBR_FLAG_V;

uint64_t Cut(uint64_t x, uint32_t width) { return width == 8 ? x : x & ((uint64_t{1} << (8 * width)) - 1); }
int64_t Signed(uint64_t x, uint32_t width) {
  return width == 8 ? static_cast<int64_t>(x) : static_cast<int32_t>(static_cast<uint32_t>(x));
}

// NZCV of x + y + carry, by AddWithCarry of the A64 manual.
uint8_t AddWithCarryFlags(uint64_t x, uint64_t y, bool carry, uint32_t width) {
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;
  const Wide sum = static_cast<Wide>(Cut(x, width)) + Cut(y, width) + (carry ? 1 : 0);
  const uint64_t result = Cut(static_cast<uint64_t>(sum), width);
  const SignedWide signed_sum = static_cast<SignedWide>(Signed(x, width)) + Signed(y, width) + (carry ? 1 : 0);
  uint8_t flags = 0;
  if (result == 0) flags |= SOFTLBR_FLAG_Z;
  if (Signed(result, width) < 0) flags |= SOFTLBR_FLAG_S;
  if (sum != result) flags |= SOFTLBR_FLAG_C;
  if (signed_sum != Signed(result, width)) flags |= SOFTLBR_FLAG_V;
  return flags;
}

// A condition from NZCV, by the A64 manual.
bool A64Condition(uint32_t condition, uint8_t f) {
  const bool n = (f & SOFTLBR_FLAG_S) != 0, z = (f & SOFTLBR_FLAG_Z) != 0, c = (f & SOFTLBR_FLAG_C) != 0,
             v = (f & SOFTLBR_FLAG_V) != 0;
  switch (condition) {
    case SOFTLBR_COND_Z: return z;
    case SOFTLBR_COND_C: return c;
    case SOFTLBR_COND_S: return n;
    case SOFTLBR_COND_V: return v;
    case SOFTLBR_COND_HI: return c && !z;
    case SOFTLBR_COND_LS: return !c || z;
    case SOFTLBR_COND_LT: return n != v;
    case SOFTLBR_COND_GE: return n == v;
    case SOFTLBR_COND_LE: return z || n != v;
    default:  // GT
      return !z && n == v;
  }
}
constexpr uint32_t kA64Conditions[] = {SOFTLBR_COND_Z,  SOFTLBR_COND_C,  SOFTLBR_COND_S,  SOFTLBR_COND_V,
                                       SOFTLBR_COND_HI, SOFTLBR_COND_LS, SOFTLBR_COND_LT, SOFTLBR_COND_GE,
                                       SOFTLBR_COND_LE, SOFTLBR_COND_GT};

TEST(ScalarUopA64, AdditionsAndSubtractionsSetNzcv) {
  Random random(31);
  UopRunner runner(kMachineAarch64);
  for (int round = 0; round < 20000; ++round) {
    const uint32_t width = round % 2 == 0 ? 4 : 8;
    const uint64_t a = InterestingBits(random);
    const uint64_t b = random() % 8 == 0 ? a : InterestingBits(random);
    const bool carry = random() % 2 != 0;
    const struct {
      uint32_t op;
      uint32_t flags;
      uint64_t result;
      uint8_t nzcv;
    } cases[] = {
        {SOFTLBR_OP_ADD, 0, a + b, AddWithCarryFlags(a, b, false, width)},
        {SOFTLBR_OP_SUB, kNotBorrow, a - b, AddWithCarryFlags(a, ~b, true, width)},
        {SOFTLBR_OP_ADC, 0, a + b + (carry ? 1 : 0), AddWithCarryFlags(a, b, carry, width)},
        {SOFTLBR_OP_SBB, kNotBorrow, a - b - (carry ? 0 : 1), AddWithCarryFlags(a, ~b, carry, width)},
    };
    for (const auto& c : cases) {
      runner.Set(kA, a);
      runner.Set(kB, b);
      runner.SetFlags(carry ? SOFTLBR_FLAG_C : 0);
      runner.Run(MakeUop(c.op, width, kC, kA, kB, c.flags | kSet));
      ASSERT_EQ(runner.Get(kC), Cut(c.result, width));
      for (const uint32_t condition : kA64Conditions) {
        ASSERT_EQ(EvaluateCondition(runner.evaluator().lazy, condition), TruthOf(A64Condition(condition, c.nzcv)))
            << OpName(c.op) << " condition " << condition << std::hex << " " << a << " " << b;
      }
      ASSERT_EQ(runner.FlagsKnown() & kNzcv, kNzcv);
      ASSERT_EQ(runner.Flags() & kNzcv, c.nzcv);
    }
  }
}

TEST(ScalarUopA64, ConditionalCompareSetsFlagsOrTheImmediate) {
  Random random(32);
  UopRunner runner(kMachineAarch64);
  for (int round = 0; round < 20000; ++round) {
    const uint64_t a = InterestingBits(random);
    const uint64_t b = InterestingBits(random);
    const uint8_t before = static_cast<uint8_t>(random() & SOFTLBR_FLAG_ALL);
    const bool negate = random() % 2 != 0;
    const bool immediate = random() % 2 != 0;
    const uint32_t otherwise = static_cast<uint32_t>(random() & SOFTLBR_FLAG_ALL);
    const uint32_t condition = kA64Conditions[random() % 10];
    const uint32_t small = static_cast<uint32_t>(random() % 32);
    runner.Set(kA, a);
    runner.Set(kB, b);
    runner.SetFlags(before);
    runner.Run(MakeUop(SOFTLBR_OP_CCMP, 8, 0, kA, kB,
                       kSet | kNotBorrow | (negate ? kNegate : 0) | (immediate ? SOFTLBR_UOP_B_IMM : 0),
                       static_cast<int32_t>(otherwise << 16 | small), condition));
    const uint64_t second = immediate ? small : b;
    uint8_t want = static_cast<uint8_t>(otherwise);
    if (A64Condition(condition, before)) {
      want = negate ? AddWithCarryFlags(a, second, false, 8) : AddWithCarryFlags(a, ~second, true, 8);
    }
    ASSERT_EQ(runner.FlagsKnown() & kNzcv, kNzcv);
    ASSERT_EQ(runner.Flags() & kNzcv, want & kNzcv);
  }
}

// ubfm, sbfm and bfm bit by bit, by the manual's pseudo-code.
uint64_t MoveField(uint64_t source, uint64_t background, uint32_t lsb, uint32_t length, uint32_t position,
                   uint32_t width, bool is_signed) {
  uint64_t result = background;
  bool top = false;
  for (uint32_t i = 0; i < length; ++i) {
    const uint32_t from = lsb + i;
    top = from < 8 * width && (source >> from & 1) != 0;
    const uint32_t to = position + i;
    if (to >= 64) break;
    result &= ~(uint64_t{1} << to);
    if (top) result |= uint64_t{1} << to;
  }
  if (is_signed) {
    for (uint32_t i = position + length; i < 64; ++i) {
      result &= ~(uint64_t{1} << i);
      if (top) result |= uint64_t{1} << i;
    }
  }
  return Cut(result, width);
}

TEST(ScalarUopA64, BitFieldsAgreeWithTheManual) {
  Random random(33);
  UopRunner runner(kMachineAarch64);
  for (int round = 0; round < 30000; ++round) {
    const uint32_t width = random() % 2 == 0 ? 4 : 8;
    const uint32_t bits = 8 * width;
    const uint32_t lsb = static_cast<uint32_t>(random() % bits);
    const uint32_t length = 1 + static_cast<uint32_t>(random() % (bits - lsb));
    const uint32_t position = static_cast<uint32_t>(random() % (bits - length + 1));
    const uint32_t form = static_cast<uint32_t>(random() % 3);
    const uint64_t source = InterestingBits(random);
    const uint64_t old = InterestingBits(random);
    runner.Set(kA, source);
    runner.Set(kC, old);
    const uint32_t flags = form == 1 ? kSigned : form == 2 ? uint32_t{SOFTLBR_UOP_MERGE} : 0;
    runner.Run(MakeUop(SOFTLBR_OP_BITFIELD, width, kC, 0, kA, flags,
                       static_cast<int32_t>(lsb | (length & 63) << 8 | position << 16)));
    ASSERT_EQ(runner.Known(kC), 0xff);
    ASSERT_EQ(runner.Get(kC), MoveField(source, form == 2 ? old : 0, lsb, length, position, width, form == 1))
        << lsb << " " << length << " " << position << " form " << form;
  }
}

TEST(ScalarUopA64, DivisionNeverTraps) {
  const uint64_t lowest = uint64_t{1} << 63;
  const struct {
    uint64_t a;
    uint64_t b;
    uint32_t width;
    bool is_signed;
    uint64_t want;
  } cases[] = {
      {7, 0, 8, false, 0},
      {7, 0, 8, true, 0},
      {lowest, ~uint64_t{0}, 8, true, lowest},
      {0x80000000, 0xffffffff, 4, true, 0x80000000},
      {0xfffffff9, 2, 4, true, 0xfffffffd},
      {0xfffffff9, 2, 4, false, 0x7ffffffc},
      {~uint64_t{0} - 6, 2, 8, true, ~uint64_t{0} - 2},
      {100, 7, 8, false, 14},
  };
  UopRunner runner(kMachineAarch64);
  for (const auto& c : cases) {
    runner.Set(kA, c.a);
    runner.Set(kB, c.b);
    const BlockExit exit = runner.Run(
        MakeUop(SOFTLBR_OP_DIV, c.width, kC, kA, kB, kNegate | (c.is_signed ? kSigned : 0), SOFTLBR_REG_ZERO));
    EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
    EXPECT_EQ(runner.Get(kC), c.want) << std::hex << c.a << " / " << c.b;
    EXPECT_EQ(runner.Known(kC), 0xff);
  }
}

TEST(ScalarUopA64, MultiplyAddExtractAndReverse) {
  Random random(34);
  UopRunner runner(kMachineAarch64);
  for (int round = 0; round < 5000; ++round) {
    const uint64_t a = InterestingBits(random);
    const uint64_t b = InterestingBits(random);
    const uint64_t c = InterestingBits(random);
    runner.Set(kA, a);
    runner.Set(kB, b);
    runner.Set(kC, c);
    const uint32_t width = round % 2 == 0 ? 4 : 8;
    runner.Run(MakeUop(SOFTLBR_OP_MADD, width, kD, kA, kB, 0, kC));
    ASSERT_EQ(runner.Get(kD), Cut(c + a * b, width));
    runner.Run(MakeUop(SOFTLBR_OP_MADD, width, kD, kA, kB, kNegate, kC));
    ASSERT_EQ(runner.Get(kD), Cut(c - a * b, width));
    runner.Run(MakeUop(SOFTLBR_OP_MADD_LONG, 8, kD, kA, kB, kSigned, kC));
    const auto low_a = static_cast<int32_t>(static_cast<uint32_t>(a));
    const auto low_b = static_cast<int32_t>(static_cast<uint32_t>(b));
    ASSERT_EQ(runner.Get(kD), c + static_cast<uint64_t>(int64_t{low_a} * low_b));
    runner.Run(MakeUop(SOFTLBR_OP_MADD_LONG, 8, kD, kA, kB, kNegate, kC));
    ASSERT_EQ(runner.Get(kD), c - (a & 0xffffffff) * (b & 0xffffffff));
    const uint32_t shift = static_cast<uint32_t>(random() % (8 * width));
    runner.Run(MakeUop(SOFTLBR_OP_EXTRACT, width, kD, kA, kB, 0, 0, shift));
    uint64_t want = Cut(b, width) >> shift;
    if (shift != 0) want |= Cut(a << (8 * width - shift), width);
    ASSERT_EQ(runner.Get(kD), Cut(want, width));
    runner.Run(MakeUop(SOFTLBR_OP_BIT_REVERSE, width, kD, kA));
    want = 0;
    for (uint32_t i = 0; i < 8 * width; ++i) want |= (a >> i & 1) << (8 * width - 1 - i);
    ASSERT_EQ(runner.Get(kD), want);
    for (const uint32_t group : {2u, 4u}) {
      runner.Run(MakeUop(SOFTLBR_OP_BYTE_SWAP_LANES, width, kD, kA, 0, 0, 0, group));
      want = 0;
      for (uint32_t i = 0; i < width; ++i) {
        want |= (a >> (8 * i) & 0xff) << (8 * (i / group * group + group - 1 - i % group));
      }
      ASSERT_EQ(runner.Get(kD), want);
    }
    runner.Run(MakeUop(SOFTLBR_OP_ORN, width, kD, kA, kB));
    ASSERT_EQ(runner.Get(kD), Cut(a | ~b, width));
    runner.Run(MakeUop(SOFTLBR_OP_ANDN, width, kD, kA, kB, kNegate));
    ASSERT_EQ(runner.Get(kD), Cut(a & ~b, width));
  }
}

TEST(ScalarUopA64, FloatCompareSetsNzcv) {
  UopRunner runner(kMachineAarch64);
  const struct {
    uint64_t a;
    uint64_t b;
    uint8_t want;
  } cases[] = {
      {0x3ff0000000000000, 0x4000000000000000, SOFTLBR_FLAG_S},  // 1 < 2
      {0x4000000000000000, 0x3ff0000000000000, SOFTLBR_FLAG_C},  // 2 > 1
      {0x8000000000000000, 0, SOFTLBR_FLAG_Z | SOFTLBR_FLAG_C},  // -0 == 0
      {0x7ff8000000000000, 0, SOFTLBR_FLAG_C | SOFTLBR_FLAG_V},  // NaN
  };
  for (const auto& c : cases) {
    runner.Set(kVA, c.a);
    runner.Set(kVB, c.b);
    runner.Run(MakeUop(SOFTLBR_OP_FCMP_FLAGS, 8, 0, kVA, kVB, kNotBorrow, 0, 8));
    EXPECT_EQ(runner.Flags() & kNzcv, c.want);
  }
}

TEST(ScalarUopA64, FloatToIntegerSaturates) {
  UopRunner runner(kMachineAarch64);
  const struct {
    uint64_t bits;
    uint32_t width;
    bool is_signed;
    uint64_t want;
  } cases[] = {
      {0x7ff8000000000000, 8, true, 0},                   // NaN
      {0x7ff0000000000000, 8, true, 0x7fffffffffffffff},  // infinity
      {0xfff0000000000000, 8, true, 0x8000000000000000},
      {0xfff0000000000000, 8, false, 0},
      {0x7ff0000000000000, 4, false, 0xffffffff},
      {0xc1e0000000200000, 4, true, 0x80000000},           // just below -2^31
      {0x41dfffffffc00000, 4, true, 0x7fffffff},           // 2^31 - 1
      {0xbff0000000000000, 4, false, 0},                   // -1
      {0x43e0000000000000, 8, false, 0x8000000000000000},  // 2^63
  };
  for (const auto& c : cases) {
    runner.Set(kVA, c.bits);
    runner.Run(MakeUop(SOFTLBR_OP_FLOAT_TO_INT, c.width, kC, kVA, 0, kNotBorrow | (c.is_signed ? kSigned : 0), 1, 8));
    EXPECT_EQ(runner.Get(kC), c.want) << std::hex << c.bits;
    EXPECT_EQ(runner.Known(kC), 0xff);
  }
}

// --- writes ---

TEST(ScalarUop, WritesByWidthMergeAndHighByte) {
  UopRunner runner;
  const uint64_t old = 0x1122334455667788;
  const struct {
    uint32_t width;
    uint32_t flags;
    uint64_t want;
    uint8_t known;  // of a register slot that was UNKNOWN before
  } cases[] = {
      {8, 0, 0xaabbccddeeff9900, 0xff},
      {4, 0, 0xeeff9900, 0xff},
      {2, 0, 0x9900, 0xff},
      {1, 0, 0x00, 0xff},
      {4, SOFTLBR_UOP_MERGE, 0x11223344eeff9900, 0x0f},
      {2, SOFTLBR_UOP_MERGE, 0x1122334455669900, 0x03},
      {1, SOFTLBR_UOP_MERGE, 0x1122334455667700, 0x01},
      {1, SOFTLBR_UOP_DST_HIGH, 0x1122334455660088, 0x02},
      {1, SOFTLBR_UOP_DST_HIGH | SOFTLBR_UOP_A_HIGH, 0x1122334455669988, 0x02},
      {1, SOFTLBR_UOP_MERGE | SOFTLBR_UOP_A_HIGH, 0x1122334455667799, 0x01},
  };
  runner.Set(kA, 0xaabbccddeeff9900);
  for (const auto& c : cases) {
    runner.Set(kC, old);
    runner.Run(MakeUop(SOFTLBR_OP_MOV, c.width, kC, kA, 0, c.flags));
    EXPECT_EQ(runner.Get(kC), c.want);
    EXPECT_EQ(runner.Known(kC), 0xff);
    runner.Set(kC, old, 0);
    runner.Run(MakeUop(SOFTLBR_OP_MOV, c.width, kC, kA, 0, c.flags));
    EXPECT_EQ(runner.Known(kC), c.known);
  }
}

TEST(ScalarUop, ConstantsExtensionsAndAddresses) {
  UopRunner runner;
  runner.Run(MakeUop(SOFTLBR_OP_CONST, 8, kC, 0, 0, 0, -5));
  EXPECT_EQ(runner.Get(kC), ~uint64_t{4});
  runner.Run(MakeUop(SOFTLBR_OP_CONST, 4, kC, 0, 0, 0, -5));
  EXPECT_EQ(runner.Get(kC), 0xfffffffbu);
  runner.Run(MakeUop(SOFTLBR_OP_CONST_HIGH, 8, kC, 0, 0, 0, static_cast<int32_t>(0x80000001)));
  EXPECT_EQ(runner.Get(kC), 0x80000001fffffffb);
  runner.Set(kA, 0xff80);
  runner.Run(MakeUop(SOFTLBR_OP_SIGN_EXTEND, 4, kC, kA, 0, 0, 0, 1));
  EXPECT_EQ(runner.Get(kC), 0xffffff80u);
  runner.Run(MakeUop(SOFTLBR_OP_SIGN_EXTEND, 8, kC, kA, 0, SOFTLBR_UOP_A_HIGH, 0, 1));
  EXPECT_EQ(runner.Get(kC), ~uint64_t{0});
  runner.Run(MakeUop(SOFTLBR_OP_ZERO_EXTEND, 8, kC, kA, 0, 0, 0, 1));
  EXPECT_EQ(runner.Get(kC), 0x80u);
  runner.Set(kB, 3);
  runner.Run(MakeUop(SOFTLBR_OP_ADDRESS, 4, kC, kA, kB, 0, -1, 3));
  EXPECT_EQ(runner.Get(kC), 0xff80u + 24 - 1);
}

TEST(ScalarUop, FlagMovesAndConstants) {
  UopRunner runner;
  runner.SetFlags(SOFTLBR_FLAG_C | SOFTLBR_FLAG_S);
  runner.Run(MakeUop(SOFTLBR_OP_GET_FLAGS, 8, kC));
  EXPECT_EQ(runner.Get(kC), uint64_t{SOFTLBR_FLAG_C | SOFTLBR_FLAG_S});
  EXPECT_EQ(runner.Known(kC), 0xff);
  runner.Run(MakeUop(SOFTLBR_OP_FLIP_CARRY, 8, 0));
  EXPECT_EQ(runner.Flags(), SOFTLBR_FLAG_S);
  runner.Run(MakeUop(SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, 0, SOFTLBR_FLAG_S | SOFTLBR_FLAG_Z, SOFTLBR_FLAG_Z));
  EXPECT_EQ(runner.Flags(), SOFTLBR_FLAG_Z);
  runner.Run(MakeUop(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, 0, SOFTLBR_FLAG_Z));
  EXPECT_EQ(runner.FlagsKnown(), SOFTLBR_FLAG_ALL & ~SOFTLBR_FLAG_Z);
  runner.Run(MakeUop(SOFTLBR_OP_GET_FLAGS, 8, kC));
  EXPECT_EQ(runner.Known(kC), 0xfe);
  runner.Set(kA, SOFTLBR_FLAG_Z | SOFTLBR_FLAG_V);
  runner.Run(MakeUop(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, kA, 0, 0, SOFTLBR_FLAG_Z | SOFTLBR_FLAG_C));
  EXPECT_EQ(runner.FlagsKnown(), SOFTLBR_FLAG_ALL);
  EXPECT_EQ(runner.Flags(), SOFTLBR_FLAG_Z);
}

TEST(ScalarUop, RoundingModeDecidesWhetherFloatsAreKnown) {
  UopRunner runner;
  const softlbr_uop add = MakeUop(SOFTLBR_OP_FADD, 16, kVD, kVA, kVB, SOFTLBR_UOP_SCALAR, 0, 8);
  const softlbr_uop load_mode = MakeUop(SOFTLBR_OP_ROUNDING, 4, 0, kA, 0, 0, 0x1f80, 6);
  runner.Set(kA, 0x1fbf);  // sticky exception flags do not matter
  runner.Run(load_mode);
  runner.Run(add);
  EXPECT_EQ(runner.Known(kVD), 0xff);
  runner.Set(kA, 0x9f80);  // flush to zero
  runner.Run(load_mode);
  runner.Run(add);
  EXPECT_EQ(runner.Known(kVD), 0);
  EXPECT_EQ(runner.Known(kVD + 1), 0xff);
  runner.Set(kA, 0x1f80, 0xfd);
  runner.Run(load_mode);
  EXPECT_FALSE(runner.context().rounding_is_default);
  runner.Set(kA, 0x1f80, 0x0f);
  runner.Run(load_mode);
  EXPECT_TRUE(runner.context().rounding_is_default);
}

// --- partly known values ---

TEST(ScalarUop, ResultsIndependentOfUnknownBytesAreKnown) {
  UopRunner runner;
  const auto known_after = [&](const softlbr_uop& uop) {
    runner.Run(uop);
    return runner.Known(kC);
  };
  runner.Set(kA, 0x1234, 0xfb);  // byte 2 UNKNOWN
  runner.Set(kB, 0x0001, 0xff);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_ADD, 8, kC, kA, kB)), 0x03);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_MUL, 8, kC, kA, kB)), 0x03);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_XOR, 8, kC, kA, kB)), 0xfb);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_AND, 8, kC, kA, kB)), 0xff);  // b's byte 2 is 0
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_OR, 8, kC, kA, 0, SOFTLBR_UOP_B_IMM, 0xff0000)), 0xff);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_SHL, 8, kC, kA, 0, SOFTLBR_UOP_B_IMM, 8)), 0xf7);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_SHL, 8, kC, kA, 0, SOFTLBR_UOP_B_IMM, 4)), 0xf3);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_ADD, 8, kC, kA, 0, SOFTLBR_UOP_B_IMM, 0)), 0xfb);
  runner.Set(kA, 0, 0);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_SUB, 8, kC, kA, kA)), 0xff);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_XOR, 8, kC, kA, kA)), 0xff);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_SETCC, 8, kC, 0, 0, 0, 0, SOFTLBR_COND_Z)), 0xff);
  runner.Run(MakeUop(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, 0, SOFTLBR_FLAG_ALL));
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_SETCC, 8, kC, 0, 0, 0, 0, SOFTLBR_COND_Z)), 0xfe);
  runner.Set(kA, 0x11223344);
  runner.Set(kB, 0x11993344);
  EXPECT_EQ(known_after(MakeUop(SOFTLBR_OP_SELECT, 8, kC, kA, kB, 0, 0, SOFTLBR_COND_Z)), 0xfb);
}

TEST(ScalarUop, ConditionsDecidedByRangesAreKnown) {
  UopRunner runner;
  const auto condition = [&](uint32_t c) { return EvaluateCondition(runner.evaluator().lazy, c); };
  runner.Set(kA, 0x0500, 0xfe);  // 0x500 .. 0x5ff
  runner.Run(MakeUop(SOFTLBR_OP_SUB, 8, 0, kA, 0, kSet | SOFTLBR_UOP_B_IMM, 0x600));
  EXPECT_EQ(condition(SOFTLBR_COND_C), Truth::kTrue);
  EXPECT_EQ(condition(SOFTLBR_COND_BE), Truth::kTrue);
  EXPECT_EQ(condition(SOFTLBR_COND_Z), Truth::kFalse);
  EXPECT_EQ(condition(SOFTLBR_COND_LT), Truth::kTrue);
  runner.Run(MakeUop(SOFTLBR_OP_SUB, 8, 0, kA, 0, kSet | SOFTLBR_UOP_B_IMM, 0x580));
  EXPECT_EQ(condition(SOFTLBR_COND_C), Truth::kUnknown);
  EXPECT_EQ(condition(SOFTLBR_COND_GT), Truth::kUnknown);
  runner.Set(kA, 0, 0x7f);  // the sign is UNKNOWN
  runner.Run(MakeUop(SOFTLBR_OP_SUB, 8, 0, kA, 0, kSet | SOFTLBR_UOP_B_IMM, 1));
  EXPECT_EQ(condition(SOFTLBR_COND_LT), Truth::kUnknown);
  EXPECT_EQ(condition(SOFTLBR_COND_Z), Truth::kFalse);
  // First even the smallest sum carries, then not even the largest.
  runner.Set(kA, 0xff00000000000000, 0xfe);
  runner.Run(MakeUop(SOFTLBR_OP_ADD, 8, 0, kA, 0, kSet | SOFTLBR_UOP_B_IMM, -1));
  EXPECT_EQ(condition(SOFTLBR_COND_C), Truth::kTrue);
  runner.Run(MakeUop(SOFTLBR_OP_ADD, 8, 0, kA, 0, kSet | SOFTLBR_UOP_B_IMM, 0x1000));
  EXPECT_EQ(condition(SOFTLBR_COND_C), Truth::kFalse);
  // test: one known 1 bit is enough.
  runner.Set(kA, 0x0100, 0x02);
  runner.Run(MakeUop(SOFTLBR_OP_AND, 8, 0, kA, kA, kSet));
  EXPECT_EQ(condition(SOFTLBR_COND_Z), Truth::kFalse);
  EXPECT_EQ(condition(SOFTLBR_COND_S), Truth::kUnknown);
}

// bt after a comparison whose operands are known to differ although no byte of the result is known.
TEST(ScalarUop, ReplacedCarryKeepsZeroFlagKnownFromOperands) {
  UopRunner runner;
  runner.Set(kA, 0x0500, 0xfe);
  runner.Run(MakeUop(SOFTLBR_OP_SUB, 8, 0, kA, 0, kSet | SOFTLBR_UOP_B_IMM, 0x600));
  runner.Set(kB, 1);
  runner.Run(MakeUop(SOFTLBR_OP_BIT_TEST, 8, 0, kB, 0, kSet | SOFTLBR_UOP_B_IMM, 0));
  EXPECT_EQ(EvaluateCondition(runner.evaluator().lazy, SOFTLBR_COND_C), Truth::kTrue);
  EXPECT_EQ(EvaluateCondition(runner.evaluator().lazy, SOFTLBR_COND_Z), Truth::kFalse);
}

TEST(ScalarUop, DoubleShiftBeyondItsOperandIsUnknown) {
  UopRunner runner;
  for (const uint32_t op : {SOFTLBR_OP_SHLD, SOFTLBR_OP_SHRD}) {
    runner.SetFlags(0);
    runner.Set(kC, 0);
    runner.Run(MakeUop(op, 2, kC, kA, kB, kSet | SOFTLBR_UOP_MERGE, -18));  // 17
    EXPECT_EQ(runner.Known(kC), 0xfc);
    EXPECT_EQ(runner.FlagsKnown(), 0);
    runner.Run(MakeUop(op, 2, kC, kA, kB, kSet | SOFTLBR_UOP_MERGE, -17));  // 16
    EXPECT_EQ(runner.Known(kC), 0xff);
  }
}

TEST(ScalarUop, StaticPolicyFollowsConstantStackChanges) {
  constexpr uint16_t kRsp = 6;
  UopRunner runner(kMachineX86_64, ResolvePolicy::kStatic);
  runner.Set(kRsp, 0x7000);
  runner.Adopt();
  BlockMaker maker;
  maker.Add(MakeUop(SOFTLBR_OP_SUB, 8, kRsp, kRsp, 0, SOFTLBR_UOP_B_IMM, 8))
      .Add(MakeUop(SOFTLBR_OP_STORE, 8, kRsp, kRsp))
      .Add(MakeUop(SOFTLBR_OP_ADDRESS, 8, kRsp, kRsp, 0, 0, 0x20));
  runner.Run(maker.block());
  EXPECT_EQ(runner.Get(kRsp), 0x7018u);
  EXPECT_EQ(runner.Known(kRsp), 0xff);
  runner.Run(MakeUop(SOFTLBR_OP_MOV, 8, kRsp, kA));
  EXPECT_EQ(runner.Known(kRsp), 0);
}

// --- robustness ---

// An accepted uop stays inside the context: the words around it keep their pattern.
TEST(UopCheck, AcceptedUopsWriteOnlyTheirContext) {
  fake::ForgetReadable();
  alignas(4096) static uint8_t memory[8192];
  fake::AllowReading(memory, sizeof(memory));
  Random random(35);
  auto evaluator = std::make_unique<Evaluator>();
  int accepted = 0;
  for (int round = 0; round < Rounds(2000000); ++round) {
    softlbr_uop uop = {};
    uop.op = static_cast<uint16_t>(random() % (SOFTLBR_OP_MAX_VALUE + 2));
    uop.width = PickFrom<uint8_t>(random, {0, 1, 2, 3, 4, 8, 12, 16, 32, 64, 65, 255});
    uop.aux = PickFrom<uint8_t>(random, {0, 1, 2, 3, 4, 8, 16, 32, 63, 64, 255});
    uop.dst = static_cast<uint16_t>(random() % 400);
    uop.a = static_cast<uint16_t>(random() % 400);
    uop.b = static_cast<uint16_t>(random() % 400);
    uop.flags = static_cast<uint16_t>(random() & 0x7ff);
    uop.imm = random() % 2 == 0 ? static_cast<int32_t>(random() % 400) : static_cast<int32_t>(random());
    if (!IsUopWellFormed(uop)) continue;
    if (accepted++ % 64 == 0) {
      InitEvaluator(evaluator.get(), ResolvePolicy::kLookahead, kMachineX86_64);
      for (uint32_t slot = 0; slot < kRegisterSlotCount; ++slot) {
        evaluator->context.regs[slot] = reinterpret_cast<uint64_t>(memory) + random() % 4096;
        evaluator->context.known[slot] = RandomKnown(random);
      }
      AdoptTrueState(evaluator.get());
      evaluator->context.rounding_is_default = true;
    }
    evaluator->context.pc = 0x1111;
    evaluator->context.sp = 0x2222;
    const uint64_t block_pc = kBlockPc;
    RunBlock(evaluator.get(), ViewOf(BlockMaker().Add(uop).block()), 0);
    ASSERT_EQ(evaluator->context.sp, 0x2222u) << OpName(uop.op);
    ASSERT_EQ(evaluator->context.regs[SOFTLBR_REG_ZERO], 0u) << OpName(uop.op);
    ASSERT_EQ(evaluator->context.known[SOFTLBR_REG_ZERO], 0xff) << OpName(uop.op);
    ASSERT_EQ(evaluator->context.regs[SOFTLBR_REG_BLOCK], block_pc) << OpName(uop.op);
    ASSERT_EQ(evaluator->machine, kMachineX86_64);
    ASSERT_TRUE(evaluator->lazy.width == 1 || evaluator->lazy.width == 2 || evaluator->lazy.width == 4 ||
                evaluator->lazy.width == 8);
  }
  EXPECT_GT(accepted, Rounds(20000));
}

TEST(UopCheck, RefusesOutOfRangeUops) {
  const softlbr_uop bad[] = {
      MakeUop(SOFTLBR_OP_MAX_VALUE + 1, 8, kA),
      MakeUop(SOFTLBR_OP_MOV, 3, kA, kB),
      MakeUop(SOFTLBR_OP_MOV, 8, SOFTLBR_REG_COUNT, kB),
      MakeUop(SOFTLBR_OP_MOV, 8, SOFTLBR_REG_BLOCK, kB),
      MakeUop(SOFTLBR_OP_MADD, 8, kA, kB, kC, 0, SOFTLBR_REG_COUNT),
      MakeUop(SOFTLBR_OP_DIV, 8, kA, kB, kC, 0, -1),
      MakeUop(SOFTLBR_OP_LOAD, 8, kA, kB, 0, 0, 0, 64),
      MakeUop(SOFTLBR_OP_VADD, 64, 380, kVA, kVB, 0, 0, 1),
      MakeUop(SOFTLBR_OP_VADD, 16, kVA, kVA, kVB, 0, 0, 3),
      MakeUop(SOFTLBR_OP_VADD, 16, kVA, kVA, kVB, 0, 0, 0),
      MakeUop(SOFTLBR_OP_VINSERT, 16, kVA, kA, 0, 0, 8, 8),
      MakeUop(SOFTLBR_OP_VZERO_ABOVE, 16, SOFTLBR_REG_VECTOR + 8 * 31, 0, 0, 0, 31),
      MakeUop(SOFTLBR_OP_STRING_MOVE, 8, kA, SOFTLBR_REG_BLOCK, kB),
      MakeUop(SOFTLBR_OP_VBLEND_VAR, 16, kVA, kVA, kVB, 0, 383, 1),
      MakeUop(SOFTLBR_OP_FADD, 16, kVA, kVA, kVB, 0, 0, 2),
      MakeUop(SOFTLBR_OP_VEXTEND, 16, kVA, kVB, 0, 0, 0, 1),
  };
  for (const softlbr_uop& uop : bad) EXPECT_FALSE(IsUopWellFormed(uop)) << OpName(uop.op);
  softlbr_terminator end = {};
  EXPECT_TRUE(IsTerminatorWellFormed(end));
  end.load_bytes = 3;
  EXPECT_FALSE(IsTerminatorWellFormed(end));
  end = {};
  end.cond_reg = SOFTLBR_REG_COUNT;
  EXPECT_FALSE(IsTerminatorWellFormed(end));
  end = {};
  end.condition = SOFTLBR_COND_REG_ZERO;
  EXPECT_FALSE(IsTerminatorWellFormed(end));
  end.cond_width = 4;
  EXPECT_TRUE(IsTerminatorWellFormed(end));
}

}  // namespace
}  // namespace softlbr::lookahead_test
