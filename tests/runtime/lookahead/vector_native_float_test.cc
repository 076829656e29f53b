// Vector and scalar floating-point ops against the CPU.
#if defined(__x86_64__)
#include "tests/fake/fused_multiply_add_fake.h"
#include "tests/runtime/lookahead/vector_native.h"

namespace softlbr::lookahead_test {
namespace {

#define FLOATS(id, mnemonic)     \
  AVX(id##ps, "v" mnemonic "ps") \
  AVX(id##pd, "v" mnemonic "pd") \
  SSE(id##ss, mnemonic "ss")     \
  SSE(id##sd, mnemonic "sd")
FLOATS(Add, "add")
FLOATS(Sub, "sub")
FLOATS(Mul, "mul")
FLOATS(Div, "div")
FLOATS(Min, "min")
FLOATS(Max, "max")
NATIVE(Sqrtps, "vsqrtps %%ymm1, %%ymm0")
NATIVE(Sqrtpd, "vsqrtpd %%ymm1, %%ymm0")
SSE(Sqrtss, "sqrtss")
SSE(Sqrtsd, "sqrtsd")
AVX(Haddps, "vhaddps")
AVX(Haddpd, "vhaddpd")
AVX(Addsubps, "vaddsubps")
AVX(Addsubpd, "vaddsubpd")
#define ROUND(imm)                                           \
  NATIVE(Roundps##imm, "vroundps $" #imm ", %%ymm1, %%ymm0") \
  SSE_IMM(Roundsd##imm, "roundsd", imm)
ROUND(0)
ROUND(1)
ROUND(2)
ROUND(3)
ROUND(4)
#define FUSED(id, form)                            \
  NATIVE(id##ps, form "ps %%ymm2, %%ymm1, %%ymm0") \
  NATIVE(id##pd, form "pd %%ymm2, %%ymm1, %%ymm0") \
  NATIVE(id##sd, form "sd %%xmm2, %%xmm1, %%xmm0")
FUSED(Fmadd, "vfmadd213")
FUSED(Fmsub, "vfmsub213")
FUSED(Fnmadd, "vfnmadd213")
FUSED(Fnmsub, "vfnmsub213")

TEST_F(VectorNative, FloatArithmeticMatchesTheCpu) {
#define FLOAT_CASES(id, op)                                                                   \
  {#id "ps", id##ps, U(op, 32, 4), Fill::kFloats, Compare::kVectorNoNan4},                    \
      {#id "pd", id##pd, U(op, 32, 8), Fill::kDoubles, Compare::kVectorNoNan8},               \
      {#id "ss", id##ss, U(op, 16, 4, kScalarLane), Fill::kFloats, Compare::kVectorNoNan4}, { \
#id "sd", id##sd, U(op, 16, 8, kScalarLane), Fill::kDoubles, Compare::kVectorNoNan8       \
  }
#define ROUND_CASES(imm)                                                                                         \
  {"roundps " #imm, Roundps##imm, U(SOFTLBR_OP_FROUND, 32, 4, 0, imm), Fill::kFloats, Compare::kVectorNoNan4}, { \
    "roundsd " #imm, Roundsd##imm, U(SOFTLBR_OP_FROUND, 16, 8, kScalarLane, imm), Fill::kDoubles,                \
        Compare::kVectorNoNan8                                                                                   \
  }
  const Case cases[] = {
      FLOAT_CASES(Add, SOFTLBR_OP_FADD),
      FLOAT_CASES(Sub, SOFTLBR_OP_FSUB),
      FLOAT_CASES(Mul, SOFTLBR_OP_FMUL),
      FLOAT_CASES(Div, SOFTLBR_OP_FDIV),
      FLOAT_CASES(Min, SOFTLBR_OP_FMIN),
      FLOAT_CASES(Max, SOFTLBR_OP_FMAX),
      FLOAT_CASES(Sqrt, SOFTLBR_OP_FSQRT),
      {"haddps", Haddps, U(SOFTLBR_OP_FHADD, 32, 4), Fill::kFloats, Compare::kVectorNoNan4},
      {"haddpd", Haddpd, U(SOFTLBR_OP_FHADD, 32, 8), Fill::kDoubles, Compare::kVectorNoNan8},
      {"addsubps", Addsubps, U(SOFTLBR_OP_FADDSUB, 32, 4), Fill::kFloats, Compare::kVectorNoNan4},
      {"addsubpd", Addsubpd, U(SOFTLBR_OP_FADDSUB, 32, 8), Fill::kDoubles, Compare::kVectorNoNan8},
      ROUND_CASES(0),
      ROUND_CASES(1),
      ROUND_CASES(2),
      ROUND_CASES(3),
      ROUND_CASES(4),
  };
  CheckAll(cases, 15);
}

TEST_F(VectorNative, FusedMultiplyAddMatchesTheCpu) {
  const uint32_t negate = SOFTLBR_UOP_NEGATE;
#define FUSED_CASES(id, flags)                                                                         \
  {#id "ps", id##ps, U(SOFTLBR_OP_FMADD, 32, 4, flags, kVC), Fill::kFloats, Compare::kVectorNoNan4}, { \
#id "pd", id##pd, U(SOFTLBR_OP_FMADD, 32, 8, flags, kVC), Fill::kDoubles, Compare::kVectorNoNan8   \
  }
  const Case cases[] = {
      FUSED_CASES(Fmadd, 0),
      FUSED_CASES(Fmsub, kSigned),
      FUSED_CASES(Fnmadd, negate),
      FUSED_CASES(Fnmsub, negate | kSigned),
  };
  CheckAll(cases, 16);
}

// The scalar form keeps the other lanes of dst (here c).
TEST_F(VectorNative, FusedScalarKeepsOtherLanes) {
  UopRunner runner;
  const double x = 3, y = 5, z = -7;
  const double values[3] = {x, y, z};
  const uint16_t regs[3] = {kVA, kVB, kVC};
  for (int i = 0; i < 3; ++i) {
    uint64_t bits;
    std::memcpy(&bits, &values[i], 8);
    runner.Set(regs[i], bits);
  }
  runner.Set(kVD, 1);
  runner.Set(kVD + 1, 0x1234);
  runner.Run(U(SOFTLBR_OP_FMADD, 16, 8, kScalarLane, kVC));
  double got;
  const uint64_t bits = runner.Get(kVD);
  std::memcpy(&got, &bits, 8);
  EXPECT_EQ(got, 8);
  EXPECT_EQ(runner.Get(kVD + 1), 0x1234u);
}

// A program that multiplies and adds on a CPU without the instruction is told by SIGILL; our handler must not be.
TEST_F(VectorNative, FusedMultiplyAddIsUnknownWithoutTheInstruction) {
  UopRunner runner;
  const double one = 1;
  uint64_t bits;
  std::memcpy(&bits, &one, 8);
  for (const uint16_t reg : {kVA, kVB, kVC}) runner.Set(reg, bits);
  fake::SetFusingCpu(false);
  runner.Run(U(SOFTLBR_OP_FMADD, 16, 8, kScalarLane, kVC));
  fake::SetFusingCpu(true);
  EXPECT_EQ(runner.Known(kVD), 0);
  runner.Run(U(SOFTLBR_OP_FMADD, 16, 8, kScalarLane, kVC));
  EXPECT_EQ(runner.Known(kVD), 0xff);
}

// clang-format off
#define FCMP(imm) AVX_IMM(Cmpps##imm, "vcmpps", imm) AVX_IMM(Cmppd##imm, "vcmppd", imm)
FCMP(0) FCMP(1) FCMP(2) FCMP(3) FCMP(4) FCMP(5) FCMP(6) FCMP(7) FCMP(8) FCMP(9) FCMP(10) FCMP(11) FCMP(12)
FCMP(13) FCMP(14) FCMP(15) FCMP(17) FCMP(22) FCMP(28) FCMP(30)
SSE_IMM(Cmpsd1, "cmpsd", 1)
    // clang-format on

    TEST_F(VectorNative, FloatComparisonsMatchTheCpu) {
#define FCMP_CASES(imm)                                                            \
  {"cmpps " #imm, Cmpps##imm, U(SOFTLBR_OP_FCMP, 32, 4, 0, imm), Fill::kFloats}, { \
    "cmppd " #imm, Cmppd##imm, U(SOFTLBR_OP_FCMP, 32, 8, 0, imm), Fill::kDoubles   \
  }
  const Case cases[] = {
      FCMP_CASES(0),  FCMP_CASES(1),  FCMP_CASES(2),
      FCMP_CASES(3),  FCMP_CASES(4),  FCMP_CASES(5),
      FCMP_CASES(6),  FCMP_CASES(7),  FCMP_CASES(8),
      FCMP_CASES(9),  FCMP_CASES(10), FCMP_CASES(11),
      FCMP_CASES(12), FCMP_CASES(13), FCMP_CASES(14),
      FCMP_CASES(15), FCMP_CASES(17), FCMP_CASES(22),
      FCMP_CASES(28), FCMP_CASES(30), {"cmpsd", Cmpsd1, U(SOFTLBR_OP_FCMP, 16, 8, kScalarLane, 1), Fill::kDoubles},
  };
  CheckAll(cases, 18);
}

NATIVE(Cvtsi2sd32, "vcvtsi2sdl %%eax, %%xmm2, %%xmm0")
NATIVE(Cvtsi2sd64, "vcvtsi2sdq %%rax, %%xmm2, %%xmm0")
NATIVE(Cvtsi2ss32, "vcvtsi2ssl %%eax, %%xmm2, %%xmm0")
NATIVE(Cvtsi2ss64, "vcvtsi2ssq %%rax, %%xmm2, %%xmm0")
NATIVE(Cvtsd2si32, "cvtsd2si %%xmm0, %%eax")
NATIVE(Cvtsd2si64, "cvtsd2si %%xmm0, %%rax")
NATIVE(Cvttsd2si32, "cvttsd2si %%xmm0, %%eax")
NATIVE(Cvttsd2si64, "cvttsd2si %%xmm0, %%rax")
NATIVE(Cvtss2si32, "cvtss2si %%xmm0, %%eax")
NATIVE(Cvtss2si64, "cvtss2si %%xmm0, %%rax")
NATIVE(Cvttss2si32, "cvttss2si %%xmm0, %%eax")
NATIVE(Cvttss2si64, "cvttss2si %%xmm0, %%rax")
NATIVE(Cvtss2sd, "vcvtss2sd %%xmm0, %%xmm2, %%xmm0")
NATIVE(Cvtsd2ss, "vcvtsd2ss %%xmm0, %%xmm2, %%xmm0")
NATIVE(Cvtps2pd, "vcvtps2pd %%xmm0, %%ymm0")
NATIVE(Cvtpd2ps, "vcvtpd2ps %%ymm0, %%xmm0")
NATIVE(Cvtdq2ps, "vcvtdq2ps %%ymm0, %%ymm0")
NATIVE(Cvtdq2pd, "vcvtdq2pd %%xmm0, %%ymm0")
NATIVE(Cvtps2dq, "vcvtps2dq %%ymm0, %%ymm0")
NATIVE(Cvttps2dq, "vcvttps2dq %%ymm0, %%ymm0")
NATIVE(Cvtpd2dq, "vcvtpd2dq %%ymm0, %%xmm0; vinserti128 $1, %%xmm0, %%ymm0, %%ymm0")
NATIVE(Cvttpd2dq, "vcvttpd2dq %%ymm0, %%xmm0; vinserti128 $1, %%xmm0, %%ymm0, %%ymm0")

TEST_F(VectorNative, ConversionsMatchTheCpu) {
  const auto from_scalar = [](uint32_t width, uint32_t lane) {
    softlbr_uop uop = U(SOFTLBR_OP_INT_TO_FLOAT, width, lane, kSigned);
    uop.a = kA;
    return uop;
  };
  const auto narrowed = Compare::kVectorNoNan4;
  const Case cases[] = {
      {"cvtsi2sd 32", Cvtsi2sd32, from_scalar(4, 8)},
      {"cvtsi2sd 64", Cvtsi2sd64, from_scalar(8, 8)},
      {"cvtsi2ss 32", Cvtsi2ss32, from_scalar(4, 4)},
      {"cvtsi2ss 64", Cvtsi2ss64, from_scalar(8, 4)},
      {"cvtsd2si 32", Cvtsd2si32, U(SOFTLBR_OP_FLOAT_TO_INT, 4, 8, kSigned, 0), Fill::kDoubles, Compare::kScalar},
      {"cvtsd2si 64", Cvtsd2si64, U(SOFTLBR_OP_FLOAT_TO_INT, 8, 8, kSigned, 0), Fill::kDoubles, Compare::kScalar},
      {"cvttsd2si 32", Cvttsd2si32, U(SOFTLBR_OP_FLOAT_TO_INT, 4, 8, kSigned, 1), Fill::kDoubles, Compare::kScalar},
      {"cvttsd2si 64", Cvttsd2si64, U(SOFTLBR_OP_FLOAT_TO_INT, 8, 8, kSigned, 1), Fill::kDoubles, Compare::kScalar},
      {"cvtss2si 32", Cvtss2si32, U(SOFTLBR_OP_FLOAT_TO_INT, 4, 4, kSigned, 0), Fill::kFloats, Compare::kScalar},
      {"cvtss2si 64", Cvtss2si64, U(SOFTLBR_OP_FLOAT_TO_INT, 8, 4, kSigned, 0), Fill::kFloats, Compare::kScalar},
      {"cvttss2si 32", Cvttss2si32, U(SOFTLBR_OP_FLOAT_TO_INT, 4, 4, kSigned, 1), Fill::kFloats, Compare::kScalar},
      {"cvttss2si 64", Cvttss2si64, U(SOFTLBR_OP_FLOAT_TO_INT, 8, 4, kSigned, 1), Fill::kFloats, Compare::kScalar},
      {"cvtss2sd", Cvtss2sd, U(SOFTLBR_OP_FLOAT_TO_FLOAT, 8, 4, kScalarLane, 8), Fill::kFloats, Compare::kVectorNoNan8},
      {"cvtsd2ss", Cvtsd2ss, U(SOFTLBR_OP_FLOAT_TO_FLOAT, 8, 8, kScalarLane, 4), Fill::kDoubles, narrowed},
      {"cvtps2pd", Cvtps2pd, U(SOFTLBR_OP_FLOAT_TO_FLOAT, 32, 4, 0, 8), Fill::kFloats, Compare::kVectorNoNan8},
      {"cvtdq2ps", Cvtdq2ps, U(SOFTLBR_OP_INTS_TO_FLOATS, 32, 4)},
      {"cvtdq2pd", Cvtdq2pd, U(SOFTLBR_OP_INTS_TO_FLOATS, 32, 8)},
      {"cvtps2dq", Cvtps2dq, U(SOFTLBR_OP_FLOATS_TO_INTS, 32, 4, 0, 0), Fill::kFloats},
      {"cvttps2dq", Cvttps2dq, U(SOFTLBR_OP_FLOATS_TO_INTS, 32, 4, 0, 1), Fill::kFloats},
  };
  CheckAll(cases, 19);
}

// A narrowing conversion writes only the bytes of its result; the bytes above keep dst's value.
TEST_F(VectorNative, NarrowingConversionsKeepOtherBytes) {
  struct Narrowing {
    NativeFunction native;
    softlbr_uop uop;
  } narrowings[] = {
      {Cvtpd2ps, U(SOFTLBR_OP_FLOAT_TO_FLOAT, 32, 8, 0, 4)},
      {Cvtpd2dq, U(SOFTLBR_OP_FLOATS_TO_INTS, 32, 8, 0, 0)},
      {Cvttpd2dq, U(SOFTLBR_OP_FLOATS_TO_INTS, 32, 8, 0, 1)},
  };
  Random random(20);
  UopRunner runner;
  for (int round = 0; round < kRounds; ++round) {
    for (const Narrowing& n : narrowings) {
      Operands o = {};
      FillWords(o.a, Fill::kDoubles, random);
      for (uint16_t i = 0; i < 8; ++i) {
        runner.Set(static_cast<uint16_t>(kVA + i), o.a[i]);
        runner.Set(static_cast<uint16_t>(kVD + i), 0x1111u * i);
      }
      n.native(&o);
      runner.Run(n.uop);
      for (uint32_t lane = 0; lane < 4; ++lane) {
        const uint16_t slot = static_cast<uint16_t>(kVD + lane / 2);
        const uint32_t shift = 32 * (lane % 2);
        const uint8_t known = runner.Known(slot) >> (lane % 2 * 4) & 15;
        if (known == 0 && n.native == Cvtpd2ps && IsNan(o.r, 4, lane)) continue;
        ASSERT_EQ(known, 15);
        ASSERT_EQ(static_cast<uint32_t>(runner.Get(slot) >> shift), static_cast<uint32_t>(o.r[lane / 2] >> shift));
      }
      for (uint16_t i = 2; i < 8; ++i) ASSERT_EQ(runner.Get(static_cast<uint16_t>(kVD + i)), 0x1111u * i);
    }
  }
}

}  // namespace
}  // namespace softlbr::lookahead_test

#endif  // defined(__x86_64__)
