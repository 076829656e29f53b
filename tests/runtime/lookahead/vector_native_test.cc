// Vector and floating-point ops against the CPU. For x86-64 hosts with AVX2 (and AVX-512 for the mask ops); else skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/lookahead/ops/fused_multiply_add.h"
#include "runtime/lookahead/uop_check.h"
#include "tests/runtime/lookahead/uop_harness.h"

#if defined(__x86_64__)

namespace softlbr::lookahead_test {
namespace {

constexpr int kRounds = 400;

struct Operands {
  alignas(64) uint64_t a[8];
  alignas(64) uint64_t b[8];
  alignas(64) uint64_t c[8];
  alignas(64) uint64_t r[8];
  uint64_t scalar;
  uint64_t rflags;
};
using NativeFunction = void (*)(Operands*);

// a, b, c are in registers 0, 1, 2; the result is in register 0, or in rax.
#define NATIVE(name, text)                                                                                             \
  [[maybe_unused]] void name(Operands* o) {                                                                            \
    asm volatile("vmovdqu %[a], %%ymm0\n\tvmovdqu %[b], %%ymm1\n\tvmovdqu %[c], %%ymm2\n\t" text                       \
                 "\n\tpushfq\n\tpopq %[f]\n\tvmovdqu %%ymm0, %[r]\n\tvzeroupper"                                       \
                 : [r] "=m"(*reinterpret_cast<uint64_t(*)[4]>(o->r)), "+a"(o->scalar), [f] "=&r"(o->rflags)            \
                 : [a] "m"(*reinterpret_cast<uint64_t(*)[4]>(o->a)), [b] "m"(*reinterpret_cast<uint64_t(*)[4]>(o->b)), \
                   [c] "m"(*reinterpret_cast<uint64_t(*)[4]>(o->c))                                                    \
                 : "xmm0", "xmm1", "xmm2", "rcx", "cc", "memory");                                                     \
  }
#define SSE(name, mnemonic) NATIVE(name, mnemonic " %%xmm1, %%xmm0")
#define SSE_IMM(name, mnemonic, imm) NATIVE(name, mnemonic " $" #imm ", %%xmm1, %%xmm0")
#define AVX(name, mnemonic) NATIVE(name, mnemonic " %%ymm1, %%ymm0, %%ymm0")
#define AVX_IMM(name, mnemonic, imm) NATIVE(name, mnemonic " $" #imm ", %%ymm1, %%ymm0, %%ymm0")
#define SSE_A_IMM(name, mnemonic, imm) NATIVE(name, mnemonic " $" #imm ", %%xmm0, %%xmm0")
#define AVX_A(name, mnemonic) NATIVE(name, mnemonic " %%ymm0, %%ymm0")
#define AVX_A_IMM(name, mnemonic, imm) NATIVE(name, mnemonic " $" #imm ", %%ymm0, %%ymm0")
#define SSE_SHIFT_IMM(name, mnemonic, imm) NATIVE(name, mnemonic " $" #imm ", %%xmm0")
// 512 bits: loads whole registers.
#define AVX512(name, text)                                                                                                 \
  [[maybe_unused]] void name(Operands* o) {                                                                                \
    asm volatile("vmovdqu64 %[a], %%zmm0\n\tvmovdqu64 %[b], %%zmm1\n\tvmovdqu64 %[c], %%zmm2\n\tkmovq %[s], %%k1\n\t" text \
                 "\n\tkmovq %%k2, %[s]\n\tvmovdqu64 %%zmm0, %[r]\n\tvzeroupper"                                            \
                 : [r] "=m"(o->r), [s] "+r"(o->scalar)                                                                     \
                 : [a] "m"(o->a), [b] "m"(o->b), [c] "m"(o->c)                                                             \
                 : "xmm0", "xmm1", "xmm2", "cc", "memory");                                                                \
  }

enum class Fill { kIntegers, kFloats, kDoubles, kControls, kText };
enum class Compare { kVector, kScalar, kVectorNoNan4, kVectorNoNan8, kFlags, kScalarFlags };

struct Case {
  const char* name;
  NativeFunction native;
  softlbr_uop uop;  // dst, a, b are filled in
  Fill fill = Fill::kIntegers;
  Compare compare = Compare::kVector;
  bool result_into_c = false;  // dst holds c before the op (VTERNARY, blends into dst, ...)
};

softlbr_uop U(uint32_t op, uint32_t width, uint32_t lane, uint32_t flags = 0, int32_t imm = 0) {
  return MakeUop(op, width, kVD, kVA, kVB, flags, imm, lane);
}

template <typename Float>
Float RandomFloat(Random& random) {
  using Limits = std::numeric_limits<Float>;
  switch (random() % 12) {
    case 0: return 0;
    case 1: return -Float{0};
    case 2: return Limits::infinity();
    case 3: return -Limits::infinity();
    case 4: return Limits::denorm_min() * static_cast<Float>(random() % 1000);
    case 5: return Limits::max() / static_cast<Float>(1 + random() % 4);
    case 6: return Limits::quiet_NaN();
    case 7: return static_cast<Float>(static_cast<int64_t>(random() % 2001) - 1000) / 4;
    case 8: return static_cast<Float>(static_cast<int64_t>(random())) / 16;
    case 9:
      return std::ldexp(static_cast<Float>(static_cast<int64_t>(random() % 65536) - 32768), static_cast<int>(random() % 80) - 40);
    default: {
      Float x;
      const uint64_t bits = random();
      std::memcpy(&x, &bits, sizeof(x));
      return x;
    }
  }
}

void FillWords(uint64_t* words, Fill fill, Random& random) {
  for (int i = 0; i < 8; ++i) {
    words[i] = InterestingBits(random);
    if (fill == Fill::kDoubles) {
      const double x = RandomFloat<double>(random);
      std::memcpy(&words[i], &x, 8);
    } else if (fill == Fill::kFloats) {
      const float x[2] = {RandomFloat<float>(random), RandomFloat<float>(random)};
      std::memcpy(&words[i], x, 8);
    } else if (fill == Fill::kControls && random() % 2 != 0) {
      words[i] &= 0x8f8f8f8f8f8f8f8f;
    } else if (fill == Fill::kText) {
      for (int byte = 0; byte < 8; ++byte) {
        words[i] = words[i] << 8 | (random() % 20 == 0 ? 0 : "aAbz\xe9"[random() % 5]);
      }
    }
  }
}

bool IsNan(const uint64_t* words, uint32_t lane_bytes, uint32_t index) {
  if (lane_bytes == 4) {
    float x;
    std::memcpy(&x, reinterpret_cast<const char*>(words) + 4 * index, 4);
    return std::isnan(x);
  }
  double x;
  std::memcpy(&x, &words[index], 8);
  return std::isnan(x);
}

void CheckCase(const Case& c, Random& random) {
  UopRunner runner;
  for (int round = 0; round < kRounds; ++round) {
    Operands o = {};
    FillWords(o.a, c.fill, random);
    FillWords(o.b, c.fill, random);
    FillWords(o.c, c.fill, random);
    if (c.uop.op >= SOFTLBR_OP_VSHL && c.uop.op <= SOFTLBR_OP_VSAR && (c.uop.flags & SOFTLBR_UOP_B_IMM) == 0) {
      o.b[0] = random() % 70;
    }
    if (c.uop.op == SOFTLBR_OP_VCMP_EQ || c.uop.op == SOFTLBR_OP_STRING_INDEX) {
      for (int i = 0; i < 8; ++i) o.b[i] = random() % 3 == 0 ? o.a[i] : o.b[i];
    }
    o.scalar = InterestingBits(random);
    for (uint16_t i = 0; i < 8; ++i) {
      runner.Set(static_cast<uint16_t>(kVA + i), o.a[i]);
      runner.Set(static_cast<uint16_t>(kVB + i), o.b[i]);
      runner.Set(static_cast<uint16_t>(kVC + i), o.c[i]);
      runner.Set(static_cast<uint16_t>(kVD + i), o.c[i]);
    }
    runner.Set(kA, o.scalar);
    runner.Set(kB, 0x5555555555555555);
    runner.SetFlags(0);
    c.native(&o);
    softlbr_uop uop = c.uop;
    const bool is_scalar = c.compare == Compare::kScalar || c.compare == Compare::kScalarFlags;
    if (is_scalar) uop.dst = kB;
    ASSERT_TRUE(IsUopWellFormed(uop)) << c.name;
    runner.Run(uop);
    SCOPED_TRACE(testing::Message() << c.name << std::hex << " a " << o.a[0] << " " << o.a[1] << " b " << o.b[0] << " " << o.b[1]
                                    << " c " << o.c[0] << " " << o.c[1] << " scalar " << o.scalar);
    if (is_scalar) {
      ASSERT_EQ(runner.Known(kB), 0xff);
      ASSERT_EQ(runner.Get(kB), o.scalar);
    } else if (c.compare != Compare::kFlags) {
      const uint32_t lane = c.compare == Compare::kVectorNoNan4 ? 4 : 8;
      const bool has_nan_rule = c.compare != Compare::kVector;
      for (uint32_t byte = 0; byte < uop.width; ++byte) {
        const uint16_t slot = static_cast<uint16_t>(kVD + byte / 8);
        const bool is_known = (runner.Known(slot) >> (byte % 8) & 1) != 0;
        // A copied NaN stays known; a computed one is UNKNOWN.
        if (has_nan_rule && !is_known && IsNan(o.r, lane, byte / lane)) continue;
        ASSERT_TRUE(is_known) << "byte " << byte;
        ASSERT_EQ(runner.Get(slot) >> (8 * (byte % 8)) & 0xff, o.r[byte / 8] >> (8 * (byte % 8)) & 0xff) << "byte " << byte;
      }
    }
    if (c.compare == Compare::kFlags || c.compare == Compare::kScalarFlags) {
      const uint64_t f = o.rflags;
      const uint8_t want = static_cast<uint8_t>((f & 1) | (f >> 2 & 1) << 1 | (f >> 4 & 1) << 2 | (f >> 6 & 1) << 3 |
                                                (f >> 7 & 1) << 4 | (f >> 11 & 1) << 5);
      ASSERT_EQ(runner.FlagsKnown(), SOFTLBR_FLAG_ALL);
      ASSERT_EQ(runner.Flags(), want);
    }
  }
}

template <size_t kCount>
void CheckAll(const Case (&cases)[kCount], uint64_t seed) {
  Random random(seed);
  for (const Case& c : cases) {
    if (testing::Test::HasFatalFailure()) return;
    CheckCase(c, random);
  }
}

constexpr uint32_t kSigned = SOFTLBR_UOP_SIGNED;
constexpr uint32_t kScalarLane = SOFTLBR_UOP_SCALAR;

class VectorNative : public testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2 or FMA";
  }
};

