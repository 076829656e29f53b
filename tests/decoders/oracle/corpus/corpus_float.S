/* Scalar and packed floating point: arithmetic, compares, conversions, rounding, FMA. NaN results may stay UNKNOWN. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.macro packed op, tail:vararg
	form \op xmm0, xmm1 \tail
	form \op xmm9, xmm9 \tail
	form \op xmm8, xmmword ptr [rsi] \tail
	form v\op xmm0, xmm1, xmm2 \tail
	form v\op xmm9, xmm9, xmm14 \tail
	form v\op ymm0, ymm1, ymm2 \tail
	form v\op ymm7, ymm13, ymm13 \tail
	form v\op ymm8, ymm3, ymmword ptr [rdi + rcx*4 + 8] \tail
	.endm
	.macro packed_evex op, tail:vararg
	form v\op zmm0, zmm1, zmm2 \tail
	form v\op xmm17, xmm30, xmm3 \tail
	form v\op ymm17, ymm31, ymm9 \tail
	form v\op zmm20, zmm20, zmmword ptr [rsi + 64] \tail
	form v\op zmm1 {k1}, zmm2, zmm3 \tail
	form v\op ymm1 {k2} {z}, ymm2, ymm3 \tail
	.endm
	.macro scalar size, op, tail:vararg
	form \op xmm0, xmm1 \tail
	form \op xmm9, xmm9 \tail
	form \op xmm3, xmm12 \tail
	form \op xmm8, \size ptr [rsi] \tail
	form \op xmm2, \size ptr [rdi + rcx*4 + 8] \tail
	form \op xmm2, \size ptr [rip + 0x7fffc00] \tail
	form v\op xmm0, xmm1, xmm2 \tail
	form v\op xmm9, xmm9, xmm14 \tail
	form v\op xmm9, xmm14, xmm9 \tail
	form v\op xmm7, xmm13, xmm13 \tail
	form v\op xmm8, xmm3, \size ptr [rsi] \tail
	.endm
	.macro scalar_evex size, op, tail:vararg
	form v\op xmm17, xmm30, xmm3 \tail
	form v\op xmm8, xmm23, \size ptr [rsi + 8] \tail
	.endm

	.irp op, add, sub, mul, div, min, max
	nan_lanes 4
	packed \op\()ps
	packed_evex \op\()ps
	scalar dword, \op\()ss
	scalar_evex dword, \op\()ss
	nan_lanes 8
	packed \op\()pd
	packed_evex \op\()pd
	scalar qword, \op\()sd
	scalar_evex qword, \op\()sd
	.endr
	nan_lanes 4
	form sqrtps xmm1, xmm2
	form sqrtps xmm1, xmmword ptr [rsi]
	form vsqrtps ymm1, ymm2
	form vsqrtps xmm1, xmm2
	form vsqrtps zmm1, zmm2
	scalar dword, sqrtss
	form addps xmm1, xmm1
	packed haddps
	packed hsubps
	packed addsubps
	nan_lanes 8
	form sqrtpd xmm1, xmm2
	form sqrtpd xmm1, xmmword ptr [rsi]
	form vsqrtpd ymm1, ymm2
	form vsqrtpd zmm1, zmm2
	scalar qword, sqrtsd
	packed haddpd
	packed hsubpd
	packed addsubpd
	nan_lanes 0
	.irp op, andps, andpd, orps, orpd, xorps, xorpd, andnps, andnpd
	packed \op
	packed_evex \op
	.endr
	.irp op, comiss, ucomiss
	form \op xmm1, xmm2
	form \op xmm9, xmm9
	form \op xmm9, dword ptr [rsi]
	form v\op xmm1, xmm2
	form v\op xmm1, dword ptr [rdi + rcx*4 + 8]
	form v\op xmm17, xmm2
	.endr
	.irp op, comisd, ucomisd
	form \op xmm1, xmm2
	form \op xmm9, xmm9
	form \op xmm9, qword ptr [rsi]
	form v\op xmm1, xmm2
	form v\op xmm1, qword ptr [rdi + rcx*4 + 8]
	form v\op xmm17, xmm2
	.endr
	.irp predicate, 0, 1, 2, 3, 4, 5, 6, 7
	packed cmpps, , \predicate
	packed cmppd, , \predicate
	scalar dword, cmpss, , \predicate
	scalar qword, cmpsd, , \predicate
	.endr
	.irp predicate, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	form vcmpps ymm1, ymm2, ymm3, \predicate
	form vcmppd xmm1, xmm2, xmm3, \predicate
	form vcmpss xmm1, xmm2, xmm3, \predicate
	form vcmpsd xmm1, xmm2, xmm3, \predicate
	form vcmpps k1, zmm2, zmm3, \predicate
	form vcmppd k1 {k2}, ymm2, ymm3, \predicate
	.endr
	form vcmpss k1, xmm2, xmm3, 1
	form vcmpsd k1, xmm2, xmm3, 14

	nan_lanes 4
	.irp pair, "xmm1, eax", "xmm9, r9d", "xmm1, rax", "xmm9, r9", "xmm1, dword ptr [rsi]", "xmm1, qword ptr [rsi]"
	form cvtsi2ss \pair
	form cvtsi2sd \pair
	.endr
	.irp pair, "xmm1, xmm2, eax", "xmm9, xmm9, r9d", "xmm1, xmm12, rax", "xmm9, xmm3, r9", "xmm1, xmm2, dword ptr [rsi]", "xmm1, xmm2, qword ptr [rsi]", "xmm21, xmm2, rax"
	form vcvtsi2ss \pair
	form vcvtsi2sd \pair
	.endr
	form vcvtusi2ss xmm1, xmm2, eax
	form vcvtusi2ss xmm1, xmm2, rax
	form vcvtusi2sd xmm1, xmm2, r9d
	form vcvtusi2sd xmm1, xmm1, r9
	nan_lanes 0
	.irp op, cvtss2si, cvttss2si, cvtsd2si, cvttsd2si
	.irp pair, "eax, xmm1", "r9d, xmm12", "rax, xmm1", "r9, xmm12"
	form \op \pair
	form v\op \pair
	.endr
	.endr
	.irp op, cvtss2si, cvttss2si
	form \op eax, dword ptr [rsi]
	form \op r9, dword ptr [rsi]
	form v\op r9, dword ptr [rsi]
	.endr
	.irp op, cvtsd2si, cvttsd2si
	form \op eax, qword ptr [rsi]
	form \op r9, qword ptr [rsi]
	form v\op r9, qword ptr [rsi]
	.endr
	form vcvttss2usi eax, xmm1
	form vcvttsd2usi rax, xmm1
	nan_lanes 8
	scalar dword, cvtss2sd
	scalar_evex dword, cvtss2sd
	form cvtps2pd xmm1, xmm2
	form cvtps2pd xmm9, xmm9
	form cvtps2pd xmm1, qword ptr [rsi]
	form vcvtps2pd ymm1, xmm2
	form vcvtps2pd xmm1, xmm2
	form vcvtps2pd ymm1, xmmword ptr [rsi]
	form vcvtps2pd zmm1, ymm2
	form cvtdq2pd xmm1, xmm2
	form cvtdq2pd xmm1, qword ptr [rsi]
	form vcvtdq2pd ymm1, xmm2
	form vcvtdq2pd ymm9, xmm9
	form vcvtdq2pd ymm1, xmmword ptr [rsi]
	form vcvtdq2pd zmm1, ymm2
	nan_lanes 4
	scalar qword, cvtsd2ss
	scalar_evex qword, cvtsd2ss
	form cvtpd2ps xmm1, xmm2
	form cvtpd2ps xmm1, xmmword ptr [rsi]
	form vcvtpd2ps xmm1, xmm2
	form vcvtpd2ps xmm1, ymm2
	form vcvtpd2ps xmm1, ymmword ptr [rsi]
	form vcvtpd2ps ymm1, zmm2
	form cvtdq2ps xmm1, xmm2
	form cvtdq2ps xmm1, xmmword ptr [rsi]
	form vcvtdq2ps ymm1, ymm2
	form vcvtdq2ps zmm1, zmm2
	nan_lanes 0
	.irp op, cvtps2dq, cvttps2dq
	form \op xmm1, xmm2
	form \op xmm1, xmmword ptr [rsi]
	form v\op ymm1, ymm2
	form v\op xmm1, xmm2
	form v\op ymm1, ymmword ptr [rsi]
	form v\op zmm1, zmm2
	.endr
	.irp op, cvtpd2dq, cvttpd2dq
	form \op xmm1, xmm2
	form \op xmm1, xmmword ptr [rsi]
	form v\op xmm1, xmm2
	form v\op xmm1, ymm2
	form v\op xmm9, ymm9
	form v\op xmm1, ymmword ptr [rsi]
	form v\op ymm1, zmm2
	.endr
	.irp control, 0, 1, 2, 3, 8, 9, 10, 11, 4, 12
	nan_lanes 4
	form roundps xmm1, xmm2, \control
	form roundps xmm1, xmmword ptr [rsi], \control
	form vroundps ymm1, ymm2, \control
	scalar dword, roundss, , \control
	nan_lanes 8
	form roundpd xmm1, xmm2, \control
	form vroundpd ymm1, ymm2, \control
	form vroundpd ymm1, ymmword ptr [rsi], \control
	scalar qword, roundsd, , \control
	.endr
	nan_lanes 4
	form vrndscaless xmm1, xmm2, xmm3, 1
	form vrndscaleps zmm1, zmm2, 8
	.macro fma op, order
	nan_lanes 4
	form v\op\order\()ps xmm1, xmm2, xmm3
	form v\op\order\()ps ymm9, ymm2, ymm14
	form v\op\order\()ps ymm9, ymm2, ymmword ptr [rsi]
	form v\op\order\()ps zmm1, zmm2, zmm3
	form v\op\order\()ss xmm1, xmm2, xmm3
	form v\op\order\()ss xmm1, xmm1, xmm1
	form v\op\order\()ss xmm1, xmm2, dword ptr [rsi]
	nan_lanes 8
	form v\op\order\()pd xmm1, xmm2, xmm3
	form v\op\order\()pd ymm9, ymm2, ymm14
	form v\op\order\()pd zmm1 {k1}, zmm2, zmm3
	form v\op\order\()sd xmm1, xmm2, xmm3
	form v\op\order\()sd xmm9, xmm2, xmm9
	form v\op\order\()sd xmm1, xmm2, qword ptr [rsi]
	.endm
	.macro fma_alternating op, order
	nan_lanes 4
	form v\op\order\()ps xmm1, xmm2, xmm3
	form v\op\order\()ps ymm9, ymm9, ymm9
	form v\op\order\()ps zmm1 {k1}, zmm2, zmm3
	nan_lanes 8
	form v\op\order\()pd ymm1, ymm2, ymmword ptr [rsi]
	form v\op\order\()pd zmm1, zmm2, zmm3
	.endm
	.irp op, fmaddsub, fmsubadd
	fma_alternating \op, 132
	fma_alternating \op, 213
	fma_alternating \op, 231
	.endr
	.irp op, fmadd, fmsub, fnmadd, fnmsub
	fma \op, 132
	fma \op, 213
	fma \op, 231
	.endr
	nan_lanes 0

	unmodelled
	form stmxcsr dword ptr [rsi]
	form vstmxcsr dword ptr [rsi]
	form stmxcsr dword ptr [rdi + rcx*4 + 8]
	form rcpps xmm1, xmm2
	form rcpss xmm1, xmm2
	form rsqrtps xmm1, xmm2
	form rsqrtss xmm1, dword ptr [rsi]
	form vrcpps ymm1, ymm2
	form vrsqrt14ps zmm1, zmm2
	form vrcp14sd xmm1, xmm2, xmm3
	form dpps xmm1, xmm2, 0xf1
	form dppd xmm1, xmm2, 0x31
	form vdpps ymm1, ymm2, ymm3, 0xff
	form vcvtps2ph xmm1, ymm2, 0
	form vcvtph2ps ymm1, xmm2
	form vcvtps2ph xmmword ptr [rsi], ymm2, 0
	form cvtpi2ps xmm1, mm2
	form cvtpi2pd xmm1, mm2
	form cvtps2pi mm1, xmm2
	form cvttpd2pi mm1, xmm2
	form vaddps zmm1, zmm2, zmm3, {rz-sae}
	form vaddsd xmm1, xmm2, xmm3, {rd-sae}
	form vcvtsd2si eax, xmm1, {ru-sae}
	form vcvttsd2si rax, xmm1, {sae}
	form vcmpps k1, zmm2, zmm3, {sae}, 3
	form vgetexpps zmm1, zmm2
	form vgetmantpd zmm1, zmm2, 1
	form vscalefps zmm1, zmm2, zmm3
	form vfixupimmps zmm1, zmm2, zmm3, 4
	form vrangeps zmm1, zmm2, zmm3, 4
	form vreducepd zmm1, zmm2, 4
	form vfpclassps k1, zmm2, 0x18
	form vcvtudq2ps zmm1, zmm2
	form vcvtqq2pd zmm1, zmm2
	form vcvttps2udq zmm1, zmm2
	form vaddph zmm1, zmm2, zmm3
	form vaddsh xmm1, xmm2, xmm3
	form vcvtneps2bf16 ymm1, zmm2
	form ldmxcsr dword ptr [rsi]
