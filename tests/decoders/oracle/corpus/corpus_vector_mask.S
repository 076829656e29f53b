/* Mask registers, and compares into them. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.irp size, b, w, d, q
	form kmov\size k1, k2
	form kmov\size k7, k0
	form kmov\size k1, [rsi]
	form kmov\size [rsi], k1
	form knot\size k1, k2
	form kortest\size k1, k2
	form kortest\size k3, k3
	form ktest\size k1, k2
	form ktest\size k3, k3
	.irp count, 0, 1, 7, 8, 15, 31, 33, 63, 64, 200
	form kshiftl\size k1, k2, \count
	form kshiftr\size k3, k3, \count
	.endr
	.endr
	.irp op, kand, kandn, kor, kxor, kxnor, kadd
	.irp size, b, w, d, q
	form \op\size k1, k2, k3
	form \op\size k1, k1, k1
	form \op\size k5, k0, k7
	.endr
	.endr
	.irp size, b, w, d
	form kmov\size k1, eax
	form kmov\size k1, r9d
	form kmov\size eax, k1
	form kmov\size r9d, k7
	.endr
	form kmovq k1, rax
	form kmovq r9, k1
	form kunpckbw k1, k2, k3
	form kunpckwd k1, k2, k3
	form kunpckdq k1, k2, k3
	form kunpckdq k1, k1, k1

	.irp size, b, w, d, q
	form vpcmpeq\size k1, zmm2, zmm3
	form vpcmpeq\size k0, ymm22, ymm3
	form vpcmpeq\size k2, xmm2, xmm13
	form vpcmpeq\size k1, zmm2, zmmword ptr [rsi + 64]
	form vpcmpeq\size k1, ymm2, ymmword ptr [rdi + rcx*4 + 32]
	form vpcmpeq\size k1 {k2}, zmm2, zmm3
	form vpcmpgt\size k1, zmm2, zmm3
	form vpcmpgt\size k1 {k1}, ymm2, ymm3
	.irp predicate, 0, 1, 2, 3, 4, 5, 6, 7
	form vpcmp\size k1, zmm2, zmm3, \predicate
	form vpcmpu\size k1, zmm2, zmm3, \predicate
	form vpcmpu\size k1 {k3}, ymm2, ymmword ptr [rsi + 32], \predicate
	.endr
	form vptestm\size k1, zmm2, zmm3
	form vptestnm\size k1, zmm2, zmm3
	form vptestm\size k1, ymm2, ymm2
	form vptestnm\size k1 {k2}, ymm2, ymm2
	form vptestnm\size k1, xmm2, xmmword ptr [rsi]
	.endr
	form vpcmpeqd k1, zmm2, dword ptr [rsi]{1to16}
	form vpcmpuq k1, zmm2, qword ptr [rsi]{1to8}, 1
	form vptestmd k1, zmm2, dword ptr [rsi]{1to16}

	.irp op, vpmovm2b, vpmovm2w, vpmovm2d, vpmovm2q
	form \op zmm1, k1
	form \op ymm21, k7
	form \op xmm1, k0
	.endr
	.irp op, vpmovb2m, vpmovw2m, vpmovd2m, vpmovq2m
	form \op k1, zmm1
	form \op k2, ymm21
	form \op k0, xmm1
	.endr
	.irp op, vpblendmb, vpblendmw, vpblendmd, vpblendmq, vblendmps, vblendmpd
	form \op zmm1 {k1}, zmm2, zmm3
	form \op ymm1 {k2} {z}, ymm2, ymm3
	form \op xmm17, xmm2, xmm3
	form \op zmm1 {k1}, zmm2, zmmword ptr [rsi + 64]
	.endr
