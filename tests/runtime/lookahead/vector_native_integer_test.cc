// Vector ops on integers, and string and carry-less products, against the CPU.
#if defined(__x86_64__)
#include "tests/runtime/lookahead/vector_native.h"

namespace softlbr::lookahead_test {
namespace {

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

}  // namespace
}  // namespace softlbr::lookahead_test

#endif  // defined(__x86_64__)
