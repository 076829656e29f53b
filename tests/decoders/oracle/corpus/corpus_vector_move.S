/* Moves between vectors, memory and general registers; broadcasts, inserts, extracts. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.irp op, movaps, movapd, movups, movupd, movdqa, movdqu
	form \op xmm0, xmm1
	form \op xmm9, xmm14
	form \op xmm3, xmm3
	form \op xmm8, xmmword ptr [rsi]
	form \op xmm2, xmmword ptr [rdi + rcx*4 + 8]
	form \op xmmword ptr [rsi], xmm8
	form \op xmmword ptr [rip + 0x7fffc00], xmm2
	form v\op xmm0, xmm1
	form v\op ymm9, ymm14
	form v\op xmm8, xmmword ptr [rsi]
	form v\op ymm2, ymmword ptr [rdi + rcx*4 + 8]
	form v\op xmmword ptr [rsi], xmm8
	form v\op ymmword ptr [r12 + r9*8 - 16], ymm2
	form \op\().s xmm1, xmm2
	form v\op\().s ymm1, ymm12
	.endr
	.irp op, vmovaps, vmovapd, vmovups, vmovupd, vmovdqa32, vmovdqa64, vmovdqu8, vmovdqu16, vmovdqu32, vmovdqu64
	form \op zmm0, zmm1
	form \op ymm19, ymm14
	form \op xmm3, xmm30
	form \op zmm18, zmmword ptr [rsi]
	form \op ymm2, ymmword ptr [rdi + rcx*4 + 32]
	form \op xmm16, xmmword ptr [rsi + 16]
	form \op zmmword ptr [rsi + 64], zmm8
	form \op ymmword ptr [rsi + 32], ymm18
	form \op xmmword ptr [rsi + 16], xmm28
	form \op zmm1 {k1}, zmm2
	form \op zmm1 {k1} {z}, zmm2
	form \op ymm17 {k2} {z}, ymmword ptr [rsi + 32]
	form \op xmm17 {k2}, xmmword ptr [rsi + 16]
	form \op zmmword ptr [rsi] {k3}, zmm1
	form \op xmmword ptr [rsi] {k3}, xmm21
	.endr
	form lddqu xmm1, xmmword ptr [rsi]
	form vlddqu ymm9, ymmword ptr [rsi]
	form vlddqu xmm9, xmmword ptr [rsi]
	form movntdq xmmword ptr [rsi], xmm3
	form movntps xmmword ptr [rsi], xmm3
	form movntpd xmmword ptr [rsi], xmm13
	form vmovntdq ymmword ptr [rsi], ymm3
	form vmovntps xmmword ptr [rsi], xmm3
	form vmovntdq zmmword ptr [rsi], zmm23
	form movntdqa xmm3, xmmword ptr [rsi]
	form vmovntdqa ymm3, ymmword ptr [rsi]
	form vmovntdqa zmm23, zmmword ptr [rsi]

	.irp op, movss, movsd
	form \op xmm0, xmm1
	form \op xmm9, xmm14
	form \op xmm3, xmm3
	form v\op xmm0, xmm1, xmm2
	form v\op xmm9, xmm14, xmm9
	form v\op xmm9, xmm9, xmm12
	form v\op xmm19, xmm14, xmm29
	unmodelled
	form v\op xmm19 {k1}, xmm14, xmm29
	form v\op xmm19 {k1} {z}, xmm14, xmm29
	modelled
	form \op\().s xmm3, xmm4
	.endr
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[rip + 0x7fffc00]", "[rsp + 8]"
	form movss xmm9, dword ptr \memory
	form movss dword ptr \memory, xmm3
	form vmovss xmm3, dword ptr \memory
	form vmovss dword ptr \memory, xmm13
	form vmovss xmm23, dword ptr \memory
	form vmovss dword ptr \memory, xmm23
	form movsd xmm9, qword ptr \memory
	form movsd qword ptr \memory, xmm3
	form vmovsd xmm3, qword ptr \memory
	form vmovsd qword ptr \memory, xmm13
	form vmovsd xmm23, qword ptr \memory
	form vmovsd qword ptr \memory, xmm23
	form movq xmm3, qword ptr \memory
	form movq qword ptr \memory, xmm9
	form movd xmm3, dword ptr \memory
	form movd dword ptr \memory, xmm9
	form vmovq xmm3, qword ptr \memory
	form vmovq qword ptr \memory, xmm9
	form vmovd xmm3, dword ptr \memory
	form vmovd dword ptr \memory, xmm9
	form vmovq xmm23, qword ptr \memory
	form vmovd dword ptr \memory, xmm29
	.irp op, movlps, movlpd, movhps, movhpd
	form \op xmm3, qword ptr \memory
	form \op qword ptr \memory, xmm9
	form v\op xmm3, xmm4, qword ptr \memory
	form v\op xmm3, xmm3, qword ptr \memory
	form v\op qword ptr \memory, xmm9
	form v\op xmm23, xmm24, qword ptr \memory
	.endr
	form vbroadcastss xmm3, dword ptr \memory
	form vbroadcastss ymm3, dword ptr \memory
	form vbroadcastsd ymm3, qword ptr \memory
	form vbroadcastf128 ymm3, xmmword ptr \memory
	form vbroadcasti128 ymm13, xmmword ptr \memory
	form vpbroadcastb xmm3, byte ptr \memory
	form vpbroadcastb ymm3, byte ptr \memory
	form vpbroadcastw ymm3, word ptr \memory
	form vpbroadcastd ymm3, dword ptr \memory
	form vpbroadcastq xmm3, qword ptr \memory
	form vpbroadcastb zmm23, byte ptr \memory
	form vpbroadcastd zmm23, dword ptr \memory
	form vpbroadcastq zmm23 {k1}, qword ptr \memory
	form vbroadcastss zmm23, dword ptr \memory
	form vbroadcasti32x4 zmm3, xmmword ptr \memory
	form vbroadcasti64x4 zmm3, ymmword ptr \memory
	form vbroadcastf64x2 zmm3, xmmword ptr \memory
	form pinsrb xmm1, byte ptr \memory, 5
	form pinsrw xmm1, word ptr \memory, 5
	form pinsrd xmm1, dword ptr \memory, 2
	form pinsrq xmm1, qword ptr \memory, 1
	form vpinsrb xmm1, xmm2, byte ptr \memory, 15
	form vpinsrw xmm1, xmm2, word ptr \memory, 7
	form vpinsrd xmm1, xmm1, dword ptr \memory, 3
	form vpinsrq xmm1, xmm9, qword ptr \memory, 0
	form pextrb byte ptr \memory, xmm1, 5
	form pextrw word ptr \memory, xmm1, 5
	form pextrd dword ptr \memory, xmm1, 2
	form pextrq qword ptr \memory, xmm1, 1
	form vpextrb byte ptr \memory, xmm9, 5
	form vpextrd dword ptr \memory, xmm1, 2
	form vpextrq qword ptr \memory, xmm1, 1
	form extractps dword ptr \memory, xmm1, 2
	form insertps xmm1, dword ptr \memory, 0x12
	form vinsertps xmm1, xmm2, dword ptr \memory, 0x6c
	form movddup xmm3, qword ptr \memory
	form vmovddup xmm3, qword ptr \memory
	.endr
	.irp op, movhlps, movlhps
	form \op xmm3, xmm9
	form \op xmm3, xmm3
	form v\op xmm3, xmm4, xmm9
	form v\op xmm3, xmm4, xmm3
	form v\op xmm3, xmm3, xmm9
	form v\op xmm23, xmm24, xmm9
	.endr
	form movq xmm3, xmm9
	form vmovq xmm3, xmm9
	form vmovq xmm23, xmm9
	form movq.s xmm3, xmm9
	form movd xmm3, eax
	form movd xmm13, r9d
	form movq xmm3, rax
	form movq xmm13, r9
	form movd eax, xmm3
	form movd r9d, xmm13
	form movq rax, xmm3
	form movq r9, xmm13
	form vmovd xmm3, eax
	form vmovq xmm13, r9
	form vmovd r9d, xmm13
	form vmovq rax, xmm3
	form vmovd xmm23, eax
	form vmovq r9, xmm31

	.irp reg, eax, r9d
	form pinsrb xmm1, \reg, 0
	form pinsrb xmm1, \reg, 31
	form pinsrw xmm9, \reg, 6
	form pinsrd xmm1, \reg, 3
	form vpinsrb xmm1, xmm2, \reg, 7
	form vpinsrw xmm1, xmm1, \reg, 2
	form vpinsrd xmm9, xmm2, \reg, 1
	form pextrb \reg, xmm1, 9
	form pextrw \reg, xmm9, 6
	form pextrd \reg, xmm1, 3
	form vpextrb \reg, xmm1, 9
	form vpextrw \reg, xmm9, 6
	form vpextrd \reg, xmm1, 3
	form extractps \reg, xmm9, 2
	form vextractps \reg, xmm9, 2
	form vpbroadcastb zmm3, \reg
	form vpbroadcastw ymm3, \reg
	form vpbroadcastd zmm23, \reg
	form vpbroadcastb ymm16, \reg
	form vpbroadcastb xmm16 {k1} {z}, \reg
	.endr
	form pinsrq xmm1, rax, 1
	form vpinsrq xmm1, xmm2, r9, 0
	form pextrq rax, xmm1, 1
	form vpextrq r9, xmm1, 0
	form vpbroadcastq zmm3, rax
	.irp control, 0x00, 0x10, 0x5c, 0x93, 0xff, 0x0f
	form insertps xmm1, xmm9, \control
	form insertps xmm1, xmm1, \control
	form vinsertps xmm1, xmm2, xmm9, \control
	form vinsertps xmm1, xmm2, xmm1, \control
	.endr

	form vbroadcastss xmm3, xmm9
	form vbroadcastss ymm3, xmm3
	form vbroadcastsd ymm3, xmm9
	form vpbroadcastb xmm3, xmm9
	form vpbroadcastb ymm3, xmm3
	form vpbroadcastw ymm3, xmm9
	form vpbroadcastd xmm3, xmm9
	form vpbroadcastq ymm3, xmm9
	form vpbroadcastb zmm3, xmm29
	form vpbroadcastq zmm3 {k1}, xmm29
	.irp half, 0, 1
	form vinsertf128 ymm1, ymm2, xmm3, \half
	form vinserti128 ymm1, ymm1, xmm1, \half
	form vinserti128 ymm1, ymm2, xmmword ptr [rsi], \half
	form vextractf128 xmm1, ymm2, \half
	form vextracti128 xmm9, ymm9, \half
	form vextracti128 xmmword ptr [rsi], ymm2, \half
	form vinserti64x4 zmm1, zmm2, ymm3, \half
	form vextracti64x4 ymm1, zmm2, \half
	form vextracti32x4 xmm1, ymm22, \half
	form vinserti32x4 ymm1, ymm2, xmm23, \half
	.endr
	form vextracti32x4 xmm1, zmm22, 3
	form vextracti64x2 xmmword ptr [rsi + 16], zmm22, 2
	form vinserti32x4 zmm1, zmm2, xmm23, 2
	form vinserti64x2 zmm1, zmm2, xmmword ptr [rsi], 3
	form vinserti32x4 zmm1 {k1}, zmm2, xmm23, 2

	form vzeroupper
	form vzeroall
	form emms

	/* MMX. */
	form movq mm0, mm1
	form movq mm3, qword ptr [rsi]
	form movq qword ptr [rsi], mm3
	form movd mm1, eax
	form movq mm1, r9
	form movd r9d, mm2
	form movq rax, mm2
	form movd mm1, dword ptr [rsi]
	form movd dword ptr [rsi], mm1
	form movq2dq xmm1, mm2
	form movdq2q mm1, xmm2
	form movntq qword ptr [rsi], mm3
	form pmovmskb eax, mm3
	form pinsrw mm1, eax, 2
	form pextrw ecx, mm1, 3
	.irp op, paddb, paddw, paddd, paddq, psubb, psubw, psubd, psubq, paddsb, paddsw, paddusb, paddusw, psubsb, psubusw, pmullw, pmulhw, pmulhuw, pmuludq, pmaddwd, psadbw, pavgb, pavgw
	form \op mm0, mm1
	form \op mm5, qword ptr [rsi]
	.endr
	.irp op, pminub, pminsw, pmaxub, pmaxsw, pand, por, pxor, pandn, pcmpeqb, pcmpeqw, pcmpeqd, pcmpgtb, pcmpgtw, pcmpgtd, packsswb, packssdw, packuswb, pabsb, pabsw, pabsd, pmaddubsw, pshufb
	form \op mm0, mm1
	form \op mm5, qword ptr [rsi]
	.endr
	.irp op, punpckhbw, punpckhwd, punpckhdq
	form \op mm0, mm1
	form \op mm5, qword ptr [rsi]
	.endr
	.irp op, punpcklbw, punpcklwd, punpckldq
	form \op mm0, mm1
	form \op mm5, dword ptr [rsi]
	.endr
	.irp op, psllw, pslld, psllq, psrlw, psrld, psrlq, psraw, psrad
	form \op mm0, mm1
	form \op mm5, qword ptr [rsi]
	form \op mm5, 3
	form \op mm6, 40
	.endr
	.irp op, phaddw, phaddsw, phsubw, phsubsw, psignb, psignw, psignd, pmulhrsw
	form \op mm0, mm1
	form \op mm5, mm5
	form \op mm5, qword ptr [rsi]
	.endr
	form pshufw mm1, mm2, 0x1b
	form pshufw mm1, qword ptr [rsi], 0xe4
	form palignr mm1, mm2, 3

	unmodelled
	form phaddd mm1, mm2
	form phsubd mm1, qword ptr [rsi]
	form maskmovdqu xmm1, xmm2
	form vmaskmovdqu xmm1, xmm2
	form maskmovq mm1, mm2
	form vmaskmovps ymm1, ymm2, ymmword ptr [rsi]
	form vmaskmovpd ymmword ptr [rsi], ymm2, ymm1
	form vpmaskmovd xmm1, xmm2, xmmword ptr [rsi]
	form vpmaskmovq ymmword ptr [rsi], ymm2, ymm1
	form vmovss xmm1 {k1}, dword ptr [rsi]
	form vmovsd qword ptr [rsi] {k1}, xmm2
	form vpgatherdd xmm1, [rsi + xmm2*4], xmm3
	form vpscatterdd [rsi + zmm2*4] {k1}, zmm3
	form vpcompressd zmm1 {k1}, zmm2
	form vpcompressb zmmword ptr [rsi] {k1}, zmm2
	form vpexpandd zmm1 {k1} {z}, zmm2
	form fxsave [rsi]
	form fnstsw ax
	form fnstcw word ptr [rsi]
	form fld st(0)
	form fld qword ptr [rsi]
	form fld dword ptr [rsi]
	form fld tbyte ptr [rsi]
	form fstp qword ptr [rsi]
	form fstp tbyte ptr [rsi]
	form fistp qword ptr [rsi]
	form fistp word ptr [rsi]
	form fild dword ptr [rsi]
	form fxch
	form faddp
	form fmul st, st(2)
	form fcomip st, st(1)
	form fucomi st, st(1)
	form fcmove st, st(1)
	form fcom st(1)
	form fabs
	form fchs
	form fsqrt
	form fld1
	form fldz
	form ffree st(3)
	form fincstp
	form fninit
	form fnclex
	form fnstenv [rsi]
	form fnsave [rsi]
	form femms
	form pfadd mm1, mm2