// An instruction in its 16-byte and its 32-byte form.
#define BOTH(id, sse, avx) SSE(id##16, sse) AVX(id##32, avx)
BOTH(Paddb, "paddb", "vpaddb")
BOTH(Paddw, "paddw", "vpaddw")
BOTH(Paddd, "paddd", "vpaddd")
BOTH(Paddq, "paddq", "vpaddq")
BOTH(Psubb, "psubb", "vpsubb")
BOTH(Psubw, "psubw", "vpsubw")
BOTH(Psubd, "psubd", "vpsubd")
BOTH(Psubq, "psubq", "vpsubq")
BOTH(Paddsb, "paddsb", "vpaddsb")
BOTH(Paddsw, "paddsw", "vpaddsw")
BOTH(Paddusb, "paddusb", "vpaddusb")
BOTH(Paddusw, "paddusw", "vpaddusw")
BOTH(Psubsb, "psubsb", "vpsubsb")
BOTH(Psubsw, "psubsw", "vpsubsw")
BOTH(Psubusb, "psubusb", "vpsubusb")
BOTH(Psubusw, "psubusw", "vpsubusw")
BOTH(Pmullw, "pmullw", "vpmullw")
BOTH(Pmulld, "pmulld", "vpmulld")
BOTH(Pmulhw, "pmulhw", "vpmulhw")
BOTH(Pmulhuw, "pmulhuw", "vpmulhuw")
BOTH(Pmuludq, "pmuludq", "vpmuludq")
BOTH(Pmuldq, "pmuldq", "vpmuldq")
BOTH(Pmaddwd, "pmaddwd", "vpmaddwd")
BOTH(Pmaddubsw, "pmaddubsw", "vpmaddubsw")
BOTH(Psadbw, "psadbw", "vpsadbw")
BOTH(Pavgb, "pavgb", "vpavgb")
BOTH(Pavgw, "pavgw", "vpavgw")
AVX_A(Pabsb32, "vpabsb")
AVX_A(Pabsw32, "vpabsw")
AVX_A(Pabsd32, "vpabsd")
BOTH(Pminub, "pminub", "vpminub")
BOTH(Pminsb, "pminsb", "vpminsb")
BOTH(Pminuw, "pminuw", "vpminuw")
BOTH(Pminsw, "pminsw", "vpminsw")
BOTH(Pminud, "pminud", "vpminud")
BOTH(Pminsd, "pminsd", "vpminsd")
BOTH(Pmaxub, "pmaxub", "vpmaxub")
BOTH(Pmaxsb, "pmaxsb", "vpmaxsb")
BOTH(Pmaxud, "pmaxud", "vpmaxud")
BOTH(Pmaxsd, "pmaxsd", "vpmaxsd")
BOTH(Pcmpeqb, "pcmpeqb", "vpcmpeqb")
BOTH(Pcmpeqw, "pcmpeqw", "vpcmpeqw")
BOTH(Pcmpeqd, "pcmpeqd", "vpcmpeqd")
BOTH(Pcmpeqq, "pcmpeqq", "vpcmpeqq")
BOTH(Pcmpgtb, "pcmpgtb", "vpcmpgtb")
BOTH(Pcmpgtw, "pcmpgtw", "vpcmpgtw")
BOTH(Pcmpgtd, "pcmpgtd", "vpcmpgtd")
BOTH(Pcmpgtq, "pcmpgtq", "vpcmpgtq")
BOTH(Pand, "pand", "vpand")
BOTH(Por, "por", "vpor")
BOTH(Pxor, "pxor", "vpxor")
BOTH(Pandn, "pandn", "vpandn")

