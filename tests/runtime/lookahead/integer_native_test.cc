// Scalar ops against the CPU: the real instruction runs on the same operands, and result and flags are compared.
// x86-64 hosts only; tests of instruction sets that the machine lacks are skipped.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/runtime/lookahead/uop_harness.h"

#if defined(__x86_64__)

namespace softlbr::lookahead_test {
namespace {

constexpr int kRounds = 4000;

// rflags bits, in the order of SOFTLBR_FLAG_*.
constexpr uint32_t kRflagsBit[6] = {0, 2, 4, 6, 7, 11};

uint64_t ToRflags(uint8_t packed) {
  uint64_t rflags = 2;
  for (int i = 0; i < 6; ++i) rflags |= uint64_t{packed} >> i << 63 >> 63 << kRflagsBit[i];
  return rflags;
}
uint8_t FromRflags(uint64_t rflags) {
  uint8_t packed = 0;
  for (int i = 0; i < 6; ++i) packed = static_cast<uint8_t>(packed | (rflags >> kRflagsBit[i] & 1) << i);
  return packed;
}

struct State {
  uint64_t a;  // first operand and result
  uint64_t b;  // second operand
  uint64_t c;  // third: rcx
  uint64_t flags;
};

// Runs `text` with the first operand (and result) in rax, the second in rdx, the third in rcx, and the given flags.
#define NATIVE(name, text)                                                        \
  void name(State* s) {                                                           \
    asm volatile("pushq %[flags]\n\tpopfq\n\t" text "\n\tpushfq\n\tpopq %[flags]" \
                 : "+a"(s->a), "+d"(s->b), "+c"(s->c), [flags] "+r"(s->flags)     \
                 :                                                                \
                 : "cc", "memory", "rsi");                                        \
  }
#define NATIVE_BINARY(name, mnemonic)         \
  NATIVE(name##8, mnemonic "b %%dl, %%al")    \
  NATIVE(name##16, mnemonic "w %%dx, %%ax")   \
  NATIVE(name##32, mnemonic "l %%edx, %%eax") \
  NATIVE(name##64, mnemonic "q %%rdx, %%rax")
#define NATIVE_UNARY(name, mnemonic)   \
  NATIVE(name##8, mnemonic "b %%al")   \
  NATIVE(name##16, mnemonic "w %%ax")  \
  NATIVE(name##32, mnemonic "l %%eax") \
  NATIVE(name##64, mnemonic "q %%rax")
#define NATIVE_SHIFT(name, mnemonic)         \
  NATIVE(name##8, mnemonic "b %%cl, %%al")   \
  NATIVE(name##16, mnemonic "w %%cl, %%ax")  \
  NATIVE(name##32, mnemonic "l %%cl, %%eax") \
  NATIVE(name##64, mnemonic "q %%cl, %%rax")
#define NATIVE_WIDE(name, mnemonic)           \
  NATIVE(name##16, mnemonic "w %%dx, %%ax")   \
  NATIVE(name##32, mnemonic "l %%edx, %%eax") \
  NATIVE(name##64, mnemonic "q %%rdx, %%rax")
#define NATIVE_DOUBLE_SHIFT(name, mnemonic)         \
  NATIVE(name##16, mnemonic "w %%cl, %%dx, %%ax")   \
  NATIVE(name##32, mnemonic "l %%cl, %%edx, %%eax") \
  NATIVE(name##64, mnemonic "q %%cl, %%rdx, %%rax")
#define NATIVE_BMI(name, mnemonic, operands32, operands64) \
  NATIVE(name##32, mnemonic "l " operands32)               \
  NATIVE(name##64, mnemonic "q " operands64)

NATIVE_BINARY(Add, "add")
NATIVE_BINARY(Sub, "sub")
NATIVE_BINARY(Adc, "adc")
NATIVE_BINARY(Sbb, "sbb")
NATIVE_BINARY(And, "and")
NATIVE_BINARY(Or, "or")
NATIVE_BINARY(Xor, "xor")
NATIVE_UNARY(Neg, "neg")
NATIVE_UNARY(Not, "not")
NATIVE_UNARY(Inc, "inc")
NATIVE_UNARY(Dec, "dec")
NATIVE_SHIFT(Shl, "shl")
NATIVE_SHIFT(Shr, "shr")
NATIVE_SHIFT(Sar, "sar")
NATIVE_SHIFT(Rol, "rol")
NATIVE_SHIFT(Ror, "ror")
NATIVE_SHIFT(Rcl, "rcl")
NATIVE_SHIFT(Rcr, "rcr")
NATIVE_DOUBLE_SHIFT(Shld, "shld")
NATIVE_DOUBLE_SHIFT(Shrd, "shrd")
NATIVE_WIDE(Imul, "imul")
NATIVE_WIDE(Bt, "bt")
NATIVE_WIDE(Bts, "bts")
NATIVE_WIDE(Btr, "btr")
NATIVE_WIDE(Btc, "btc")
// bsf and bsr keep the destination if the source is 0. The destination is rcx, which holds b before.
NATIVE(Bsf32, "movl %%edx, %%ecx; bsfl %%eax, %%ecx; movq %%rcx, %%rax")
NATIVE(Bsf64, "movq %%rdx, %%rcx; bsfq %%rax, %%rcx; movq %%rcx, %%rax")
NATIVE(Bsr32, "movl %%edx, %%ecx; bsrl %%eax, %%ecx; movq %%rcx, %%rax")
NATIVE(Bsr64, "movq %%rdx, %%rcx; bsrq %%rax, %%rcx; movq %%rcx, %%rax")
NATIVE(Tzcnt16, "tzcntw %%ax, %%ax")
NATIVE_BMI(Tzcnt, "tzcnt", "%%eax, %%eax", "%%rax, %%rax")
NATIVE(Lzcnt16, "lzcntw %%ax, %%ax")
NATIVE_BMI(Lzcnt, "lzcnt", "%%eax, %%eax", "%%rax, %%rax")
NATIVE(Popcnt16, "popcntw %%ax, %%ax")
NATIVE_BMI(Popcnt, "popcnt", "%%eax, %%eax", "%%rax, %%rax")
NATIVE_BMI(Bswap, "bswap", "%%eax", "%%rax")
NATIVE_BMI(Andn, "andn", "%%edx, %%eax, %%eax", "%%rdx, %%rax, %%rax")
NATIVE_BMI(Blsi, "blsi", "%%eax, %%eax", "%%rax, %%rax")
NATIVE_BMI(Blsr, "blsr", "%%eax, %%eax", "%%rax, %%rax")
NATIVE_BMI(Blsmsk, "blsmsk", "%%eax, %%eax", "%%rax, %%rax")
NATIVE_BMI(Bextr, "bextr", "%%edx, %%eax, %%eax", "%%rdx, %%rax, %%rax")
NATIVE_BMI(Bzhi, "bzhi", "%%edx, %%eax, %%eax", "%%rdx, %%rax, %%rax")
NATIVE_BMI(Pdep, "pdep", "%%edx, %%eax, %%eax", "%%rdx, %%rax, %%rax")
NATIVE_BMI(Pext, "pext", "%%edx, %%eax, %%eax", "%%rdx, %%rax, %%rax")
NATIVE(Crc8, "crc32b %%dl, %%eax")
NATIVE(Crc16, "crc32w %%dx, %%eax")
NATIVE(Crc32, "crc32l %%edx, %%eax")
NATIVE(Crc64, "crc32q %%rdx, %%rax")
// rdx:rax / rcx, and products. The quotient or low half is in rax, the remainder or high half in rdx.
NATIVE(Div8, "divb %%cl")
NATIVE(Div16, "divw %%cx")
NATIVE(Div32, "divl %%ecx")
NATIVE(Div64, "divq %%rcx")
NATIVE(Idiv8, "idivb %%cl")
NATIVE(Idiv16, "idivw %%cx")
NATIVE(Idiv32, "idivl %%ecx")
NATIVE(Idiv64, "idivq %%rcx")
NATIVE(Mul16, "mulw %%cx")
NATIVE(Mul32, "mull %%ecx")
NATIVE(Mul64, "mulq %%rcx")
NATIVE(ImulWide16, "imulw %%cx")
NATIVE(ImulWide32, "imull %%ecx")
NATIVE(ImulWide64, "imulq %%rcx")

using NativeFunction = void (*)(State*);

uint64_t WidthMask(uint32_t width) { return width == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * width)) - 1; }

struct Case {
  const char* name;
  uint32_t op;
  uint32_t width;
  NativeFunction native;
  uint32_t flags;         // uop flags besides SET_FLAGS
  uint8_t must_be_known;  // flags that must be known if all operands are
  uint8_t aux = 0;
  bool sets_flags = true;
};

constexpr uint8_t kAll = SOFTLBR_FLAG_ALL;
constexpr uint8_t kNoA = SOFTLBR_FLAG_ALL & ~SOFTLBR_FLAG_A;
constexpr uint8_t kPZS = SOFTLBR_FLAG_P | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S;
constexpr uint8_t kCZ = SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z;
constexpr uint8_t kCV = SOFTLBR_FLAG_C | SOFTLBR_FLAG_V;
constexpr uint8_t kCZSV = SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;

// Compares the uop a = a op b with the instruction; the destination is zero-extended or merged as the instruction does.
void CheckCase(const Case& c, Random& random) {
  UopRunner runner;
  for (int round = 0; round < kRounds; ++round) {
    State native = {};
    native.a = InterestingBits(random);
    native.b = InterestingBits(random);
    native.c = random() % 3 == 0 ? random() % 256 : InterestingBits(random) & 127;
    const uint8_t flags_before = static_cast<uint8_t>(random() & SOFTLBR_FLAG_ALL);
    native.flags = ToRflags(flags_before);
    const State before = native;
    c.native(&native);

    runner.Set(kA, before.a);
    runner.Set(kB, before.b);
    runner.Set(kC, before.c);
    runner.SetFlags(flags_before);
    softlbr_uop uop = MakeUop(c.op, c.width, kA, kA, kB, c.flags, 0, c.aux);
    if (c.width < 4) uop.flags |= SOFTLBR_UOP_MERGE;
    if (c.sets_flags) uop.flags |= SOFTLBR_UOP_SET_FLAGS;
    if (c.op >= SOFTLBR_OP_SHL && c.op <= SOFTLBR_OP_RCR) uop.b = kC;
    if (c.op == SOFTLBR_OP_SHLD || c.op == SOFTLBR_OP_SHRD) {
      uop.imm = round % 2 == 0 ? int32_t{kC} : -static_cast<int32_t>(before.c & 255) - 1;
    }
    runner.Run(uop);
    SCOPED_TRACE(testing::Message() << c.name << std::hex << " a=" << before.a << " b=" << before.b << " c=" << before.c
                                    << " flags=" << int{flags_before});
    const uint32_t count = static_cast<uint32_t>(before.c & (c.width == 8 ? 63 : 31));
    const bool is_undefined = (c.op == SOFTLBR_OP_SHLD || c.op == SOFTLBR_OP_SHRD) && count > 8 * c.width;
    if (!is_undefined && c.op != SOFTLBR_OP_BIT_TEST) {
      ASSERT_EQ(runner.Known(kA), 0xff);
      ASSERT_EQ(runner.Get(kA), native.a);
    }
    const uint8_t known = runner.FlagsKnown();
    const uint8_t got = runner.Flags();
    const uint8_t want = FromRflags(native.flags);
    ASSERT_EQ(got & known, want & known) << "known flags " << int{known};
    uint8_t must = c.must_be_known;
    const bool is_shift = c.op >= SOFTLBR_OP_SHL && c.op <= SOFTLBR_OP_SHRD;
    if (is_shift && count == 0) must = kAll;
    if (is_shift && count == 1) must |= SOFTLBR_FLAG_V;
    if (is_undefined) must = 0;
    if (is_shift && count != 0 && count >= 8 * c.width && c.op <= SOFTLBR_OP_SHR) must &= ~SOFTLBR_FLAG_C;
    ASSERT_EQ(known & must, must);
  }
}

#define WIDTHS_ALL(NAME, OP, FLAGS, KNOWN)                                                \
  {#NAME "8", OP, 1, NAME##8, FLAGS, KNOWN}, {#NAME "16", OP, 2, NAME##16, FLAGS, KNOWN}, \
      {#NAME "32", OP, 4, NAME##32, FLAGS, KNOWN}, {                                      \
#NAME "64", OP, 8, NAME##64, FLAGS, KNOWN                                             \
  }
#define WIDTHS_WIDE(NAME, OP, FLAGS, KNOWN)                                                   \
  {#NAME "16", OP, 2, NAME##16, FLAGS, KNOWN}, {#NAME "32", OP, 4, NAME##32, FLAGS, KNOWN}, { \
#NAME "64", OP, 8, NAME##64, FLAGS, KNOWN                                                 \
  }
#define WIDTHS_BMI(NAME, OP, FLAGS, KNOWN) \
  {#NAME "32", OP, 4, NAME##32, FLAGS, KNOWN}, { #NAME "64", OP, 8, NAME##64, FLAGS, KNOWN }

TEST(IntegerNative, ArithmeticAndLogicMatchTheCpu) {
  Random random(1);
  const Case cases[] = {
      WIDTHS_ALL(Add, SOFTLBR_OP_ADD, 0, kAll),
      WIDTHS_ALL(Sub, SOFTLBR_OP_SUB, 0, kAll),
      WIDTHS_ALL(Adc, SOFTLBR_OP_ADC, 0, kAll),
      WIDTHS_ALL(Sbb, SOFTLBR_OP_SBB, 0, kAll),
      WIDTHS_ALL(And, SOFTLBR_OP_AND, 0, kNoA),
      WIDTHS_ALL(Or, SOFTLBR_OP_OR, 0, kNoA),
      WIDTHS_ALL(Xor, SOFTLBR_OP_XOR, 0, kNoA),
      WIDTHS_ALL(Neg, SOFTLBR_OP_NEG, 0, kAll),
      WIDTHS_WIDE(Imul, SOFTLBR_OP_MUL, SOFTLBR_UOP_SIGNED, kCV),
  };
  for (const Case& c : cases) CheckCase(c, random);
  Case nots[] = {WIDTHS_ALL(Not, SOFTLBR_OP_NOT, 0, kAll)};
  for (Case& c : nots) {
    c.sets_flags = false;
    CheckCase(c, random);
  }
}

TEST(IntegerNative, IncAndDecKeepCarry) {
  Random random(2);
  const NativeFunction functions[2][4] = {{Inc8, Inc16, Inc32, Inc64}, {Dec8, Dec16, Dec32, Dec64}};
  UopRunner runner;
  for (int round = 0; round < kRounds; ++round) {
    for (int is_dec = 0; is_dec < 2; ++is_dec) {
      for (int i = 0; i < 4; ++i) {
        const uint32_t width = 1u << i;
        const uint8_t flags_before = static_cast<uint8_t>(random() & SOFTLBR_FLAG_ALL);
        State native = {InterestingBits(random), 0, 0, ToRflags(flags_before)};
        runner.Set(kA, native.a);
        runner.SetFlags(flags_before);
        functions[is_dec][i](&native);
        runner.Run(MakeUop(
            is_dec != 0 ? SOFTLBR_OP_SUB : SOFTLBR_OP_ADD, width, kA, kA, 0,
            SOFTLBR_UOP_B_IMM | SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_KEEP_C | (width < 4 ? SOFTLBR_UOP_MERGE : 0), 1));
        ASSERT_EQ(runner.Get(kA), native.a);
        ASSERT_EQ(runner.FlagsKnown(), kAll);
        ASSERT_EQ(runner.Flags(), FromRflags(native.flags));
      }
    }
  }
}

TEST(IntegerNative, ShiftsAndRotatesMatchTheCpu) {
  Random random(3);
  const uint8_t c_pzs = SOFTLBR_FLAG_C | kPZS;
  const uint8_t rotate = SOFTLBR_FLAG_C | kPZS | SOFTLBR_FLAG_A;
  const Case cases[] = {
      WIDTHS_ALL(Shl, SOFTLBR_OP_SHL, 0, c_pzs),    WIDTHS_ALL(Shr, SOFTLBR_OP_SHR, 0, c_pzs),
      WIDTHS_ALL(Sar, SOFTLBR_OP_SAR, 0, c_pzs),    WIDTHS_ALL(Rol, SOFTLBR_OP_ROL, 0, rotate),
      WIDTHS_ALL(Ror, SOFTLBR_OP_ROR, 0, rotate),   WIDTHS_ALL(Rcl, SOFTLBR_OP_RCL, 0, rotate),
      WIDTHS_ALL(Rcr, SOFTLBR_OP_RCR, 0, rotate),   WIDTHS_WIDE(Shld, SOFTLBR_OP_SHLD, 0, c_pzs),
      WIDTHS_WIDE(Shrd, SOFTLBR_OP_SHRD, 0, c_pzs),
  };
  for (const Case& c : cases) CheckCase(c, random);
}

TEST(IntegerNative, BitOpsMatchTheCpu) {
  Random random(4);
  const Case cases[] = {
      WIDTHS_WIDE(Bt, SOFTLBR_OP_BIT_TEST, 0, kCZ),       WIDTHS_WIDE(Bts, SOFTLBR_OP_BIT_SET, 0, kCZ),
      WIDTHS_WIDE(Btr, SOFTLBR_OP_BIT_CLEAR, 0, kCZ),     WIDTHS_WIDE(Btc, SOFTLBR_OP_BIT_FLIP, 0, kCZ),
      WIDTHS_BMI(Bsf, SOFTLBR_OP_BSF, 0, SOFTLBR_FLAG_Z), WIDTHS_BMI(Bsr, SOFTLBR_OP_BSR, 0, SOFTLBR_FLAG_Z),
  };
  for (const Case& c : cases) CheckCase(c, random);
  Case swaps[] = {WIDTHS_BMI(Bswap, SOFTLBR_OP_BYTE_SWAP, 0, kAll)};
  for (Case& c : swaps) {
    c.sets_flags = false;
    CheckCase(c, random);
  }
}

TEST(IntegerNative, BmiOpsMatchTheCpu) {
  if (!__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt")) {
    GTEST_SKIP() << "no BMI1, BMI2 or POPCNT";
  }
  Random random(5);
  const Case cases[] = {
      WIDTHS_WIDE(Tzcnt, SOFTLBR_OP_CTZ, 0, kCZ),
      WIDTHS_WIDE(Lzcnt, SOFTLBR_OP_CLZ, 0, kCZ),
      WIDTHS_WIDE(Popcnt, SOFTLBR_OP_POPCOUNT, 0, kAll),
      WIDTHS_BMI(Andn, SOFTLBR_OP_ANDN, 0, kCZSV),
      WIDTHS_BMI(Blsi, SOFTLBR_OP_BLSI, 0, kCZSV),
      WIDTHS_BMI(Blsr, SOFTLBR_OP_BLSR, 0, kCZSV),
      WIDTHS_BMI(Blsmsk, SOFTLBR_OP_BLSMSK, 0, kCZSV),
      WIDTHS_BMI(Bextr, SOFTLBR_OP_BEXTR, 0, SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_V),
      WIDTHS_BMI(Bzhi, SOFTLBR_OP_BZHI, 0, kCZSV),
  };
  for (const Case& c : cases) {
    Case masked = c;
    // and-not sets P on this machine, but the manual leaves it undefined; only flags that the IR defines are compared.
    CheckCase(masked, random);
  }
  Case no_flags[] = {WIDTHS_BMI(Pdep, SOFTLBR_OP_PDEP, 0, kAll), WIDTHS_BMI(Pext, SOFTLBR_OP_PEXT, 0, kAll)};
  for (Case& c : no_flags) {
    c.sets_flags = false;
    CheckCase(c, random);
  }
}

TEST(IntegerNative, Crc32cMatchesTheCpu) {
  if (!__builtin_cpu_supports("sse4.2")) GTEST_SKIP() << "no SSE4.2";
  Random random(6);
  Case cases[] = {
      {"Crc8", SOFTLBR_OP_CRC32C, 4, Crc8, 0, kAll, 1, false},
      {"Crc16", SOFTLBR_OP_CRC32C, 4, Crc16, 0, kAll, 2, false},
      {"Crc32", SOFTLBR_OP_CRC32C, 4, Crc32, 0, kAll, 4, false},
      {"Crc64", SOFTLBR_OP_CRC32C, 8, Crc64, 0, kAll, 8, false},
  };
  for (const Case& c : cases) CheckCase(c, random);
}

TEST(IntegerNative, WideProductsMatchTheCpu) {
  Random random(7);
  const NativeFunction functions[2][3] = {{Mul16, Mul32, Mul64}, {ImulWide16, ImulWide32, ImulWide64}};
  UopRunner runner;
  for (int round = 0; round < kRounds; ++round) {
    for (int is_signed = 0; is_signed < 2; ++is_signed) {
      for (int i = 0; i < 3; ++i) {
        const uint32_t width = 2u << i;
        State native = {InterestingBits(random), 0, InterestingBits(random), 2};
        runner.Set(kA, native.a);
        runner.Set(kB, native.c);
        functions[is_signed][i](&native);
        const uint32_t flag = is_signed != 0 ? SOFTLBR_UOP_SIGNED : 0;
        runner.Run(MakeUop(SOFTLBR_OP_MUL_HIGH, width, kC, kA, kB, flag));
        runner.Run(MakeUop(SOFTLBR_OP_MUL, width, kD, kA, kB, flag | SOFTLBR_UOP_SET_FLAGS));
        ASSERT_EQ(runner.Get(kC), native.b & WidthMask(width));
        ASSERT_EQ(runner.Get(kD), native.a & WidthMask(width));
        ASSERT_EQ(runner.FlagsKnown(), kCV);
        ASSERT_EQ(runner.Flags() & kCV, FromRflags(native.flags) & kCV);
      }
    }
  }
}

// Would the CPU fault? Computed independently in 128 bits.
bool DivisionFaults(uint64_t high, uint64_t low, uint64_t divisor, uint32_t width, bool is_signed) {
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;
  const uint32_t bits = 8 * width;
  const uint64_t mask = WidthMask(width);
  if ((divisor & mask) == 0) return true;
  const Wide dividend = static_cast<Wide>(high & mask) << bits | (low & mask);
  if (!is_signed) return dividend / (divisor & mask) > mask;
  const SignedWide x = static_cast<SignedWide>(dividend << (128 - 2 * bits)) >> (128 - 2 * bits);
  const int64_t y = static_cast<int64_t>(divisor << (64 - bits)) >> (64 - bits);
  if (y == -1) {
    if (x == -x && x != 0) return true;
    const SignedWide q = -x;
    return q > static_cast<SignedWide>(mask >> 1) || q < -static_cast<SignedWide>(mask >> 1) - 1;
  }
  const SignedWide q = x / y;
  return q > static_cast<SignedWide>(mask >> 1) || q < -static_cast<SignedWide>(mask >> 1) - 1;
}

TEST(IntegerNative, DivisionsAndTheirFaultsMatchTheCpu) {
  Random random(8);
  const NativeFunction functions[2][4] = {{Div8, Div16, Div32, Div64}, {Idiv8, Idiv16, Idiv32, Idiv64}};
  UopRunner runner;
  int faults = 0;
  int divisions = 0;
  for (int round = 0; round < 5 * kRounds; ++round) {
    for (int is_signed = 0; is_signed < 2; ++is_signed) {
      for (int i = 0; i < 4; ++i) {
        const uint32_t width = 1u << i;
        uint64_t low = InterestingBits(random);
        uint64_t high = InterestingBits(random);
        const uint64_t divisor = InterestingBits(random);
        if (random() % 2 == 0) high = 0;
        if (random() % 2 == 0 && is_signed != 0) high = (low >> (8 * width - 1) & 1) != 0 ? ~uint64_t{0} : 0;
        const uint32_t flag = is_signed != 0 ? SOFTLBR_UOP_SIGNED : 0;
        runner.Set(kA, low);
        runner.Set(kB, divisor);
        runner.Set(kC, high);
        softlbr_uop quotient = MakeUop(SOFTLBR_OP_DIV, width, kD, kA, kB, flag | SOFTLBR_UOP_SET_FLAGS, kC);
        softlbr_uop remainder = MakeUop(SOFTLBR_OP_REM, width, SOFTLBR_REG_TEMP, kA, kB, flag, kC);
        const BlockExit exit = runner.Run(BlockMaker().AddInstruction({quotient, remainder}).block());
        SCOPED_TRACE(testing::Message() << std::hex << "width " << width << " signed " << is_signed << " " << high
                                        << ":" << low << " / " << divisor);
        if (DivisionFaults(high, low, divisor, width, is_signed != 0)) {
          ++faults;
          ASSERT_EQ(exit.outcome, BlockOutcome::kAborted);
          ASSERT_EQ(exit.reason, AbortReason::kTrapInstruction);
          continue;
        }
        ++divisions;
        State native = {low, high, divisor, 2};
        if (width == 1) native.a = (high & 0xff) << 8 | (low & 0xff);
        functions[is_signed][i](&native);
        const uint64_t want_quotient = native.a & WidthMask(width);
        const uint64_t want_remainder = width == 1 ? native.a >> 8 & 0xff : native.b & WidthMask(width);
        ASSERT_EQ(exit.outcome, BlockOutcome::kNext);
        ASSERT_EQ(runner.Get(kD), want_quotient);
        ASSERT_EQ(runner.Get(SOFTLBR_REG_TEMP), want_remainder);
        ASSERT_EQ(runner.Known(kD), 0xff);
        ASSERT_EQ(runner.FlagsKnown(), 0);
      }
    }
  }
  EXPECT_GT(faults, 1000);
  EXPECT_GT(divisions, 1000);
}

// Compares every condition after every kind of flag-setting op with setcc.
template <int kCondition>
uint8_t NativeCondition(uint64_t rflags) {
  uint8_t result = 0;
#define SETCC(text) asm volatile("pushq %1\n\tpopfq\n\t" text " %0" : "=q"(result) : "r"(rflags) : "cc", "memory")
  if constexpr (kCondition == SOFTLBR_COND_Z) SETCC("sete");
  if constexpr (kCondition == SOFTLBR_COND_C) SETCC("setb");
  if constexpr (kCondition == SOFTLBR_COND_S) SETCC("sets");
  if constexpr (kCondition == SOFTLBR_COND_V) SETCC("seto");
  if constexpr (kCondition == SOFTLBR_COND_P) SETCC("setp");
  if constexpr (kCondition == SOFTLBR_COND_BE) SETCC("setbe");
  if constexpr (kCondition == SOFTLBR_COND_LT) SETCC("setl");
  if constexpr (kCondition == SOFTLBR_COND_LE) SETCC("setle");
#undef SETCC
  return result;
}

TEST(IntegerNative, ConditionsMatchSetcc) {
  Random random(9);
  const NativeFunction functions[6][4] = {{Add8, Add16, Add32, Add64}, {Sub8, Sub16, Sub32, Sub64},
                                          {Adc8, Adc16, Adc32, Adc64}, {Sbb8, Sbb16, Sbb32, Sbb64},
                                          {And8, And16, And32, And64}, {Shl8, Shl16, Shl32, Shl64}};
  const uint32_t ops[6] = {SOFTLBR_OP_ADD, SOFTLBR_OP_SUB, SOFTLBR_OP_ADC,
                           SOFTLBR_OP_SBB, SOFTLBR_OP_AND, SOFTLBR_OP_SHL};
  UopRunner runner;
  for (int round = 0; round < kRounds; ++round) {
    for (int op = 0; op < 6; ++op) {
      for (int i = 0; i < 4; ++i) {
        const uint32_t width = 1u << i;
        const uint8_t flags_before = static_cast<uint8_t>(random() & SOFTLBR_FLAG_ALL);
        State native = {InterestingBits(random), InterestingBits(random), 1, ToRflags(flags_before)};
        if (random() % 8 == 0) native.b = native.a;
        runner.Set(kA, native.a);
        runner.Set(kB, op == 5 ? 1 : native.b);
        runner.SetFlags(flags_before);
        functions[op][i](&native);
        runner.Run(MakeUop(ops[op], width, SOFTLBR_REG_ZERO, kA, kB, SOFTLBR_UOP_SET_FLAGS));
        const LazyFlags& lazy = runner.evaluator().lazy;
        const uint64_t f = native.flags;
        const uint8_t want[8] = {NativeCondition<SOFTLBR_COND_Z>(f),  NativeCondition<SOFTLBR_COND_C>(f),
                                 NativeCondition<SOFTLBR_COND_S>(f),  NativeCondition<SOFTLBR_COND_V>(f),
                                 NativeCondition<SOFTLBR_COND_P>(f),  NativeCondition<SOFTLBR_COND_BE>(f),
                                 NativeCondition<SOFTLBR_COND_LT>(f), NativeCondition<SOFTLBR_COND_LE>(f)};
        for (uint32_t k = 0; k < 8; ++k) {
          const uint32_t condition = 2 + 2 * k;
          ASSERT_EQ(EvaluateCondition(lazy, condition), TruthOf(want[k] != 0))
              << "condition " << condition << " op " << op;
          ASSERT_EQ(EvaluateCondition(lazy, condition + 1), TruthOf(want[k] == 0));
        }
      }
    }
  }
}

}  // namespace
}  // namespace softlbr::lookahead_test

#endif  // defined(__x86_64__)
