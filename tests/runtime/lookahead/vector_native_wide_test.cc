// Ops of 512 bits and with masks against the CPU.
#if defined(__x86_64__)
#include "tests/runtime/lookahead/vector_native.h"

namespace softlbr::lookahead_test {
namespace {

AVX512(Vpternlog1b, "vpternlogq $0x1b, %%zmm1, %%zmm0, %%zmm2; vmovdqa64 %%zmm2, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpternloge4, "vpternlogq $0xe4, %%zmm1, %%zmm0, %%zmm2; vmovdqa64 %%zmm2, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpcmpeqb512, "vpcmpeqb %%zmm1, %%zmm0, %%k2")
AVX512(Vpcmpltub512, "vpcmpub $1, %%zmm1, %%zmm0, %%k2")
AVX512(Vpcmpled512, "vpcmpd $2, %%zmm1, %%zmm0, %%k2")
AVX512(Vpcmpneuw512, "vpcmpuw $4, %%zmm1, %%zmm0, %%k2")
AVX512(Vpcmpgeq512, "vpcmpq $5, %%zmm1, %%zmm0, %%k2")
AVX512(Vpcmpgtuq512, "vpcmpuq $6, %%zmm1, %%zmm0, %%k2")
AVX512(Vptestmb512, "vptestmb %%zmm1, %%zmm0, %%k2")
AVX512(Vptestnmb512, "vptestnmb %%zmm1, %%zmm0, %%k2")
AVX512(Vptestnmd512, "vptestnmd %%zmm1, %%zmm0, %%k2")
AVX512(Vpmovm2b512, "vpmovm2b %%k1, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpmovm2d512, "vpmovm2d %%k1, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpblendmb512, "vpblendmb %%zmm0, %%zmm1, %%zmm0%{%%k1%}; kmovq %%k1, %%k2")
AVX512(Vpmovmskb2m, "vpmovb2m %%zmm0, %%k2")
AVX512(Vpermq512, "vpermq %%zmm0, %%zmm1, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpermw512, "vpermw %%zmm0, %%zmm1, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpsraq512, "vpsravq %%zmm1, %%zmm0, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpmullq512, "vpmullq %%zmm1, %%zmm0, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpminsq512, "vpminsq %%zmm1, %%zmm0, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpabsq512, "vpabsq %%zmm0, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vcmppsmask, "vcmpps $1, %%zmm1, %%zmm0, %%k2")
AVX512(Vpmovqd512, "vpmovqd %%zmm0, %%ymm0; vinserti64x4 $1, %%ymm0, %%zmm0, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vpmovwb512, "vpmovwb %%zmm0, %%ymm0; vinserti64x4 $1, %%ymm0, %%zmm0, %%zmm0; kmovq %%k1, %%k2")
AVX512(Vcvttsd2usi, "vcvttsd2usi %%xmm0, %[s]; kmovq %[s], %%k2")
AVX512(Vcvttss2usi, "vcvttss2usi %%xmm0, %k[s]; kmovq %[s], %%k2")
AVX512(Vcvtusi2sd, "vcvtusi2sdq %[s], %%xmm2, %%xmm0; kmovq %%k1, %%k2")
AVX512(Vcvtusi2ss, "vcvtusi2ssq %[s], %%xmm2, %%xmm0; kmovq %%k1, %%k2")

TEST_F(VectorNative, WideAndMaskOpsMatchTheCpu) {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq")) {
    GTEST_SKIP() << "no AVX-512 F, BW, DQ";
  }
  const auto scalar = Compare::kScalar;
  const auto integers = Fill::kIntegers;
  softlbr_uop from_mask_1 = U(SOFTLBR_OP_VMASK_TO_LANES, 64, 1);
  softlbr_uop from_mask_4 = U(SOFTLBR_OP_VMASK_TO_LANES, 64, 4);
  from_mask_1.a = from_mask_4.a = kA;
  softlbr_uop from_unsigned_8 = U(SOFTLBR_OP_INT_TO_FLOAT, 8, 8);
  softlbr_uop from_unsigned_4 = U(SOFTLBR_OP_INT_TO_FLOAT, 8, 4);
  from_unsigned_8.a = from_unsigned_4.a = kA;
  const Case cases[] = {
      {"vpternlogq 1b", Vpternlog1b, U(SOFTLBR_OP_VTERNARY, 64, 0, 0, 0x1b)},
      {"vpternlogq e4", Vpternloge4, U(SOFTLBR_OP_VTERNARY, 64, 0, 0, 0xe4)},
      {"vpcmpeqb", Vpcmpeqb512, U(SOFTLBR_OP_VCMP_MASK, 64, 1, 0, 0), integers, scalar},
      {"vpcmpub lt", Vpcmpltub512, U(SOFTLBR_OP_VCMP_MASK, 64, 1, 0, 1), integers, scalar},
      {"vpcmpd le", Vpcmpled512, U(SOFTLBR_OP_VCMP_MASK, 64, 4, kSigned, 2), integers, scalar},
      {"vpcmpuw ne", Vpcmpneuw512, U(SOFTLBR_OP_VCMP_MASK, 64, 2, 0, 4), integers, scalar},
      {"vpcmpq ge", Vpcmpgeq512, U(SOFTLBR_OP_VCMP_MASK, 64, 8, kSigned, 5), integers, scalar},
      {"vpcmpuq gt", Vpcmpgtuq512, U(SOFTLBR_OP_VCMP_MASK, 64, 8, 0, 6), integers, scalar},
      {"vptestmb", Vptestmb512, U(SOFTLBR_OP_VTEST_MASK, 64, 1), integers, scalar},
      {"vptestnmb", Vptestnmb512, U(SOFTLBR_OP_VTEST_MASK, 64, 1, SOFTLBR_UOP_NEGATE), integers, scalar},
      {"vptestnmd", Vptestnmd512, U(SOFTLBR_OP_VTEST_MASK, 64, 4, SOFTLBR_UOP_NEGATE), integers, scalar},
      {"vpmovm2b", Vpmovm2b512, from_mask_1},
      {"vpmovm2d", Vpmovm2d512, from_mask_4},
      {"vpblendmb", Vpblendmb512, U(SOFTLBR_OP_VSELECT_MASK, 64, 1, 0, kA)},
      {"vpmovb2m", Vpmovmskb2m, U(SOFTLBR_OP_VMASK_BITS, 64, 1), integers, scalar},
      {"vpermq", Vpermq512, U(SOFTLBR_OP_VPERMUTE, 64, 8)},
      {"vpermw", Vpermw512, U(SOFTLBR_OP_VPERMUTE, 64, 2)},
      {"vpsravq", Vpsraq512, U(SOFTLBR_OP_VSAR_LANES, 64, 8)},
      {"vpmullq", Vpmullq512, U(SOFTLBR_OP_VMUL_LOW, 64, 8)},
      {"vpminsq", Vpminsq512, U(SOFTLBR_OP_VMIN, 64, 8, kSigned)},
      {"vpabsq", Vpabsq512, U(SOFTLBR_OP_VABS, 64, 8)},
      {"vcmpps k", Vcmppsmask, U(SOFTLBR_OP_FCMP_MASK, 64, 4, 0, 1), Fill::kFloats, scalar},
      {"vcvttsd2usi", Vcvttsd2usi, U(SOFTLBR_OP_FLOAT_TO_INT, 8, 8, 0, 1), Fill::kDoubles, scalar},
      {"vcvttss2usi", Vcvttss2usi, U(SOFTLBR_OP_FLOAT_TO_INT, 4, 4, 0, 1), Fill::kFloats, scalar},
      {"vcvtusi2sd", Vcvtusi2sd, from_unsigned_8},
      {"vcvtusi2ss", Vcvtusi2ss, from_unsigned_4},
  };
  CheckAll(cases, 21);
}

TEST_F(VectorNative, TruncationsKeepOtherBytes) {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) GTEST_SKIP() << "no AVX-512 F, BW";
  Random random(22);
  UopRunner runner;
  const struct {
    NativeFunction native;
    uint32_t source;
  } truncations[] = {{Vpmovqd512, 8}, {Vpmovwb512, 2}};
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& t : truncations) {
      Operands o = {};
      FillWords(o.a, Fill::kIntegers, random);
      for (uint16_t i = 0; i < 8; ++i) {
        runner.Set(static_cast<uint16_t>(kVA + i), o.a[i]);
        runner.Set(static_cast<uint16_t>(kVD + i), 0x2222u * i);
      }
      t.native(&o);
      runner.Run(U(SOFTLBR_OP_VTRUNCATE, 64, t.source, 0, static_cast<int32_t>(t.source / 2)));
      for (uint16_t i = 0; i < 8; ++i) {
        ASSERT_EQ(runner.Get(static_cast<uint16_t>(kVD + i)), i < 4 ? o.r[i] : 0x2222u * i);
        ASSERT_EQ(runner.Known(static_cast<uint16_t>(kVD + i)), 0xff);
      }
    }
  }
}

}  // namespace
}  // namespace softlbr::lookahead_test

#endif  // defined(__x86_64__)