TEST_F(VectorNative, LaneArithmeticMatchesTheCpu) {
#define PAIR(id, op, lane, flags) \
  {#id " 16", id##16, U(op, 16, lane, flags)}, { #id " 32", id##32, U(op, 32, lane, flags) }
  const Case cases[] = {
      PAIR(Paddb, SOFTLBR_OP_VADD, 1, 0),
      PAIR(Paddw, SOFTLBR_OP_VADD, 2, 0),
      PAIR(Paddd, SOFTLBR_OP_VADD, 4, 0),
      PAIR(Paddq, SOFTLBR_OP_VADD, 8, 0),
      PAIR(Psubb, SOFTLBR_OP_VSUB, 1, 0),
      PAIR(Psubw, SOFTLBR_OP_VSUB, 2, 0),
      PAIR(Psubd, SOFTLBR_OP_VSUB, 4, 0),
      PAIR(Psubq, SOFTLBR_OP_VSUB, 8, 0),
      PAIR(Paddsb, SOFTLBR_OP_VADD_SAT, 1, kSigned),
      PAIR(Paddsw, SOFTLBR_OP_VADD_SAT, 2, kSigned),
      PAIR(Paddusb, SOFTLBR_OP_VADD_SAT, 1, 0),
      PAIR(Paddusw, SOFTLBR_OP_VADD_SAT, 2, 0),
      PAIR(Psubsb, SOFTLBR_OP_VSUB_SAT, 1, kSigned),
      PAIR(Psubsw, SOFTLBR_OP_VSUB_SAT, 2, kSigned),
      PAIR(Psubusb, SOFTLBR_OP_VSUB_SAT, 1, 0),
      PAIR(Psubusw, SOFTLBR_OP_VSUB_SAT, 2, 0),
      PAIR(Pmullw, SOFTLBR_OP_VMUL_LOW, 2, 0),
      PAIR(Pmulld, SOFTLBR_OP_VMUL_LOW, 4, 0),
      PAIR(Pmulhw, SOFTLBR_OP_VMUL_HIGH, 2, kSigned),
      PAIR(Pmulhuw, SOFTLBR_OP_VMUL_HIGH, 2, 0),
      PAIR(Pmuludq, SOFTLBR_OP_VMUL_EVEN, 8, 0),
      PAIR(Pmuldq, SOFTLBR_OP_VMUL_EVEN, 8, kSigned),
      PAIR(Pmaddwd, SOFTLBR_OP_VMUL_ADD_PAIRS, 2, 0),
      PAIR(Pmaddubsw, SOFTLBR_OP_VMUL_ADD_UBSB, 1, 0),
      PAIR(Psadbw, SOFTLBR_OP_VSUM_ABS_DIFF, 1, 0),
      PAIR(Pavgb, SOFTLBR_OP_VAVERAGE, 1, 0),
      PAIR(Pavgw, SOFTLBR_OP_VAVERAGE, 2, 0),
      {"Pabsb", Pabsb32, U(SOFTLBR_OP_VABS, 32, 1)},
      {"Pabsw", Pabsw32, U(SOFTLBR_OP_VABS, 32, 2)},
      {"Pabsd", Pabsd32, U(SOFTLBR_OP_VABS, 32, 4)},
      PAIR(Pminub, SOFTLBR_OP_VMIN, 1, 0),
      PAIR(Pminsb, SOFTLBR_OP_VMIN, 1, kSigned),
      PAIR(Pminuw, SOFTLBR_OP_VMIN, 2, 0),
      PAIR(Pminsw, SOFTLBR_OP_VMIN, 2, kSigned),
      PAIR(Pminud, SOFTLBR_OP_VMIN, 4, 0),
      PAIR(Pminsd, SOFTLBR_OP_VMIN, 4, kSigned),
      PAIR(Pmaxub, SOFTLBR_OP_VMAX, 1, 0),
      PAIR(Pmaxsb, SOFTLBR_OP_VMAX, 1, kSigned),
      PAIR(Pmaxud, SOFTLBR_OP_VMAX, 4, 0),
      PAIR(Pmaxsd, SOFTLBR_OP_VMAX, 4, kSigned),
      PAIR(Pcmpeqb, SOFTLBR_OP_VCMP_EQ, 1, 0),
      PAIR(Pcmpeqw, SOFTLBR_OP_VCMP_EQ, 2, 0),
      PAIR(Pcmpeqd, SOFTLBR_OP_VCMP_EQ, 4, 0),
      PAIR(Pcmpeqq, SOFTLBR_OP_VCMP_EQ, 8, 0),
      PAIR(Pcmpgtb, SOFTLBR_OP_VCMP_GT, 1, kSigned),
      PAIR(Pcmpgtw, SOFTLBR_OP_VCMP_GT, 2, kSigned),
      PAIR(Pcmpgtd, SOFTLBR_OP_VCMP_GT, 4, kSigned),
      PAIR(Pcmpgtq, SOFTLBR_OP_VCMP_GT, 8, kSigned),
      PAIR(Pand, SOFTLBR_OP_VAND, 0, 0),
      PAIR(Por, SOFTLBR_OP_VOR, 0, 0),
      PAIR(Pxor, SOFTLBR_OP_VXOR, 0, 0),
      PAIR(Pandn, SOFTLBR_OP_VANDN, 0, 0),
  };
  CheckAll(cases, 11);
}

SSE(Psllw, "psllw")
SSE(Pslld, "pslld")
SSE(Psllq, "psllq")
SSE(Psrlw, "psrlw")
SSE(Psrld, "psrld")
SSE(Psrlq, "psrlq")
SSE(Psraw, "psraw")
SSE(Psrad, "psrad")
SSE_SHIFT_IMM(Psllw5, "psllw", 5)
SSE_SHIFT_IMM(Psrld31, "psrld", 31)
SSE_SHIFT_IMM(Psraw20, "psraw", 20)
SSE_SHIFT_IMM(Psrlq64, "psrlq", 64)
AVX(Vpsllvd, "vpsllvd")
AVX(Vpsllvq, "vpsllvq")
AVX(Vpsrlvd, "vpsrlvd")
AVX(Vpsrlvq, "vpsrlvq")
AVX(Vpsravd, "vpsravd")
SSE_SHIFT_IMM(Pslldq3, "pslldq", 3)
SSE_SHIFT_IMM(Pslldq0, "pslldq", 0)
SSE_SHIFT_IMM(Pslldq16, "pslldq", 16)
SSE_SHIFT_IMM(Psrldq5, "psrldq", 5)
SSE_SHIFT_IMM(Psrldq20, "psrldq", 20)
AVX_A_IMM(Vpslldq7, "vpslldq", 7)
AVX_A_IMM(Vpsrldq15, "vpsrldq", 15)

TEST_F(VectorNative, ShiftsMatchTheCpu) {
  const uint32_t imm = SOFTLBR_UOP_B_IMM;
  const Case cases[] = {
      {"psllw", Psllw, U(SOFTLBR_OP_VSHL, 16, 2)},
      {"pslld", Pslld, U(SOFTLBR_OP_VSHL, 16, 4)},
      {"psllq", Psllq, U(SOFTLBR_OP_VSHL, 16, 8)},
      {"psrlw", Psrlw, U(SOFTLBR_OP_VSHR, 16, 2)},
      {"psrld", Psrld, U(SOFTLBR_OP_VSHR, 16, 4)},
      {"psrlq", Psrlq, U(SOFTLBR_OP_VSHR, 16, 8)},
      {"psraw", Psraw, U(SOFTLBR_OP_VSAR, 16, 2)},
      {"psrad", Psrad, U(SOFTLBR_OP_VSAR, 16, 4)},
      {"psllw 5", Psllw5, U(SOFTLBR_OP_VSHL, 16, 2, imm, 5)},
      {"psrld 31", Psrld31, U(SOFTLBR_OP_VSHR, 16, 4, imm, 31)},
      {"psraw 20", Psraw20, U(SOFTLBR_OP_VSAR, 16, 2, imm, 20)},
      {"psrlq 64", Psrlq64, U(SOFTLBR_OP_VSHR, 16, 8, imm, 64)},
      {"vpsllvd", Vpsllvd, U(SOFTLBR_OP_VSHL_LANES, 32, 4), Fill::kIntegers},
      {"vpsllvq", Vpsllvq, U(SOFTLBR_OP_VSHL_LANES, 32, 8)},
      {"vpsrlvd", Vpsrlvd, U(SOFTLBR_OP_VSHR_LANES, 32, 4)},
      {"vpsrlvq", Vpsrlvq, U(SOFTLBR_OP_VSHR_LANES, 32, 8)},
      {"vpsravd", Vpsravd, U(SOFTLBR_OP_VSAR_LANES, 32, 4)},
      {"pslldq 3", Pslldq3, U(SOFTLBR_OP_VBYTE_SHL, 16, 0, 0, 3)},
      {"pslldq 0", Pslldq0, U(SOFTLBR_OP_VBYTE_SHL, 16, 0, 0, 0)},
      {"pslldq 16", Pslldq16, U(SOFTLBR_OP_VBYTE_SHL, 16, 0, 0, 16)},
      {"psrldq 5", Psrldq5, U(SOFTLBR_OP_VBYTE_SHR, 16, 0, 0, 5)},
      {"psrldq 20", Psrldq20, U(SOFTLBR_OP_VBYTE_SHR, 16, 0, 0, 20)},
      {"vpslldq 7", Vpslldq7, U(SOFTLBR_OP_VBYTE_SHL, 32, 0, 0, 7)},
      {"vpsrldq 15", Vpsrldq15, U(SOFTLBR_OP_VBYTE_SHR, 32, 0, 0, 15)},
  };
  CheckAll(cases, 12);
}

AVX_IMM(Vpalignr3, "vpalignr", 3)
AVX_IMM(Vpalignr16, "vpalignr", 16)
AVX_IMM(Vpalignr25, "vpalignr", 25)
AVX_IMM(Vpalignr33, "vpalignr", 33)
AVX_A_IMM(Vpshufd1b, "vpshufd", 0x1b)
AVX_A_IMM(Vpshufd9c, "vpshufd", 0x9c)
AVX_A_IMM(Vpshuflw2d, "vpshuflw", 0x2d)
AVX_A_IMM(Vpshufhw72, "vpshufhw", 0x72)
AVX_IMM(Vshufps4e, "vshufps", 0x4e)
AVX_IMM(Vshufpsb1, "vshufps", 0xb1)
AVX_IMM(Vshufpd6, "vshufpd", 0x6)
AVX_IMM(Vshufpd9, "vshufpd", 0x9)
BOTH(Pshufb, "pshufb", "vpshufb")
NATIVE(Vpermd, "vpermd %%ymm0, %%ymm1, %%ymm0")
AVX_A_IMM(Vpermq8d, "vpermq", 0x8d)
AVX_IMM(Vperm2i12821, "vperm2i128", 0x21)
AVX_IMM(Vperm2i12883, "vperm2i128", 0x83)
AVX_IMM(Vperm2i12818, "vperm2i128", 0x18)
BOTH(Punpcklbw, "punpcklbw", "vpunpcklbw")
BOTH(Punpcklwd, "punpcklwd", "vpunpcklwd")
BOTH(Punpckldq, "punpckldq", "vpunpckldq")
BOTH(Punpcklqdq, "punpcklqdq", "vpunpcklqdq")
BOTH(Punpckhbw, "punpckhbw", "vpunpckhbw")
BOTH(Punpckhwd, "punpckhwd", "vpunpckhwd")
BOTH(Punpckhdq, "punpckhdq", "vpunpckhdq")
BOTH(Punpckhqdq, "punpckhqdq", "vpunpckhqdq")
BOTH(Packsswb, "packsswb", "vpacksswb")
BOTH(Packssdw, "packssdw", "vpackssdw")
BOTH(Packuswb, "packuswb", "vpackuswb")
BOTH(Packusdw, "packusdw", "vpackusdw")
NATIVE(Pmovzxbw, "vpmovzxbw %%xmm0, %%ymm0")
NATIVE(Pmovsxbd, "vpmovsxbd %%xmm0, %%ymm0")
NATIVE(Pmovzxwq, "vpmovzxwq %%xmm0, %%ymm0")
NATIVE(Pmovsxdq, "vpmovsxdq %%xmm0, %%ymm0")
NATIVE(Broadcastb, "vpbroadcastb %%xmm0, %%ymm0")
NATIVE(Broadcastq, "vpbroadcastq %%xmm0, %%ymm0")
NATIVE(Broadcasti128, "vinserti128 $1, %%xmm0, %%ymm0, %%ymm0")
NATIVE(Pinsrb, "vpinsrb $5, %%eax, %%xmm2, %%xmm0")
NATIVE(Pinsrq, "vpinsrq $1, %%rax, %%xmm2, %%xmm0")
NATIVE(Inserti128, "vinserti128 $1, %%xmm0, %%ymm2, %%ymm0")
NATIVE(Extracti128, "vextracti128 $1, %%ymm0, %%xmm0")
NATIVE(Pextrb, "vpextrb $11, %%xmm0, %%eax")
NATIVE(Pextrw, "vpextrw $6, %%xmm0, %%eax")
AVX_IMM(Pblendw, "vpblendw", 0xa5)
AVX_IMM(Pblendd, "vpblendd", 0x5c)
NATIVE(Pblendvb, "vpblendvb %%ymm2, %%ymm1, %%ymm0, %%ymm0")
NATIVE(Blendvpd, "vblendvpd %%ymm2, %%ymm1, %%ymm0, %%ymm0")
NATIVE(Blendvps, "vblendvps %%ymm2, %%ymm1, %%ymm0, %%ymm0")
NATIVE(Pmovmskb16, "xorl %%eax, %%eax; pmovmskb %%xmm0, %%eax")
NATIVE(Pmovmskb32, "vpmovmskb %%ymm0, %%eax")
NATIVE(Movmskps, "vmovmskps %%ymm0, %%eax")
NATIVE(Movmskpd, "vmovmskpd %%ymm0, %%eax")

TEST_F(VectorNative, ShufflesAndMasksMatchTheCpu) {
  softlbr_uop broadcast128 = U(SOFTLBR_OP_VBROADCAST, 32, 16);
  softlbr_uop insert_byte = U(SOFTLBR_OP_VINSERT, 16, 1, 0, 5);
  softlbr_uop insert_quad = U(SOFTLBR_OP_VINSERT, 16, 8, 0, 1);
  insert_byte.a = insert_quad.a = kA;
  const Case cases[] = {
      {"vpalignr 3", Vpalignr3, U(SOFTLBR_OP_VALIGN, 32, 0, 0, 3)},
      {"vpalignr 16", Vpalignr16, U(SOFTLBR_OP_VALIGN, 32, 0, 0, 16)},
      {"vpalignr 25", Vpalignr25, U(SOFTLBR_OP_VALIGN, 32, 0, 0, 25)},
      {"vpalignr 33", Vpalignr33, U(SOFTLBR_OP_VALIGN, 32, 0, 0, 33)},
      {"vpshufd 1b", Vpshufd1b, U(SOFTLBR_OP_VSHUFFLE, 32, 4, 0, 0x1b)},
      {"vpshufd 9c", Vpshufd9c, U(SOFTLBR_OP_VSHUFFLE, 32, 4, 0, 0x9c)},
      {"vpshuflw", Vpshuflw2d, U(SOFTLBR_OP_VSHUFFLE, 32, 2, 0, 0x2d)},
      {"vpshufhw", Vpshufhw72, U(SOFTLBR_OP_VSHUFFLE, 32, 2, SOFTLBR_UOP_NEGATE, 0x72)},
      {"vshufps 4e", Vshufps4e, U(SOFTLBR_OP_VSHUFFLE2, 32, 4, 0, 0x4e)},
      {"vshufps b1", Vshufpsb1, U(SOFTLBR_OP_VSHUFFLE2, 32, 4, 0, 0xb1)},
      {"vshufpd 6", Vshufpd6, U(SOFTLBR_OP_VSHUFFLE2, 32, 8, 0, 6)},
      {"vshufpd 9", Vshufpd9, U(SOFTLBR_OP_VSHUFFLE2, 32, 8, 0, 9)},
      {"pshufb", Pshufb16, U(SOFTLBR_OP_VSHUFFLE_BYTES, 16, 1), Fill::kControls},
      {"vpshufb", Pshufb32, U(SOFTLBR_OP_VSHUFFLE_BYTES, 32, 1), Fill::kControls},
      // vpermd takes the indexes first; here a is the table.
      {"vpermd", Vpermd, MakeUop(SOFTLBR_OP_VPERMUTE, 32, kVD, kVA, kVB, 0, 0, 4)},
      {"vpermq", Vpermq8d, U(SOFTLBR_OP_VPERMUTE, 32, 8, SOFTLBR_UOP_B_IMM, 0x8d)},
      {"vperm2i128 21", Vperm2i12821, U(SOFTLBR_OP_VPERM2_128, 32, 0, 0, 0x21)},
      {"vperm2i128 83", Vperm2i12883, U(SOFTLBR_OP_VPERM2_128, 32, 0, 0, 0x83)},
      {"vperm2i128 18", Vperm2i12818, U(SOFTLBR_OP_VPERM2_128, 32, 0, 0, 0x18)},
      PAIR(Punpcklbw, SOFTLBR_OP_VUNPACK_LOW, 1, 0),
      PAIR(Punpcklwd, SOFTLBR_OP_VUNPACK_LOW, 2, 0),
      PAIR(Punpckldq, SOFTLBR_OP_VUNPACK_LOW, 4, 0),
      PAIR(Punpcklqdq, SOFTLBR_OP_VUNPACK_LOW, 8, 0),
      PAIR(Punpckhbw, SOFTLBR_OP_VUNPACK_HIGH, 1, 0),
      PAIR(Punpckhwd, SOFTLBR_OP_VUNPACK_HIGH, 2, 0),
      PAIR(Punpckhdq, SOFTLBR_OP_VUNPACK_HIGH, 4, 0),
      PAIR(Punpckhqdq, SOFTLBR_OP_VUNPACK_HIGH, 8, 0),
      PAIR(Packsswb, SOFTLBR_OP_VPACK, 2, kSigned),
      PAIR(Packssdw, SOFTLBR_OP_VPACK, 4, kSigned),
      PAIR(Packuswb, SOFTLBR_OP_VPACK, 2, 0),
      PAIR(Packusdw, SOFTLBR_OP_VPACK, 4, 0),
      {"vpmovzxbw", Pmovzxbw, U(SOFTLBR_OP_VEXTEND, 32, 1, 0, 2)},
      {"vpmovsxbd", Pmovsxbd, U(SOFTLBR_OP_VEXTEND, 32, 1, kSigned, 4)},
      {"vpmovzxwq", Pmovzxwq, U(SOFTLBR_OP_VEXTEND, 32, 2, 0, 8)},
      {"vpmovsxdq", Pmovsxdq, U(SOFTLBR_OP_VEXTEND, 32, 4, kSigned, 8)},
      {"vpbroadcastb", Broadcastb, U(SOFTLBR_OP_VBROADCAST, 32, 1)},
      {"vpbroadcastq", Broadcastq, U(SOFTLBR_OP_VBROADCAST, 32, 8)},
      {"vbroadcasti128", Broadcasti128, broadcast128},
      {"pinsrb", Pinsrb, insert_byte},
      {"pinsrq", Pinsrq, insert_quad},
      {"vinserti128", Inserti128, U(SOFTLBR_OP_VINSERT, 32, 16, 0, 1)},
      {"vextracti128", Extracti128, U(SOFTLBR_OP_VEXTRACT_WIDE, 16, 0, 0, 1)},
      {"pextrb", Pextrb, U(SOFTLBR_OP_VEXTRACT, 4, 1, 0, 11), Fill::kIntegers, Compare::kScalar},
      {"pextrw", Pextrw, U(SOFTLBR_OP_VEXTRACT, 4, 2, 0, 6), Fill::kIntegers, Compare::kScalar},
      {"vpblendw", Pblendw, U(SOFTLBR_OP_VBLEND, 32, 2, 0, 0xa5)},
      {"vpblendd", Pblendd, U(SOFTLBR_OP_VBLEND, 32, 4, 0, 0x5c)},
      {"vpblendvb", Pblendvb, U(SOFTLBR_OP_VBLEND_VAR, 32, 1, 0, kVC)},
      {"vblendvpd", Blendvpd, U(SOFTLBR_OP_VBLEND_VAR, 32, 8, 0, kVC)},
      {"vblendvps", Blendvps, U(SOFTLBR_OP_VBLEND_VAR, 32, 4, 0, kVC)},
      {"pmovmskb", Pmovmskb16, U(SOFTLBR_OP_VMASK_BITS, 16, 1), Fill::kIntegers, Compare::kScalar},
      {"vpmovmskb", Pmovmskb32, U(SOFTLBR_OP_VMASK_BITS, 32, 1), Fill::kIntegers, Compare::kScalar},
      {"vmovmskps", Movmskps, U(SOFTLBR_OP_VMASK_BITS, 32, 4), Fill::kIntegers, Compare::kScalar},
      {"vmovmskpd", Movmskpd, U(SOFTLBR_OP_VMASK_BITS, 32, 8), Fill::kIntegers, Compare::kScalar},
  };
  CheckAll(cases, 13);
}

NATIVE(Ptest16, "ptest %%xmm1, %%xmm0")
NATIVE(Ptest32, "vptest %%ymm1, %%ymm0")
NATIVE(Ucomiss, "ucomiss %%xmm1, %%xmm0")
NATIVE(Ucomisd, "ucomisd %%xmm1, %%xmm0")
#define PCMPISTRI(imm) NATIVE(Pcmpistri##imm, "pcmpistri $" #imm ", %%xmm1, %%xmm0; movq %%rcx, %%rax")
PCMPISTRI(0x00)
PCMPISTRI(0x04)
PCMPISTRI(0x05)
PCMPISTRI(0x08)
PCMPISTRI(0x0c)
PCMPISTRI(0x0d)
PCMPISTRI(0x12)
PCMPISTRI(0x18)
PCMPISTRI(0x1a)
PCMPISTRI(0x38)
PCMPISTRI(0x3a)
PCMPISTRI(0x44)
PCMPISTRI(0x46)
PCMPISTRI(0x57)
PCMPISTRI(0x7d)
PCMPISTRI(0x34)
NATIVE(Pclmul00, "pclmulqdq $0x00, %%xmm1, %%xmm0")
NATIVE(Pclmul01, "pclmulqdq $0x01, %%xmm1, %%xmm0")
NATIVE(Pclmul10, "pclmulqdq $0x10, %%xmm1, %%xmm0")
NATIVE(Pclmul11, "pclmulqdq $0x11, %%xmm1, %%xmm0")

TEST_F(VectorNative, TestsStringsAndProductsMatchTheCpu) {
#define STRING(imm)                                                                                                \
  {                                                                                                                \
    "pcmpistri " #imm, Pcmpistri##imm, U(SOFTLBR_OP_STRING_INDEX, 16, 0, SOFTLBR_UOP_SET_FLAGS, imm), Fill::kText, \
        Compare::kScalarFlags                                                                                      \
  }
  const Case cases[] = {
      {"ptest", Ptest16, U(SOFTLBR_OP_VTEST, 16, 0), Fill::kIntegers, Compare::kFlags},
      {"vptest", Ptest32, U(SOFTLBR_OP_VTEST, 32, 0), Fill::kIntegers, Compare::kFlags},
      {"ucomiss", Ucomiss, U(SOFTLBR_OP_FCMP_FLAGS, 16, 4), Fill::kFloats, Compare::kFlags},
      {"ucomisd", Ucomisd, U(SOFTLBR_OP_FCMP_FLAGS, 16, 8), Fill::kDoubles, Compare::kFlags},
      STRING(0x00),
      STRING(0x04),
      STRING(0x05),
      STRING(0x08),
      STRING(0x0c),
      STRING(0x0d),
      STRING(0x12),
      STRING(0x18),
      STRING(0x1a),
      STRING(0x38),
      STRING(0x3a),
      STRING(0x44),
      STRING(0x46),
      STRING(0x57),
      STRING(0x7d),
      STRING(0x34),
      {"pclmulqdq 00", Pclmul00, U(SOFTLBR_OP_CARRYLESS_MUL, 16, 0, 0, 0x00)},
      {"pclmulqdq 01", Pclmul01, U(SOFTLBR_OP_CARRYLESS_MUL, 16, 0, 0, 0x01)},
      {"pclmulqdq 10", Pclmul10, U(SOFTLBR_OP_CARRYLESS_MUL, 16, 0, 0, 0x10)},
      {"pclmulqdq 11", Pclmul11, U(SOFTLBR_OP_CARRYLESS_MUL, 16, 0, 0, 0x11)},
  };
  CheckAll(cases, 14);
}

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
#define ROUND_CASES(imm)                                                                                                 \
  {"roundps " #imm, Roundps##imm, U(SOFTLBR_OP_FROUND, 32, 4, 0, imm), Fill::kFloats, Compare::kVectorNoNan4}, {         \
    "roundsd " #imm, Roundsd##imm, U(SOFTLBR_OP_FROUND, 16, 8, kScalarLane, imm), Fill::kDoubles, Compare::kVectorNoNan8 \
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

// Near the limits of the range and near cancellation a second rounding would show.
TEST_F(VectorNative, FusedMultiplyAddIsExactNearLimitsAndCancellation) {
  Random random(17);
  for (int round = 0; round < 300000; ++round) {
    const int spread = static_cast<int>(random() % 120) - 60;
    const auto any = [&](int exponent) {
      const double mantissa = 1.0 + static_cast<double>(random() >> 12) / 4503599627370496.0;
      return std::ldexp(random() % 2 != 0 ? mantissa : -mantissa, exponent);
    };
    const int ea = static_cast<int>(random() % 2000) - 1000;
    const int eb = round % 3 == 0 ? -1030 - ea + static_cast<int>(random() % 60) : static_cast<int>(random() % 200) - 100;
    const double a = any(ea);
    const double b = any(eb);
    double c = any(ea + eb + spread);
    if (round % 4 == 0) c = -(a * b);  // cancels all but the product's low half
    double want = a;
    asm("vfmadd213sd %2, %1, %0" : "+x"(want) : "x"(b), "x"(c));
    const double got = FusedMultiplyAdd(a, b, c);
    if (std::isnan(want)) continue;
    ASSERT_EQ(std::memcmp(&got, &want, 8), 0) << std::hexfloat << a << " * " << b << " + " << c << " = " << want << " not " << got;
    const float fa = static_cast<float>(any(ea / 10));
    const float fb = static_cast<float>(any(round % 3 == 0 ? -130 - ea / 10 + static_cast<int>(random() % 20) : spread / 2));
    float fc = static_cast<float>(any(ea / 10 + spread));
    if (round % 4 == 0) fc = -(fa * fb);
    float fwant = fa;
    asm("vfmadd213ss %2, %1, %0" : "+x"(fwant) : "x"(fb), "x"(fc));
    const float fgot = FusedMultiplyAdd(fa, fb, fc);
    if (std::isnan(fwant)) continue;
    ASSERT_EQ(std::memcmp(&fgot, &fwant, 4), 0) << std::hexfloat << fa << " * " << fb << " + " << fc << " = " << fwant;
  }
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
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq")) {
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
