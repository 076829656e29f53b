/* Packed integer arithmetic, logic, compares, shifts: legacy SSE, VEX, EVEX. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	/* dst, src and their VEX and EVEX forms. */
	.macro legacy op
	form \op xmm0, xmm1
	form \op xmm9, xmm9
	form \op xmm3, xmm12
	form \op xmm8, xmmword ptr [rsi]
	form \op xmm2, xmmword ptr [rdi + rcx*4 + 8]
	form \op xmm15, xmmword ptr [rip + 0x7fffc00]
	.endm
	.macro vex op
	form v\op xmm0, xmm1, xmm2
	form v\op xmm9, xmm9, xmm14
	form v\op xmm5, xmm6, xmm5
	form v\op xmm7, xmm13, xmm13
	form v\op ymm0, ymm1, ymm2
	form v\op ymm9, ymm9, ymm14
	form v\op ymm7, ymm13, ymm13
	form v\op xmm8, xmm3, xmmword ptr [rsi]
	form v\op ymm8, ymm3, ymmword ptr [rdi + rcx*4 + 8]
	.endm
	.macro evex op
	form v\op zmm0, zmm1, zmm2
	form v\op xmm17, xmm30, xmm3
	form v\op ymm17, ymm31, ymm9
	form v\op zmm20, zmm20, zmm25
	form v\op zmm8, zmm31, zmm31
	form v\op xmm8, xmm19, xmmword ptr [rsi + 64]
	form v\op ymm16, ymm3, ymmword ptr [rsi + 64]
	form v\op zmm21, zmm3, zmmword ptr [rdi + rcx*4 + 8]
	form v\op zmm21, zmm3, zmmword ptr [rip + 0x7fffc00]
	.endm
	.macro evex_masked op
	form v\op xmm1 {k1}, xmm2, xmm3
	form v\op ymm17 {k2} {z}, ymm2, ymm19
	form v\op zmm1 {k7}, zmm2, zmm3
	form v\op zmm30 {k3} {z}, zmm30, zmm3
	form v\op zmm5 {k4}, zmm2, zmmword ptr [rsi + 128]
	.endm

	.irp op, paddb, paddw, paddd, paddq, psubb, psubw, psubd, psubq, paddsb, paddsw, paddusb, paddusw, psubsb, psubsw, psubusb, psubusw
	legacy \op
	vex \op
	evex \op
	evex_masked \op
	.endr
	.irp op, pmullw, pmulhw, pmulhuw, pmuludq, pmaddwd, pavgb, pavgw, pminub, pminsw, pmaxub, pmaxsw
	legacy \op
	vex \op
	evex \op
	evex_masked \op
	.endr
	.irp op, pmaddubsw, pmulld, pmuldq, pminsb, pminuw, pminsd, pminud, pmaxsb, pmaxuw, pmaxsd, pmaxud
	legacy \op
	vex \op
	evex \op
	evex_masked \op
	.endr
	.irp op, pminsq, pminuq, pmaxsq, pmaxuq
	evex \op
	evex_masked \op
	.endr
	.irp op, phaddw, phaddd, phaddsw, phsubw, phsubd, phsubsw, psignb, psignw, psignd, pmulhrsw
	legacy \op
	vex \op
	.endr
	evex pmulhrsw
	legacy psadbw
	vex psadbw
	evex psadbw

	.irp op, pand, por, pxor, pandn, pcmpeqb, pcmpeqw, pcmpeqd, pcmpgtb, pcmpgtw, pcmpgtd, pcmpeqq, pcmpgtq
	legacy \op
	vex \op
	.endr
	.irp op, pandd, pandq, pord, porq, pxord, pxorq, pandnd, pandnq
	evex \op
	evex_masked \op
	.endr
	.irp op, paddd, psubd, pandd, pxord, pminud, pmaxsd
	form v\op zmm2, zmm20, dword ptr [rsi]{1to16}
	form v\op ymm2, ymm20, dword ptr [rsi + 4]{1to8}
	form v\op xmm22, xmm20, dword ptr [rsi + 4]{1to4}
	form v\op zmm2 {k1}, zmm20, dword ptr [rsi]{1to16}
	.endr
	.irp op, paddq, psubq, pandq, porq, pxorq, pmuludq
	form v\op zmm2, zmm20, qword ptr [rsi]{1to8}
	form v\op ymm2 {k3} {z}, ymm20, qword ptr [rsi + 8]{1to4}
	.endr
	.irp op, vpternlogd, vpternlogq
	.irp table, 0x96, 0xca, 0xfe, 0xff, 0x00, 0x1e
	form \op zmm0, zmm1, zmm2, \table
	form \op ymm16, ymm1, ymm22, \table
	form \op xmm3, xmm3, xmm3, \table
	form \op zmm0, zmm1, zmmword ptr [rsi + 64], \table
	form \op zmm1 {k2}, zmm2, zmm3, \table
	form \op zmm1 {k2} {z}, zmm2, zmm3, \table
	.endr
	.endr
	form vpternlogd zmm0, zmm1, dword ptr [rsi]{1to16}, 0xd8
	form vpternlogq ymm0, ymm1, qword ptr [rsi]{1to4}, 0xd8

	.irp op, pabsb, pabsw, pabsd
	legacy \op
	form v\op xmm0, xmm1
	form v\op ymm9, ymm14
	form v\op xmm8, xmmword ptr [rsi]
	form v\op ymm8, ymmword ptr [rdi + rcx*4 + 8]
	form v\op zmm18, zmm2
	form v\op zmm18 {k1}, zmm2
	form v\op zmm18, zmmword ptr [rsi + 64]
	.endr
	form vpabsq zmm1, zmm2
	form vpabsq xmm17 {k1} {z}, xmm2

	/* Shifts: by immediate, by the low quadword of a register or of memory, per lane. */
	.irp op, psllw, pslld, psllq, psrlw, psrld, psrlq, psraw, psrad
	legacy \op
	.irp count, 0, 1, 5, 8, 15, 16, 31, 32, 63, 64, 255
	form \op xmm1, \count
	form \op xmm13, \count
	form v\op xmm1, xmm2, \count
	form v\op ymm9, ymm14, \count
	form v\op zmm9, zmm14, \count
	form v\op xmm25, xmm26, \count
	.endr
	form v\op xmm0, xmm1, xmm2
	form v\op ymm0, ymm1, xmm2
	form v\op ymm9, ymm9, xmm9
	form v\op zmm0, zmm17, xmm2
	form v\op xmm8, xmm3, xmmword ptr [rsi]
	form v\op ymm8, ymm3, xmmword ptr [rsi]
	form v\op zmm8, zmm3, xmmword ptr [rsi + 16]
	form v\op zmm1 {k1}, zmm2, xmm3
	form v\op zmm1 {k1} {z}, zmm2, 3
	form v\op zmm1, zmmword ptr [rsi], 3
	.endr
	form vpsraq zmm1, zmm2, 3
	form vpsraq zmm1, zmm2, xmm3
	form vpslld zmm1, dword ptr [rsi]{1to16}, 3
	form vpsrlq ymm1 {k1}, qword ptr [rsi]{1to4}, 3
	.irp op, psllvd, psllvq, psrlvd, psrlvq, psravd
	vex \op
	evex \op
	evex_masked \op
	.endr
	.irp op, psllvw, psrlvw, psravw, psravq
	evex \op
	.endr
	form vpsllvd zmm1, zmm2, dword ptr [rsi]{1to16}

	.irp op, pslldq, psrldq
	.irp count, 0, 1, 4, 8, 15, 16, 200
	form \op xmm1, \count
	form \op xmm13, \count
	form v\op xmm1, xmm2, \count
	form v\op ymm9, ymm14, \count
	form v\op zmm1, zmm2, \count
	form v\op zmm1, zmmword ptr [rsi + 64], \count
	.endr
	.endr

	form ptest xmm0, xmm1
	form ptest xmm9, xmm9
	form ptest xmm3, xmmword ptr [rsi]
	form vptest xmm0, xmm1
	form vptest ymm0, ymm1
	form vptest ymm9, ymm9
	form vptest ymm3, ymmword ptr [rsi]
	form pmovmskb eax, xmm1
	form pmovmskb r9d, xmm12
	form pmovmskb rcx, xmm12
	form vpmovmskb eax, xmm1
	form vpmovmskb r9d, ymm12
	.irp op, movmskps, movmskpd
	form \op eax, xmm1
	form \op r9d, xmm12
	form v\op eax, xmm1
	form v\op r9d, ymm12
	.endr
	.irp control, 0, 1, 16, 17, 255
	form pclmulqdq xmm1, xmm2, \control
	form pclmulqdq xmm9, xmmword ptr [rsi], \control
	form vpclmulqdq xmm1, xmm2, xmm13, \control
	.endr
	.irp control, 0x00, 0x08, 0x0c, 0x18, 0x1a, 0x38, 0x3a, 0x40, 0x44, 0x4c, 0x14, 0x04, 0x12, 0x01, 0x0d, 0x7f, 0x02, 0x06, 0x0e
	form pcmpistri xmm1, xmm2, \control
	form pcmpistri xmm9, xmmword ptr [rsi], \control
	form vpcmpistri xmm3, xmm3, \control
	form vpcmpistri xmm3, xmmword ptr [rdi + rcx*4 + 8], \control
	.endr

	unmodelled
	.irp op, aesenc, aesdec, aesenclast, aesdeclast
	legacy \op
	vex \op
	.endr
	.irp op, aesimc, phminposuw, sha1nexte, sha1msg1, sha1msg2, sha256msg1, sha256msg2
	legacy \op
	.endr
	form sha1rnds4 xmm1, xmm2, 1
	form sha256rnds2 xmm1, xmm2
	form aeskeygenassist xmm1, xmm2, 3
	form mpsadbw xmm1, xmm2, 3
	form vmpsadbw ymm1, ymm2, ymm3, 3
	form vdbpsadbw zmm1, zmm2, zmm3, 4
	.irp control, 0x00, 0x1a, 0x44, 0x40
	form pcmpistrm xmm1, xmm2, \control
	form pcmpestri xmm1, xmm2, \control
	form pcmpestrm xmm1, xmm2, \control
	form vpcmpistrm xmm1, xmm2, \control
	form vpcmpestri xmm1, xmmword ptr [rsi], \control
	.endr
	form gf2p8mulb xmm1, xmm2
	form vgf2p8affineqb zmm1, zmm2, zmm3, 5
	form vpdpbusd zmm1, zmm2, zmm3
	form {vex} vpdpbusd ymm1, ymm2, ymm3
	form {vex} vpdpwssd ymm1, ymm2, ymmword ptr [rsi]
	form vpmadd52luq zmm1, zmm2, zmm3
	form vpopcntb zmm1, zmm2
	form vpopcntd zmm1, zmm2
	form vplzcntd zmm1, zmm2
	form vpconflictd zmm1, zmm2
	form vprold zmm1, zmm2, 5
	form vprorvq zmm1, zmm2, zmm3
	form vpmultishiftqb zmm1, zmm2, zmm3
	form vpshldd zmm1, zmm2, zmm3, 5
	form vaesenc zmm1, zmm2, zmm3
	form vpclmulqdq zmm1, zmm2, zmm3, 1
	form vpmullq zmm1, zmm2, zmm3
