/* VEX encodings: AVX, AVX2, FMA, F16C, BMI, AVX-VNNI, AVX-IFMA, FMA4. */
#include "tests/decoders/forms/forms.inc"

	/* The registers determine whether the prefix has two or three bytes. */
	.irp op, vaddps, vaddpd, vsubps, vmulpd, vdivps, vminpd, vmaxps, vandps, vandnpd, vorps, vxorpd, vunpcklps, vunpckhpd, vhaddps, vaddsubpd, vpaddb, vpaddd, vpsubq, vpmullw, vpmulld, vpmuludq, vpmuldq, vpand, vpandn, vpor, vpxor, vpcmpeqb, vpcmpeqq, vpcmpgtd, vpcmpgtq, vpunpcklbw, vpunpckhqdq, vpacksswb, vpackusdw, vpminub, vpmaxsd, vpsadbw, vpshufb, vpavgw, vpmaddwd, vpmaddubsw, vphaddd, vpsignw, vpermilps, vpermilpd, vfmadd132ps, vfmadd213pd, vfmadd231ps, vfmsub132pd, vfnmadd213ps, vfnmsub231pd, vfmaddsub213ps, vfmsubadd132pd, vpsllvd, vpsrlvq, vpsravd, vaesenc, vaesdeclast, vgf2p8mulb
	form \op %xmm1, %xmm2, %xmm3
	form \op %xmm9, %xmm2, %xmm3
	form \op %xmm1, %xmm12, %xmm13
	form \op 0x12345678(%rip), %xmm2, %xmm3
	mem "\op", ", %xmm12, %xmm3"
	form \op %ymm1, %ymm2, %ymm3
	form \op %ymm9, %ymm2, %ymm3
	form \op %ymm1, %ymm12, %ymm13
	form \op 0x12345678(%rip), %ymm2, %ymm3
	mem "\op", ", %ymm12, %ymm3"
	.endr
	.irp op, vaddss, vaddsd, vmulss, vdivsd, vsqrtss, vminsd, vmaxss, vcvtss2sd, vcvtsd2ss, vrcpss, vfmadd132ss, vfmadd231sd, vfnmadd213sd
	form \op %xmm1, %xmm2, %xmm3
	form \op %xmm9, %xmm12, %xmm13
	mem "\op", ", %xmm12, %xmm3"
	.endr
	.irp op, vmovups, vmovaps, vmovupd, vmovapd, vmovdqu, vmovdqa
	form \op %xmm1, %xmm9
	mem "\op", ", %xmm3"
	mem "\op %xmm9,", ""
	form \op %ymm1, %ymm9
	mem "\op", ", %ymm3"
	mem "\op %ymm9,", ""
	.endr
	.irp op, vsqrtps, vrcpps, vrsqrtps, vcvtdq2ps, vcvtps2dq, vcvttps2dq, vmovshdup, vmovddup, vpabsb, vpabsd, vptest, vtestps
	form \op %xmm1, %xmm9
	mem "\op", ", %xmm3"
	form \op %ymm1, %ymm9
	mem "\op", ", %ymm3"
	.endr
	.irp op, vshufps, vshufpd, vcmpps, vcmppd, vblendps, vpblendw, vdpps, vmpsadbw, vpalignr, vpblendd
	form \op $3, %xmm1, %xmm2, %xmm3
	mem "\op $3,", ", %xmm12, %xmm3"
	form \op $3, %ymm1, %ymm2, %ymm3
	mem "\op $3,", ", %ymm12, %ymm3"
	.endr
	.irp op, vpshufd, vpshuflw, vpshufhw, vpermilps, vpermilpd, vroundps, vroundpd
	form \op $3, %xmm1, %xmm9
	mem "\op $3,", ", %xmm12"
	form \op $3, %ymm1, %ymm9
	mem "\op $3,", ", %ymm12"
	.endr
	.irp op, vpsllw, vpsrld, vpsraw, vpsllq, vpslldq, vpsrldq
	form \op $3, %xmm1, %xmm9
	form \op $3, %ymm9, %ymm1
	.endr
	.irp op, vpsllw, vpsrld, vpsrad, vpsrlq
	form \op %xmm1, %ymm9, %ymm2
	mem "\op", ", %ymm9, %ymm2"
	.endr
	form vblendvps %ymm1, %ymm2, %ymm3, %ymm4
	mem "vpblendvb %ymm1,", ", %ymm3, %ymm4"
	.irp n, bw, bd, bq, wd, wq, dq
	form vpmovzx\n %xmm1, %ymm9
	mem "vpmovsx\n", ", %ymm9"
	.endr
	.irp op, vcvtps2pd, vcvtdq2pd
	form \op %xmm1, %ymm9
	mem "\op", ", %ymm9"
	.endr
	form vcvtpd2ps %ymm1, %xmm9
	form vcvtpd2dq %ymm1, %xmm9
	form vcvtph2ps %xmm1, %ymm9
	form vcvtps2ph $3, %ymm9, %xmm1
	mem "vcvtps2ph $3, %ymm9,", ""
	form vmovss %xmm1, %xmm2, %xmm3
	mem "vmovss", ", %xmm9"
	mem "vmovsd %xmm9,", ""
	mem "vmovlps", ", %xmm1, %xmm2"
	mem "vmovhpd %xmm9,", ""
	form vmovhlps %xmm1, %xmm2, %xmm3
	form vmovd %eax, %xmm9
	form vmovq %rax, %xmm9
	form vmovq %xmm9, %rax
	form vmovq %xmm1, %xmm9
	mem "vmovq", ", %xmm1"
	mem "vmovd %xmm1,", ""
	mem "vmovntdq %ymm1,", ""
	mem "vmovntps %xmm1,", ""
	mem "vmovntdqa", ", %ymm9"
	mem "vlddqu", ", %ymm9"
	form vmaskmovdqu %xmm1, %xmm9
	.irp op, vmaskmovps, vmaskmovpd, vpmaskmovd, vpmaskmovq
	mem "\op", ", %ymm1, %ymm9"
	mem "\op %xmm1, %xmm9,", ""
	.endr
	.irp op, vbroadcastss, vbroadcastsd, vpbroadcastb, vpbroadcastw, vpbroadcastd, vpbroadcastq
	form \op %xmm1, %ymm9
	mem "\op", ", %ymm9"
	.endr
	mem "vbroadcastf128", ", %ymm9"
	mem "vbroadcasti128", ", %ymm9"
	form vinserti128 $1, %xmm1, %ymm2, %ymm3
	form vextracti128 $1, %ymm1, %xmm9
	mem "vextractf128 $1, %ymm9,", ""
	form vperm2i128 $0x31, %ymm1, %ymm2, %ymm3
	mem "vperm2f128 $0x31,", ", %ymm1, %ymm9"
	form vpermq $3, %ymm1, %ymm9
	form vpermpd $3, %ymm1, %ymm9
	form vpermd %ymm1, %ymm2, %ymm9
	form vpermps %ymm1, %ymm2, %ymm9
	form vpmovmskb %ymm9, %eax
	form vmovmskpd %ymm9, %r9d
	form vpextrw $3, %xmm9, %eax
	form vpextrb $3, %xmm9, %eax
	form vpextrq $1, %xmm9, %rax
	mem "vpextrd $1, %xmm9,", ""
	form vpinsrb $3, %eax, %xmm1, %xmm9
	form vpinsrq $1, %rax, %xmm1, %xmm9
	form vinsertps $3, %xmm1, %xmm2, %xmm9
	form vcvtsi2sd %eax, %xmm1, %xmm9
	form vcvtsi2sd %rax, %xmm1, %xmm9
	form vcvttsd2si %xmm9, %rax
	form vcvtss2si %xmm9, %eax
	form vucomiss %xmm1, %xmm9
	mem "vcomisd", ", %xmm9"
	.irp op, vpcmpistri, vpcmpistrm, vpcmpestri, vpcmpestrm, vaeskeygenassist
	form \op $3, %xmm1, %xmm9
	mem "\op $3,", ", %xmm9"
	.endr
	form vaesimc %xmm1, %xmm9
	form vpclmulqdq $1, %xmm1, %xmm2, %xmm3
	form vpclmulqdq $1, %ymm1, %ymm2, %ymm9
	form vgf2p8affineqb $1, %ymm1, %ymm2, %ymm9
	form vphminposuw %xmm1, %xmm9
	form vldmxcsr (%rax)
	mem "vstmxcsr", ""
	form vzeroupper
	form vzeroall
	form vgatherdps %ymm1, (%rax, %ymm9, 4), %ymm3
	form vpgatherqq %xmm1, 0x1234(%r9, %xmm2, 8), %xmm3
	form {vex} vpdpbusd %ymm1, %ymm2, %ymm9
	form {vex} vpdpwssds %xmm1, %xmm2, %xmm9
	form {vex} vpmadd52luq %ymm1, %ymm2, %ymm9
	form vfmaddpd %ymm1, %ymm2, %ymm3, %ymm4
	form vfmaddss %xmm1, %xmm2, %xmm3, %xmm4
	mem "vfnmsubsd", ", %xmm2, %xmm3, %xmm4"

	.irp op, andn, pdep, pext, mulx
	form \op %eax, %ebx, %ecx
	form \op %r9, %r10, %r11
	mem "\op", ", %rax, %r9"
	.endr
	.irp op, bextr, bzhi, shlx, shrx, sarx
	form \op %eax, %ebx, %ecx
	form \op %r9, %r10, %r11
	mem "\op %rax,", ", %r9"
	.endr
	.irp op, blsr, blsi, blsmsk
	form \op %eax, %r9d
	form \op %r9, %rax
	mem "\op\()q", ", %rax"
	.endr
	form rorx $3, %eax, %ebx
	form rorx $3, %r9, %rbx
	mem "rorx $3,", ", %r9"
