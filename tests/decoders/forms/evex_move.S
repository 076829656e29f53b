/* EVEX moves, broadcasts, compressions, gathers; mask registers. */
#include "tests/decoders/forms/forms.inc"

	/* Moves */
	form vmovups %xmm29, %xmm19
	form vmovups %xmm2, %xmm3{%k4}{z}
	form vmovups %ymm29, %ymm19
	form vmovups %ymm2, %ymm3{%k4}{z}
	form vmovups %zmm29, %zmm19
	form vmovups %zmm2, %zmm3{%k4}{z}
	mem "vmovups ", ", %zmm19"
	mem "vmovups ", ", %xmm19"
	mem "vmovups %xmm19,", "{%k2}"
	mem "vmovups %ymm19,", "{%k2}"
	mem "vmovups %zmm19,", "{%k2}"
	form vmovupd %xmm29, %xmm19
	form vmovupd %xmm2, %xmm3{%k4}{z}
	form vmovupd %ymm29, %ymm19
	form vmovupd %ymm2, %ymm3{%k4}{z}
	form vmovupd %zmm29, %zmm19
	form vmovupd %zmm2, %zmm3{%k4}{z}
	mem "vmovupd ", ", %zmm19"
	mem "vmovupd ", ", %xmm19"
	mem "vmovupd %xmm19,", "{%k2}"
	mem "vmovupd %ymm19,", "{%k2}"
	mem "vmovupd %zmm19,", "{%k2}"
	form vmovaps %xmm29, %xmm19
	form vmovaps %xmm2, %xmm3{%k4}{z}
	form vmovaps %ymm29, %ymm19
	form vmovaps %ymm2, %ymm3{%k4}{z}
	form vmovaps %zmm29, %zmm19
	form vmovaps %zmm2, %zmm3{%k4}{z}
	mem "vmovaps ", ", %zmm19"
	mem "vmovaps ", ", %xmm19"
	mem "vmovaps %xmm19,", "{%k2}"
	mem "vmovaps %ymm19,", "{%k2}"
	mem "vmovaps %zmm19,", "{%k2}"
	form vmovapd %xmm29, %xmm19
	form vmovapd %xmm2, %xmm3{%k4}{z}
	form vmovapd %ymm29, %ymm19
	form vmovapd %ymm2, %ymm3{%k4}{z}
	form vmovapd %zmm29, %zmm19
	form vmovapd %zmm2, %zmm3{%k4}{z}
	mem "vmovapd ", ", %zmm19"
	mem "vmovapd ", ", %xmm19"
	mem "vmovapd %xmm19,", "{%k2}"
	mem "vmovapd %ymm19,", "{%k2}"
	mem "vmovapd %zmm19,", "{%k2}"
	form vmovdqu8 %xmm29, %xmm19
	form vmovdqu8 %xmm2, %xmm3{%k4}{z}
	form vmovdqu8 %ymm29, %ymm19
	form vmovdqu8 %ymm2, %ymm3{%k4}{z}
	form vmovdqu8 %zmm29, %zmm19
	form vmovdqu8 %zmm2, %zmm3{%k4}{z}
	mem "vmovdqu8 ", ", %zmm19"
	mem "vmovdqu8 ", ", %xmm19"
	mem "vmovdqu8 %xmm19,", "{%k2}"
	mem "vmovdqu8 %ymm19,", "{%k2}"
	mem "vmovdqu8 %zmm19,", "{%k2}"
	form vmovdqu16 %xmm29, %xmm19
	form vmovdqu16 %xmm2, %xmm3{%k4}{z}
	form vmovdqu16 %ymm29, %ymm19
	form vmovdqu16 %ymm2, %ymm3{%k4}{z}
	form vmovdqu16 %zmm29, %zmm19
	form vmovdqu16 %zmm2, %zmm3{%k4}{z}
	mem "vmovdqu16 ", ", %zmm19"
	mem "vmovdqu16 ", ", %xmm19"
	mem "vmovdqu16 %xmm19,", "{%k2}"
	mem "vmovdqu16 %ymm19,", "{%k2}"
	mem "vmovdqu16 %zmm19,", "{%k2}"
	form vmovdqu32 %xmm29, %xmm19
	form vmovdqu32 %xmm2, %xmm3{%k4}{z}
	form vmovdqu32 %ymm29, %ymm19
	form vmovdqu32 %ymm2, %ymm3{%k4}{z}
	form vmovdqu32 %zmm29, %zmm19
	form vmovdqu32 %zmm2, %zmm3{%k4}{z}
	mem "vmovdqu32 ", ", %zmm19"
	mem "vmovdqu32 ", ", %xmm19"
	mem "vmovdqu32 %xmm19,", "{%k2}"
	mem "vmovdqu32 %ymm19,", "{%k2}"
	mem "vmovdqu32 %zmm19,", "{%k2}"
	form vmovdqu64 %xmm29, %xmm19
	form vmovdqu64 %xmm2, %xmm3{%k4}{z}
	form vmovdqu64 %ymm29, %ymm19
	form vmovdqu64 %ymm2, %ymm3{%k4}{z}
	form vmovdqu64 %zmm29, %zmm19
	form vmovdqu64 %zmm2, %zmm3{%k4}{z}
	mem "vmovdqu64 ", ", %zmm19"
	mem "vmovdqu64 ", ", %xmm19"
	mem "vmovdqu64 %xmm19,", "{%k2}"
	mem "vmovdqu64 %ymm19,", "{%k2}"
	mem "vmovdqu64 %zmm19,", "{%k2}"
	form vmovdqa32 %xmm29, %xmm19
	form vmovdqa32 %xmm2, %xmm3{%k4}{z}
	form vmovdqa32 %ymm29, %ymm19
	form vmovdqa32 %ymm2, %ymm3{%k4}{z}
	form vmovdqa32 %zmm29, %zmm19
	form vmovdqa32 %zmm2, %zmm3{%k4}{z}
	mem "vmovdqa32 ", ", %zmm19"
	mem "vmovdqa32 ", ", %xmm19"
	mem "vmovdqa32 %xmm19,", "{%k2}"
	mem "vmovdqa32 %ymm19,", "{%k2}"
	mem "vmovdqa32 %zmm19,", "{%k2}"
	form vmovdqa64 %xmm29, %xmm19
	form vmovdqa64 %xmm2, %xmm3{%k4}{z}
	form vmovdqa64 %ymm29, %ymm19
	form vmovdqa64 %ymm2, %ymm3{%k4}{z}
	form vmovdqa64 %zmm29, %zmm19
	form vmovdqa64 %zmm2, %zmm3{%k4}{z}
	mem "vmovdqa64 ", ", %zmm19"
	mem "vmovdqa64 ", ", %xmm19"
	mem "vmovdqa64 %xmm19,", "{%k2}"
	mem "vmovdqa64 %ymm19,", "{%k2}"
	mem "vmovdqa64 %zmm19,", "{%k2}"
	mem "vmovntps %xmm19,", ""
	mem "vmovntps %ymm19,", ""
	mem "vmovntps %zmm19,", ""
	mem "vmovntpd %xmm19,", ""
	mem "vmovntpd %ymm19,", ""
	mem "vmovntpd %zmm19,", ""
	mem "vmovntdq %xmm19,", ""
	mem "vmovntdq %ymm19,", ""
	mem "vmovntdq %zmm19,", ""
	mem "vmovntdqa", ", %xmm19"
	mem "vmovntdqa", ", %ymm19"
	mem "vmovntdqa", ", %zmm19"
	form vmovsldup %xmm29, %xmm19
	form vmovsldup %xmm2, %xmm3{%k4}{z}
	form vmovsldup %ymm29, %ymm19
	form vmovsldup %ymm2, %ymm3{%k4}{z}
	form vmovsldup %zmm29, %zmm19
	form vmovsldup %zmm2, %zmm3{%k4}{z}
	mem "vmovsldup ", ", %zmm19"
	mem "vmovsldup ", ", %xmm19"
	form vmovshdup %xmm29, %xmm19
	form vmovshdup %xmm2, %xmm3{%k4}{z}
	form vmovshdup %ymm29, %ymm19
	form vmovshdup %ymm2, %ymm3{%k4}{z}
	form vmovshdup %zmm29, %zmm19
	form vmovshdup %zmm2, %zmm3{%k4}{z}
	mem "vmovshdup ", ", %zmm19"
	mem "vmovshdup ", ", %xmm19"
	form vmovddup %xmm29, %xmm19
	form vmovddup %xmm2, %xmm3{%k4}{z}
	form vmovddup %ymm29, %ymm19
	form vmovddup %ymm2, %ymm3{%k4}{z}
	form vmovddup %zmm29, %zmm19
	form vmovddup %zmm2, %zmm3{%k4}{z}
	mem "vmovddup ", ", %zmm19"
	mem "vmovddup ", ", %xmm19"
	form vmovss %xmm18, %xmm2, %xmm3{%k1}{z}
	mem "vmovss", ", %xmm19"
	mem "vmovss %xmm19,", "{%k3}"
	form vmovsd %xmm18, %xmm2, %xmm3{%k1}{z}
	mem "vmovsd", ", %xmm19"
	mem "vmovsd %xmm19,", "{%k3}"
	mem "vmovlps", ", %xmm17, %xmm2"
	mem "vmovlps %xmm17,", ""
	mem "vmovhps", ", %xmm17, %xmm2"
	mem "vmovhps %xmm17,", ""
	mem "vmovlpd", ", %xmm17, %xmm2"
	mem "vmovlpd %xmm17,", ""
	mem "vmovhpd", ", %xmm17, %xmm2"
	mem "vmovhpd %xmm17,", ""
	form vmovhlps %xmm17, %xmm2, %xmm3
	form vmovlhps %xmm17, %xmm2, %xmm3
	form vmovd %xmm20, %ecx
	form vmovd %r9d, %xmm20
	mem "vmovd", ", %xmm20"
	mem "vmovd %xmm20,", ""
	form vmovq %xmm20, %rcx
	form vmovq %r9, %xmm20
	form vmovq %xmm20, %xmm1
	mem "vmovq", ", %xmm20"
	mem "vmovq %xmm20,", ""

	/* Broadcasts, inserts, extracts */
	form vbroadcastss %xmm20, %xmm3{%k1}{z}
	mem "vbroadcastss", ", %xmm19"
	form vbroadcastss %xmm20, %ymm3{%k1}{z}
	mem "vbroadcastss", ", %ymm19"
	form vbroadcastss %xmm20, %zmm3{%k1}{z}
	mem "vbroadcastss", ", %zmm19"
	form vbroadcastsd %xmm20, %ymm3{%k1}{z}
	mem "vbroadcastsd", ", %ymm19"
	form vbroadcastsd %xmm20, %zmm3{%k1}{z}
	mem "vbroadcastsd", ", %zmm19"
	form vpbroadcastb %xmm20, %xmm3{%k1}{z}
	mem "vpbroadcastb", ", %xmm19"
	form vpbroadcastb %xmm20, %ymm3{%k1}{z}
	mem "vpbroadcastb", ", %ymm19"
	form vpbroadcastb %xmm20, %zmm3{%k1}{z}
	mem "vpbroadcastb", ", %zmm19"
	form vpbroadcastw %xmm20, %xmm3{%k1}{z}
	mem "vpbroadcastw", ", %xmm19"
	form vpbroadcastw %xmm20, %ymm3{%k1}{z}
	mem "vpbroadcastw", ", %ymm19"
	form vpbroadcastw %xmm20, %zmm3{%k1}{z}
	mem "vpbroadcastw", ", %zmm19"
	form vpbroadcastd %xmm20, %xmm3{%k1}{z}
	mem "vpbroadcastd", ", %xmm19"
	form vpbroadcastd %xmm20, %ymm3{%k1}{z}
	mem "vpbroadcastd", ", %ymm19"
	form vpbroadcastd %xmm20, %zmm3{%k1}{z}
	mem "vpbroadcastd", ", %zmm19"
	form vpbroadcastq %xmm20, %xmm3{%k1}{z}
	mem "vpbroadcastq", ", %xmm19"
	form vpbroadcastq %xmm20, %ymm3{%k1}{z}
	mem "vpbroadcastq", ", %ymm19"
	form vpbroadcastq %xmm20, %zmm3{%k1}{z}
	mem "vpbroadcastq", ", %zmm19"
	form vbroadcastf32x2 %xmm20, %ymm3{%k1}{z}
	mem "vbroadcastf32x2", ", %ymm19"
	form vbroadcastf32x2 %xmm20, %zmm3{%k1}{z}
	mem "vbroadcastf32x2", ", %zmm19"
	form vbroadcasti32x2 %xmm20, %xmm3{%k1}{z}
	mem "vbroadcasti32x2", ", %xmm19"
	form vbroadcasti32x2 %xmm20, %ymm3{%k1}{z}
	mem "vbroadcasti32x2", ", %ymm19"
	form vbroadcasti32x2 %xmm20, %zmm3{%k1}{z}
	mem "vbroadcasti32x2", ", %zmm19"
	form vpbroadcastb %r12d, %xmm3
	form vpbroadcastb %esi, %xmm30{%k5}
	form vpbroadcastb %r12d, %ymm3
	form vpbroadcastb %esi, %ymm30{%k5}
	form vpbroadcastb %r12d, %zmm3
	form vpbroadcastb %esi, %zmm30{%k5}
	form vpbroadcastw %r12d, %xmm3
	form vpbroadcastw %esi, %xmm30{%k5}
	form vpbroadcastw %r12d, %ymm3
	form vpbroadcastw %esi, %ymm30{%k5}
	form vpbroadcastw %r12d, %zmm3
	form vpbroadcastw %esi, %zmm30{%k5}
	form vpbroadcastd %r12d, %xmm3
	form vpbroadcastd %esi, %xmm30{%k5}
	form vpbroadcastd %r12d, %ymm3
	form vpbroadcastd %esi, %ymm30{%k5}
	form vpbroadcastd %r12d, %zmm3
	form vpbroadcastd %esi, %zmm30{%k5}
	form vpbroadcastq %r12, %xmm3
	form vpbroadcastq %r12, %ymm3
	form vpbroadcastq %r12, %zmm3
	mem "vbroadcastf32x4", ", %zmm17"
	mem "vbroadcastf32x4", ", %ymm17"
	mem "vbroadcasti32x4", ", %zmm17"
	mem "vbroadcasti32x4", ", %ymm17"
	mem "vbroadcastf64x2", ", %zmm17"
	mem "vbroadcastf64x2", ", %ymm17"
	mem "vbroadcasti64x2", ", %zmm17"
	mem "vbroadcasti64x2", ", %ymm17"
	mem "vbroadcastf32x8", ", %zmm17"
	mem "vbroadcasti32x8", ", %zmm17"
	mem "vbroadcastf64x4", ", %zmm17"
	mem "vbroadcasti64x4", ", %zmm17"
	form vinsertf32x4 $1, %xmm20, %zmm1, %zmm2
	mem "vinsertf32x4 $1,", ", %zmm17, %zmm2{%k1}"
	form vextractf32x4 $1, %zmm2, %xmm20
	mem "vextractf32x4 $1, %zmm2,", "{%k1}"
	form vinserti32x4 $1, %xmm20, %zmm1, %zmm2
	mem "vinserti32x4 $1,", ", %zmm17, %zmm2{%k1}"
	form vextracti32x4 $1, %zmm2, %xmm20
	mem "vextracti32x4 $1, %zmm2,", "{%k1}"
	form vinsertf64x2 $1, %xmm20, %zmm1, %zmm2
	mem "vinsertf64x2 $1,", ", %zmm17, %zmm2{%k1}"
	form vextractf64x2 $1, %zmm2, %xmm20
	mem "vextractf64x2 $1, %zmm2,", "{%k1}"
	form vinserti64x2 $1, %xmm20, %zmm1, %zmm2
	mem "vinserti64x2 $1,", ", %zmm17, %zmm2{%k1}"
	form vextracti64x2 $1, %zmm2, %xmm20
	mem "vextracti64x2 $1, %zmm2,", "{%k1}"
	form vinsertf32x8 $1, %ymm20, %zmm1, %zmm2
	mem "vinsertf32x8 $1,", ", %zmm17, %zmm2"
	form vextractf32x8 $1, %zmm2, %ymm20
	mem "vextractf32x8 $1, %zmm2,", ""
	form vinserti32x8 $1, %ymm20, %zmm1, %zmm2
	mem "vinserti32x8 $1,", ", %zmm17, %zmm2"
	form vextracti32x8 $1, %zmm2, %ymm20
	mem "vextracti32x8 $1, %zmm2,", ""
	form vinsertf64x4 $1, %ymm20, %zmm1, %zmm2
	mem "vinsertf64x4 $1,", ", %zmm17, %zmm2"
	form vextractf64x4 $1, %zmm2, %ymm20
	mem "vextractf64x4 $1, %zmm2,", ""
	form vinserti64x4 $1, %ymm20, %zmm1, %zmm2
	mem "vinserti64x4 $1,", ", %zmm17, %zmm2"
	form vextracti64x4 $1, %zmm2, %ymm20
	mem "vextracti64x4 $1, %zmm2,", ""
	form vpinsrb $1, %ecx, %xmm20, %xmm1
	mem "vpinsrb $1,", ", %xmm20, %xmm1"
	form vpextrb $1, %xmm20, %ecx
	mem "vpextrb $1, %xmm20,", ""
	form vpinsrw $1, %ecx, %xmm20, %xmm1
	mem "vpinsrw $1,", ", %xmm20, %xmm1"
	form vpextrw $1, %xmm20, %ecx
	mem "vpextrw $1, %xmm20,", ""
	form vpinsrd $1, %ecx, %xmm20, %xmm1
	mem "vpinsrd $1,", ", %xmm20, %xmm1"
	form vpextrd $1, %xmm20, %ecx
	mem "vpextrd $1, %xmm20,", ""
	form vpinsrq $1, %rcx, %xmm20, %xmm1
	mem "vpinsrq $1,", ", %xmm20, %xmm1"
	form vpextrq $1, %xmm20, %rcx
	mem "vpextrq $1, %xmm20,", ""
	form vinsertps $1, %xmm20, %xmm1, %xmm2
	mem "vinsertps $1,", ", %xmm20, %xmm2"
	form vextractps $1, %xmm20, %ecx
	mem "vextractps $1, %xmm20,", ""

	/* Compress, expand, gather, scatter */
	form vcompressps %xmm1, %xmm20{%k1}
	mem "vcompressps %xmm17,", "{%k1}"
	form vexpandps %xmm1, %xmm20{%k1}{z}
	mem "vexpandps", ", %xmm17{%k1}"
	form vcompressps %zmm1, %zmm20{%k1}
	mem "vcompressps %zmm17,", "{%k1}"
	form vexpandps %zmm1, %zmm20{%k1}{z}
	mem "vexpandps", ", %zmm17{%k1}"
	form vcompresspd %xmm1, %xmm20{%k1}
	mem "vcompresspd %xmm17,", "{%k1}"
	form vexpandpd %xmm1, %xmm20{%k1}{z}
	mem "vexpandpd", ", %xmm17{%k1}"
	form vcompresspd %zmm1, %zmm20{%k1}
	mem "vcompresspd %zmm17,", "{%k1}"
	form vexpandpd %zmm1, %zmm20{%k1}{z}
	mem "vexpandpd", ", %zmm17{%k1}"
	form vpcompressb %xmm1, %xmm20{%k1}
	mem "vpcompressb %xmm17,", "{%k1}"
	form vpexpandb %xmm1, %xmm20{%k1}{z}
	mem "vpexpandb", ", %xmm17{%k1}"
	form vpcompressb %zmm1, %zmm20{%k1}
	mem "vpcompressb %zmm17,", "{%k1}"
	form vpexpandb %zmm1, %zmm20{%k1}{z}
	mem "vpexpandb", ", %zmm17{%k1}"
	form vpcompressw %xmm1, %xmm20{%k1}
	mem "vpcompressw %xmm17,", "{%k1}"
	form vpexpandw %xmm1, %xmm20{%k1}{z}
	mem "vpexpandw", ", %xmm17{%k1}"
	form vpcompressw %zmm1, %zmm20{%k1}
	mem "vpcompressw %zmm17,", "{%k1}"
	form vpexpandw %zmm1, %zmm20{%k1}{z}
	mem "vpexpandw", ", %zmm17{%k1}"
	form vpcompressd %xmm1, %xmm20{%k1}
	mem "vpcompressd %xmm17,", "{%k1}"
	form vpexpandd %xmm1, %xmm20{%k1}{z}
	mem "vpexpandd", ", %xmm17{%k1}"
	form vpcompressd %zmm1, %zmm20{%k1}
	mem "vpcompressd %zmm17,", "{%k1}"
	form vpexpandd %zmm1, %zmm20{%k1}{z}
	mem "vpexpandd", ", %zmm17{%k1}"
	form vpcompressq %xmm1, %xmm20{%k1}
	mem "vpcompressq %xmm17,", "{%k1}"
	form vpexpandq %xmm1, %xmm20{%k1}{z}
	mem "vpexpandq", ", %xmm17{%k1}"
	form vpcompressq %zmm1, %zmm20{%k1}
	mem "vpcompressq %zmm17,", "{%k1}"
	form vpexpandq %zmm1, %zmm20{%k1}{z}
	mem "vpexpandq", ", %zmm17{%k1}"
	entry 8, 1, vgatherdps 8(%rax, %zmm30, 8), %zmm1{%k1}
	entry 8, 1, vscatterdps %zmm1, 8(%rax, %zmm30, 8){%k1}
	entry 8, 1, vgatherqpd 8(%rax, %zmm30, 8), %zmm1{%k1}
	entry 8, 1, vscatterqpd %zmm1, 8(%rax, %zmm30, 8){%k1}
	entry 8, 1, vpgatherdd 8(%rax, %ymm20, 8), %ymm1{%k1}
	entry 8, 1, vpscatterdd %ymm1, 8(%rax, %ymm20, 8){%k1}
	entry 8, 1, vpgatherqq 8(%rax, %xmm20, 8), %xmm1{%k1}
	entry 8, 1, vpscatterqq %xmm1, 8(%rax, %xmm20, 8){%k1}
	entry 8, 1, vpgatherqd 8(%rax, %zmm20, 8), %ymm1{%k1}
	entry 8, 1, vpscatterqd %ymm1, 8(%rax, %zmm20, 8){%k1}
	entry 8, 1, vpgatherdq 8(%rax, %ymm20, 8), %zmm1{%k1}
	entry 8, 1, vpscatterdq %zmm1, 8(%rax, %ymm20, 8){%k1}
	entry 64, 1, vgatherdps 64(%rax, %zmm30, 8), %zmm1{%k1}
	entry 64, 1, vscatterdps %zmm1, 64(%rax, %zmm30, 8){%k1}
	entry 64, 1, vgatherqpd 64(%rax, %zmm30, 8), %zmm1{%k1}
	entry 64, 1, vscatterqpd %zmm1, 64(%rax, %zmm30, 8){%k1}
	entry 64, 1, vpgatherdd 64(%rax, %ymm20, 8), %ymm1{%k1}
	entry 64, 1, vpscatterdd %ymm1, 64(%rax, %ymm20, 8){%k1}
	entry 64, 1, vpgatherqq 64(%rax, %xmm20, 8), %xmm1{%k1}
	entry 64, 1, vpscatterqq %xmm1, 64(%rax, %xmm20, 8){%k1}
	entry 64, 1, vpgatherqd 64(%rax, %zmm20, 8), %ymm1{%k1}
	entry 64, 1, vpscatterqd %ymm1, 64(%rax, %zmm20, 8){%k1}
	entry 64, 1, vpgatherdq 64(%rax, %ymm20, 8), %zmm1{%k1}
	entry 64, 1, vpscatterdq %zmm1, 64(%rax, %ymm20, 8){%k1}
	entry -4, 1, vgatherdps -4(%rax, %zmm30, 8), %zmm1{%k1}
	entry -4, 1, vscatterdps %zmm1, -4(%rax, %zmm30, 8){%k1}
	entry -4, 1, vgatherqpd -4(%rax, %zmm30, 8), %zmm1{%k1}
	entry -4, 1, vscatterqpd %zmm1, -4(%rax, %zmm30, 8){%k1}
	entry -4, 1, vpgatherdd -4(%rax, %ymm20, 8), %ymm1{%k1}
	entry -4, 1, vpscatterdd %ymm1, -4(%rax, %ymm20, 8){%k1}
	entry -4, 1, vpgatherqq -4(%rax, %xmm20, 8), %xmm1{%k1}
	entry -4, 1, vpscatterqq %xmm1, -4(%rax, %xmm20, 8){%k1}
	entry -4, 1, vpgatherqd -4(%rax, %zmm20, 8), %ymm1{%k1}
	entry -4, 1, vpscatterqd %ymm1, -4(%rax, %zmm20, 8){%k1}
	entry -4, 1, vpgatherdq -4(%rax, %ymm20, 8), %zmm1{%k1}
	entry -4, 1, vpscatterdq %zmm1, -4(%rax, %ymm20, 8){%k1}
	entry 4660, 1, vgatherdps 4660(%rax, %zmm30, 8), %zmm1{%k1}
	entry 4660, 1, vscatterdps %zmm1, 4660(%rax, %zmm30, 8){%k1}
	entry 4660, 1, vgatherqpd 4660(%rax, %zmm30, 8), %zmm1{%k1}
	entry 4660, 1, vscatterqpd %zmm1, 4660(%rax, %zmm30, 8){%k1}
	entry 4660, 1, vpgatherdd 4660(%rax, %ymm20, 8), %ymm1{%k1}
	entry 4660, 1, vpscatterdd %ymm1, 4660(%rax, %ymm20, 8){%k1}
	entry 4660, 1, vpgatherqq 4660(%rax, %xmm20, 8), %xmm1{%k1}
	entry 4660, 1, vpscatterqq %xmm1, 4660(%rax, %xmm20, 8){%k1}
	entry 4660, 1, vpgatherqd 4660(%rax, %zmm20, 8), %ymm1{%k1}
	entry 4660, 1, vpscatterqd %ymm1, 4660(%rax, %zmm20, 8){%k1}
	entry 4660, 1, vpgatherdq 4660(%rax, %ymm20, 8), %zmm1{%k1}
	entry 4660, 1, vpscatterdq %zmm1, 4660(%rax, %ymm20, 8){%k1}

	/* Masks */
	form kandb %k1, %k2, %k3
	form kandnb %k1, %k2, %k3
	form korb %k1, %k2, %k3
	form kxnorb %k1, %k2, %k3
	form kxorb %k1, %k2, %k3
	form kaddb %k1, %k2, %k3
	form knotb %k1, %k2
	form kmovb %k1, %k2
	form kortestb %k1, %k2
	form ktestb %k1, %k2
	form kshiftlb $3, %k1, %k2
	form kshiftrb $3, %k1, %k2
	mem "kmovb", ", %k1"
	mem "kmovb %k1,", ""
	form kmovb %ecx, %k1
	form kmovb %k1, %ecx
	form kandw %k1, %k2, %k3
	form kandnw %k1, %k2, %k3
	form korw %k1, %k2, %k3
	form kxnorw %k1, %k2, %k3
	form kxorw %k1, %k2, %k3
	form kaddw %k1, %k2, %k3
	form knotw %k1, %k2
	form kmovw %k1, %k2
	form kortestw %k1, %k2
	form ktestw %k1, %k2
	form kshiftlw $3, %k1, %k2
	form kshiftrw $3, %k1, %k2
	mem "kmovw", ", %k1"
	mem "kmovw %k1,", ""
	form kmovw %ecx, %k1
	form kmovw %k1, %ecx
	form kandd %k1, %k2, %k3
	form kandnd %k1, %k2, %k3
	form kord %k1, %k2, %k3
	form kxnord %k1, %k2, %k3
	form kxord %k1, %k2, %k3
	form kaddd %k1, %k2, %k3
	form knotd %k1, %k2
	form kmovd %k1, %k2
	form kortestd %k1, %k2
	form ktestd %k1, %k2
	form kshiftld $3, %k1, %k2
	form kshiftrd $3, %k1, %k2
	mem "kmovd", ", %k1"
	mem "kmovd %k1,", ""
	form kmovd %ecx, %k1
	form kmovd %k1, %ecx
	form kandq %k1, %k2, %k3
	form kandnq %k1, %k2, %k3
	form korq %k1, %k2, %k3
	form kxnorq %k1, %k2, %k3
	form kxorq %k1, %k2, %k3
	form kaddq %k1, %k2, %k3
	form knotq %k1, %k2
	form kmovq %k1, %k2
	form kortestq %k1, %k2
	form ktestq %k1, %k2
	form kshiftlq $3, %k1, %k2
	form kshiftrq $3, %k1, %k2
	mem "kmovq", ", %k1"
	mem "kmovq %k1,", ""
	form kmovq %rcx, %k1
	form kmovq %k1, %rcx
	form kunpckbw %k1, %k2, %k3
	form kunpckwd %k1, %k2, %k3
	form kunpckdq %k1, %k2, %k3
	form vpmovm2b %k1, %xmm20
	form vpmovb2m %xmm20, %k1
	form vpmovm2b %k1, %ymm20
	form vpmovb2m %ymm20, %k1
	form vpmovm2b %k1, %zmm20
	form vpmovb2m %zmm20, %k1
	form vpmovm2w %k1, %xmm20
	form vpmovw2m %xmm20, %k1
	form vpmovm2w %k1, %ymm20
	form vpmovw2m %ymm20, %k1
	form vpmovm2w %k1, %zmm20
	form vpmovw2m %zmm20, %k1
	form vpmovm2d %k1, %xmm20
	form vpmovd2m %xmm20, %k1
	form vpmovm2d %k1, %ymm20
	form vpmovd2m %ymm20, %k1
	form vpmovm2d %k1, %zmm20
	form vpmovd2m %zmm20, %k1
	form vpmovm2q %k1, %xmm20
	form vpmovq2m %xmm20, %k1
	form vpmovm2q %k1, %ymm20
	form vpmovq2m %ymm20, %k1
	form vpmovm2q %k1, %zmm20
	form vpmovq2m %zmm20, %k1
	form vpbroadcastmb2q %k1, %xmm20
	form vpbroadcastmw2d %k1, %xmm20
	form vpbroadcastmb2q %k1, %ymm20
	form vpbroadcastmw2d %k1, %ymm20
	form vpbroadcastmb2q %k1, %zmm20
	form vpbroadcastmw2d %k1, %zmm20
