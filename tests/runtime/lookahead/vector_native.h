// Compares vector ops with the CPU's own instructions: cases of an op, a function with the instruction, and inputs. For
// x86-64 hosts with AVX2 (and AVX-512 for the mask ops); else the tests are skipped.
#ifndef SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_VECTOR_NATIVE_H_
#define SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_VECTOR_NATIVE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/lookahead/uop_check.h"
#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {

inline constexpr int kRounds = 400;

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
#define AVX512(name, text)                                                                                        \
  [[maybe_unused]] void name(Operands* o) {                                                                       \
    asm volatile(                                                                                                 \
        "vmovdqu64 %[a], %%zmm0\n\tvmovdqu64 %[b], %%zmm1\n\tvmovdqu64 %[c], %%zmm2\n\tkmovq %[s], %%k1\n\t" text \
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

inline softlbr_uop U(uint32_t op, uint32_t width, uint32_t lane, uint32_t flags = 0, int32_t imm = 0) {
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
      return std::ldexp(static_cast<Float>(static_cast<int64_t>(random() % 65536) - 32768),
                        static_cast<int>(random() % 80) - 40);
    default: {
      Float x;
      const uint64_t bits = random();
      std::memcpy(&x, &bits, sizeof(x));
      return x;
    }
  }
}

inline void FillWords(uint64_t* words, Fill fill, Random& random) {
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

inline bool IsNan(const uint64_t* words, uint32_t lane_bytes, uint32_t index) {
  if (lane_bytes == 4) {
    float x;
    std::memcpy(&x, reinterpret_cast<const char*>(words) + 4 * index, 4);
    return std::isnan(x);
  }
  double x;
  std::memcpy(&x, &words[index], 8);
  return std::isnan(x);
}

inline void CheckCase(const Case& c, Random& random) {
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
    SCOPED_TRACE(testing::Message() << c.name << std::hex << " a " << o.a[0] << " " << o.a[1] << " b " << o.b[0] << " "
                                    << o.b[1] << " c " << o.c[0] << " " << o.c[1] << " scalar " << o.scalar);
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
        ASSERT_EQ(runner.Get(slot) >> (8 * (byte % 8)) & 0xff, o.r[byte / 8] >> (8 * (byte % 8)) & 0xff)
            << "byte " << byte;
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

inline constexpr uint32_t kSigned = SOFTLBR_UOP_SIGNED;
inline constexpr uint32_t kScalarLane = SOFTLBR_UOP_SCALAR;

class VectorNative : public testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2 or FMA";
  }
};

}  // namespace softlbr::lookahead_test

#endif  // SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_VECTOR_NATIVE_H_
