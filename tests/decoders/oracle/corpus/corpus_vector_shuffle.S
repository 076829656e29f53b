/* Shuffles, unpacks, packs, blends, permutes, extensions. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.macro legacy op, tail:vararg
	form \op xmm0, xmm1 \tail
	form \op xmm9, xmm9 \tail
	form \op xmm3, xmm12 \tail
	form \op xmm8, xmmword ptr [rsi] \tail
	form \op xmm15, xmmword ptr [rip + 0x7fffc00] \tail
	.endm
	.macro vex op, tail:vararg
	form v\op xmm0, xmm1, xmm2 \tail
	form v\op xmm5, xmm6, xmm5 \tail
	form v\op ymm0, ymm1, ymm2 \tail
	form v\op ymm9, ymm9, ymm14 \tail
	form v\op ymm7, ymm13, ymm13 \tail
	form v\op xmm8, xmm3, xmmword ptr [rsi] \tail
	form v\op ymm8, ymm3, ymmword ptr [rdi + rcx*4 + 8] \tail
	.endm
	.macro evex op, tail:vararg
	form v\op zmm0, zmm1, zmm2 \tail
	form v\op xmm17, xmm30, xmm3 \tail
	form v\op ymm17, ymm31, ymm9 \tail
	form v\op zmm20, zmm20, zmm25 \tail
	form v\op zmm21, zmm3, zmmword ptr [rsi + 64] \tail
	form v\op zmm1 {k1}, zmm2, zmm3 \tail
	form v\op ymm1 {k7} {z}, ymm2, ymm3 \tail
	.endm
	.macro vex_unary op, tail:vararg
	form v\op xmm0, xmm1 \tail
	form v\op ymm9, ymm14 \tail
	form v\op ymm7, ymm7 \tail
	form v\op xmm8, xmmword ptr [rsi] \tail
	form v\op ymm8, ymmword ptr [rdi + rcx*4 + 8] \tail
	.endm
	.macro evex_unary op, tail:vararg
	form v\op zmm0, zmm1 \tail
	form v\op ymm19, ymm14 \tail
	form v\op zmm8, zmmword ptr [rsi + 64] \tail
	form v\op zmm1 {k1}, zmm2 \tail
	form v\op xmm1 {k2} {z}, xmm2 \tail
	.endm

	.irp op, punpcklbw, punpcklwd, punpckldq, punpcklqdq, punpckhbw, punpckhwd, punpckhdq, punpckhqdq, packsswb, packssdw, packuswb, packusdw
	legacy \op
	vex \op
	evex \op
	.endr
	.irp op, unpcklps, unpcklpd, unpckhps, unpckhpd
	legacy \op
	vex \op
	evex \op
	.endr
	legacy pshufb
	vex pshufb
	evex pshufb
	.irp control, 0x00, 0xe4, 0x1b, 0x4e, 0x93, 0xff
	legacy pshufd, , \control
	legacy pshuflw, , \control
	legacy pshufhw, , \control
	vex_unary pshufd, , \control
	vex_unary pshuflw, , \control
	vex_unary pshufhw, , \control
	evex_unary pshufd, , \control
	evex_unary pshuflw, , \control
	evex_unary pshufhw, , \control
	legacy shufps, , \control
	vex shufps, , \control
	evex shufps, , \control
	.endr
	.irp control, 0, 1, 2, 3, 0x5a, 0xff
	legacy shufpd, , \control
	vex shufpd, , \control
	evex shufpd, , \control
	.endr
	.irp control, 0, 1, 5, 8, 15, 16, 17, 31, 32, 255
	legacy palignr, , \control
	vex palignr, , \control
	evex palignr, , \control
	.endr
	.irp control, 0x00, 0x01, 0x5a, 0xf0, 0xff
	legacy pblendw, , \control
	vex pblendw, , \control
	legacy blendps, , \control
	vex blendps, , \control
	legacy blendpd, , \control
	vex blendpd, , \control
	vex pblendd, , \control
	.endr
	.irp op, pblendvb, blendvps, blendvpd
	form \op xmm1, xmm2
	form \op xmm9, xmm9
	form \op xmm0, xmm2
	form \op xmm1, xmmword ptr [rsi]
	form v\op xmm1, xmm2, xmm3, xmm14
	form v\op xmm1, xmm1, xmm3, xmm1
	form v\op ymm1, ymm2, ymm3, ymm14
	form v\op ymm1, ymm2, ymmword ptr [rsi], ymm4
	.endr
	.irp op, pmovzxbw, pmovzxwd, pmovzxdq, pmovsxbw, pmovsxwd, pmovsxdq
	form \op xmm1, xmm2
	form \op xmm9, xmm9
	form \op xmm1, qword ptr [rsi]
	form v\op xmm1, xmm2
	form v\op ymm1, xmm2
	form v\op ymm9, xmm9
	form v\op ymm1, xmmword ptr [rsi]
	form v\op zmm1, ymm2
	form v\op zmm1, ymmword ptr [rsi + 32]
	form v\op zmm1 {k1}, ymm22
	.endr
	.irp op, pmovzxbd, pmovzxwq, pmovsxbd, pmovsxwq
	form \op xmm1, xmm2
	form \op xmm1, dword ptr [rsi]
	form v\op xmm1, xmm12
	form v\op ymm1, xmm2
	form v\op ymm1, qword ptr [rsi]
	form v\op zmm1, xmm2
	form v\op zmm1, xmmword ptr [rsi + 16]
	.endr
	.irp op, pmovzxbq, pmovsxbq
	form \op xmm1, xmm2
	form \op xmm1, word ptr [rsi]
	form v\op xmm1, xmm12
	form v\op ymm1, xmm2
	form v\op ymm1, dword ptr [rsi]
	form v\op zmm1, xmm2
	.endr
	form vpmovwb ymm1, zmm2
	form vpmovwb xmm1, ymm2
	form vpmovwb xmm1, xmm2
	form vpmovdb xmm1, zmm2
	form vpmovdw ymm1, zmm2
	form vpmovqd ymm1, zmm2
	form vpmovqb xmm1, zmm2
	form vpmovqw xmm17, ymm2
	form vpmovwb ymmword ptr [rsi + 32], zmm2
	form vpmovdb xmmword ptr [rsi], zmm2
	form vpmovqd ymm1 {k1}, zmm2
	form vpmovdb xmm1 {k2} {z}, zmm2

	form vpermd ymm1, ymm2, ymm3
	form vpermd ymm9, ymm9, ymm9
	form vpermd ymm1, ymm2, ymmword ptr [rsi]
	form vpermps ymm1, ymm2, ymm13
	form vpermd zmm1, zmm2, zmm3
	form vpermw zmm1, zmm2, zmm3
	form vpermq zmm1, zmm2, zmm3
	form vpermb zmm1, zmm2, zmm3
	form vpermb ymm1 {k1}, ymm2, ymm3
	.irp control, 0x00, 0xe4, 0x1b, 0x4e, 0xd8
	form vpermq ymm1, ymm2, \control
	form vpermpd ymm9, ymm9, \control
	form vpermq ymm1, ymmword ptr [rsi], \control
	form vpermq zmm1, zmm2, \control
	.endr
	.irp control, 0x00, 0x01, 0x20, 0x31, 0x21, 0x08, 0x80, 0x88, 0x13, 0x02
	form vperm2i128 ymm1, ymm2, ymm3, \control
	form vperm2f128 ymm9, ymm9, ymm9, \control
	form vperm2i128 ymm1, ymm2, ymmword ptr [rsi], \control
	.endr
	.irp control, 0x00, 0xe4, 0x1b, 0x4e
	form vpermilps xmm1, xmm2, \control
	form vpermilps ymm9, ymm9, \control
	form vpermilps ymm9, ymmword ptr [rsi], \control
	form vpermilpd xmm1, xmm2, \control
	form vpermilpd ymm1, ymm2, \control
	form vpermilpd ymm1, ymmword ptr [rsi], \control
	.endr
	.irp op, movddup, movshdup, movsldup
	form \op xmm1, xmm2
	form \op xmm9, xmm9
	form v\op xmm1, xmm2
	form v\op ymm1, ymm2
	form v\op ymm9, ymm9
	form v\op ymm9, ymmword ptr [rsi]
	form v\op zmm1, zmm2
	.endr
	form movshdup xmm1, xmmword ptr [rsi]
	form movsldup xmm1, xmmword ptr [rsi]

	unmodelled
	form vpermilps xmm1, xmm2, xmm3
	form vpermilpd ymm1, ymm2, ymm3
	form vpermt2d zmm1, zmm2, zmm3
	form vpermi2b zmm1, zmm2, zmm3
	form vpermt2q ymm1 {k1}, ymm2, ymm3
	form vshufi32x4 zmm1, zmm2, zmm3, 0x1b
	form vshufi64x2 ymm1, ymm2, ymm3, 1
	form valignd zmm1, zmm2, zmm3, 5
	form valignq zmm1, zmm2, zmm3, 3
	form vpmovusdb xmm1, zmm2
	form vpmovsqd ymm1, zmm2
