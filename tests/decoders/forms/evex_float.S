/* EVEX floating point, single and double: AVX-512F, DQ, VL, BF16. */
#include "tests/decoders/forms/forms.inc"

	/* Arithmetic */
	form vaddps %xmm29, %xmm8, %xmm19
	form vaddps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vaddps %ymm29, %ymm8, %ymm19
	form vaddps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vaddps %zmm29, %zmm8, %zmm19
	form vaddps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vaddps ", ", %zmm8, %zmm19"
	mem "vaddps ", ", %xmm17, %xmm30"
	mem "vaddps ", "{1to16}, %zmm8, %zmm19"
	mem "vaddps ", "{1to4}, %xmm8, %xmm19"
	form vsubps %xmm29, %xmm8, %xmm19
	form vsubps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vsubps %ymm29, %ymm8, %ymm19
	form vsubps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vsubps %zmm29, %zmm8, %zmm19
	form vsubps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vsubps ", ", %zmm8, %zmm19"
	mem "vsubps ", ", %xmm17, %xmm30"
	mem "vsubps ", "{1to16}, %zmm8, %zmm19"
	mem "vsubps ", "{1to4}, %xmm8, %xmm19"
	form vmulps %xmm29, %xmm8, %xmm19
	form vmulps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vmulps %ymm29, %ymm8, %ymm19
	form vmulps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vmulps %zmm29, %zmm8, %zmm19
	form vmulps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vmulps ", ", %zmm8, %zmm19"
	mem "vmulps ", ", %xmm17, %xmm30"
	mem "vmulps ", "{1to16}, %zmm8, %zmm19"
	mem "vmulps ", "{1to4}, %xmm8, %xmm19"
	form vdivps %xmm29, %xmm8, %xmm19
	form vdivps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vdivps %ymm29, %ymm8, %ymm19
	form vdivps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vdivps %zmm29, %zmm8, %zmm19
	form vdivps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vdivps ", ", %zmm8, %zmm19"
	mem "vdivps ", ", %xmm17, %xmm30"
	mem "vdivps ", "{1to16}, %zmm8, %zmm19"
	mem "vdivps ", "{1to4}, %xmm8, %xmm19"
	form vminps %xmm29, %xmm8, %xmm19
	form vminps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vminps %ymm29, %ymm8, %ymm19
	form vminps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vminps %zmm29, %zmm8, %zmm19
	form vminps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vminps ", ", %zmm8, %zmm19"
	mem "vminps ", ", %xmm17, %xmm30"
	mem "vminps ", "{1to16}, %zmm8, %zmm19"
	mem "vminps ", "{1to4}, %xmm8, %xmm19"
	form vmaxps %xmm29, %xmm8, %xmm19
	form vmaxps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vmaxps %ymm29, %ymm8, %ymm19
	form vmaxps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vmaxps %zmm29, %zmm8, %zmm19
	form vmaxps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vmaxps ", ", %zmm8, %zmm19"
	mem "vmaxps ", ", %xmm17, %xmm30"
	mem "vmaxps ", "{1to16}, %zmm8, %zmm19"
	mem "vmaxps ", "{1to4}, %xmm8, %xmm19"
	form vandps %xmm29, %xmm8, %xmm19
	form vandps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vandps %ymm29, %ymm8, %ymm19
	form vandps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vandps %zmm29, %zmm8, %zmm19
	form vandps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vandps ", ", %zmm8, %zmm19"
	mem "vandps ", ", %xmm17, %xmm30"
	mem "vandps ", "{1to16}, %zmm8, %zmm19"
	mem "vandps ", "{1to4}, %xmm8, %xmm19"
	form vandnps %xmm29, %xmm8, %xmm19
	form vandnps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vandnps %ymm29, %ymm8, %ymm19
	form vandnps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vandnps %zmm29, %zmm8, %zmm19
	form vandnps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vandnps ", ", %zmm8, %zmm19"
	mem "vandnps ", ", %xmm17, %xmm30"
	mem "vandnps ", "{1to16}, %zmm8, %zmm19"
	mem "vandnps ", "{1to4}, %xmm8, %xmm19"
	form vorps %xmm29, %xmm8, %xmm19
	form vorps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vorps %ymm29, %ymm8, %ymm19
	form vorps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vorps %zmm29, %zmm8, %zmm19
	form vorps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vorps ", ", %zmm8, %zmm19"
	mem "vorps ", ", %xmm17, %xmm30"
	mem "vorps ", "{1to16}, %zmm8, %zmm19"
	mem "vorps ", "{1to4}, %xmm8, %xmm19"
	form vxorps %xmm29, %xmm8, %xmm19
	form vxorps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vxorps %ymm29, %ymm8, %ymm19
	form vxorps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vxorps %zmm29, %zmm8, %zmm19
	form vxorps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vxorps ", ", %zmm8, %zmm19"
	mem "vxorps ", ", %xmm17, %xmm30"
	mem "vxorps ", "{1to16}, %zmm8, %zmm19"
	mem "vxorps ", "{1to4}, %xmm8, %xmm19"
	form vunpcklps %xmm29, %xmm8, %xmm19
	form vunpcklps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vunpcklps %ymm29, %ymm8, %ymm19
	form vunpcklps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vunpcklps %zmm29, %zmm8, %zmm19
	form vunpcklps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vunpcklps ", ", %zmm8, %zmm19"
	mem "vunpcklps ", ", %xmm17, %xmm30"
	mem "vunpcklps ", "{1to16}, %zmm8, %zmm19"
	mem "vunpcklps ", "{1to4}, %xmm8, %xmm19"
	form vunpckhps %xmm29, %xmm8, %xmm19
	form vunpckhps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vunpckhps %ymm29, %ymm8, %ymm19
	form vunpckhps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vunpckhps %zmm29, %zmm8, %zmm19
	form vunpckhps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vunpckhps ", ", %zmm8, %zmm19"
	mem "vunpckhps ", ", %xmm17, %xmm30"
	mem "vunpckhps ", "{1to16}, %zmm8, %zmm19"
	mem "vunpckhps ", "{1to4}, %xmm8, %xmm19"
	form vaddpd %xmm29, %xmm8, %xmm19
	form vaddpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vaddpd %ymm29, %ymm8, %ymm19
	form vaddpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vaddpd %zmm29, %zmm8, %zmm19
	form vaddpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vaddpd ", ", %zmm8, %zmm19"
	mem "vaddpd ", ", %xmm17, %xmm30"
	mem "vaddpd ", "{1to8}, %zmm8, %zmm19"
	mem "vaddpd ", "{1to2}, %xmm8, %xmm19"
	form vsubpd %xmm29, %xmm8, %xmm19
	form vsubpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vsubpd %ymm29, %ymm8, %ymm19
	form vsubpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vsubpd %zmm29, %zmm8, %zmm19
	form vsubpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vsubpd ", ", %zmm8, %zmm19"
	mem "vsubpd ", ", %xmm17, %xmm30"
	mem "vsubpd ", "{1to8}, %zmm8, %zmm19"
	mem "vsubpd ", "{1to2}, %xmm8, %xmm19"
	form vmulpd %xmm29, %xmm8, %xmm19
	form vmulpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vmulpd %ymm29, %ymm8, %ymm19
	form vmulpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vmulpd %zmm29, %zmm8, %zmm19
	form vmulpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vmulpd ", ", %zmm8, %zmm19"
	mem "vmulpd ", ", %xmm17, %xmm30"
	mem "vmulpd ", "{1to8}, %zmm8, %zmm19"
	mem "vmulpd ", "{1to2}, %xmm8, %xmm19"
	form vdivpd %xmm29, %xmm8, %xmm19
	form vdivpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vdivpd %ymm29, %ymm8, %ymm19
	form vdivpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vdivpd %zmm29, %zmm8, %zmm19
	form vdivpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vdivpd ", ", %zmm8, %zmm19"
	mem "vdivpd ", ", %xmm17, %xmm30"
	mem "vdivpd ", "{1to8}, %zmm8, %zmm19"
	mem "vdivpd ", "{1to2}, %xmm8, %xmm19"
	form vminpd %xmm29, %xmm8, %xmm19
	form vminpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vminpd %ymm29, %ymm8, %ymm19
	form vminpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vminpd %zmm29, %zmm8, %zmm19
	form vminpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vminpd ", ", %zmm8, %zmm19"
	mem "vminpd ", ", %xmm17, %xmm30"
	mem "vminpd ", "{1to8}, %zmm8, %zmm19"
	mem "vminpd ", "{1to2}, %xmm8, %xmm19"
	form vmaxpd %xmm29, %xmm8, %xmm19
	form vmaxpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vmaxpd %ymm29, %ymm8, %ymm19
	form vmaxpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vmaxpd %zmm29, %zmm8, %zmm19
	form vmaxpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vmaxpd ", ", %zmm8, %zmm19"
	mem "vmaxpd ", ", %xmm17, %xmm30"
	mem "vmaxpd ", "{1to8}, %zmm8, %zmm19"
	mem "vmaxpd ", "{1to2}, %xmm8, %xmm19"
	form vandpd %xmm29, %xmm8, %xmm19
	form vandpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vandpd %ymm29, %ymm8, %ymm19
	form vandpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vandpd %zmm29, %zmm8, %zmm19
	form vandpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vandpd ", ", %zmm8, %zmm19"
	mem "vandpd ", ", %xmm17, %xmm30"
	mem "vandpd ", "{1to8}, %zmm8, %zmm19"
	mem "vandpd ", "{1to2}, %xmm8, %xmm19"
	form vandnpd %xmm29, %xmm8, %xmm19
	form vandnpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vandnpd %ymm29, %ymm8, %ymm19
	form vandnpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vandnpd %zmm29, %zmm8, %zmm19
	form vandnpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vandnpd ", ", %zmm8, %zmm19"
	mem "vandnpd ", ", %xmm17, %xmm30"
	mem "vandnpd ", "{1to8}, %zmm8, %zmm19"
	mem "vandnpd ", "{1to2}, %xmm8, %xmm19"
	form vorpd %xmm29, %xmm8, %xmm19
	form vorpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vorpd %ymm29, %ymm8, %ymm19
	form vorpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vorpd %zmm29, %zmm8, %zmm19
	form vorpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vorpd ", ", %zmm8, %zmm19"
	mem "vorpd ", ", %xmm17, %xmm30"
	mem "vorpd ", "{1to8}, %zmm8, %zmm19"
	mem "vorpd ", "{1to2}, %xmm8, %xmm19"
	form vxorpd %xmm29, %xmm8, %xmm19
	form vxorpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vxorpd %ymm29, %ymm8, %ymm19
	form vxorpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vxorpd %zmm29, %zmm8, %zmm19
	form vxorpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vxorpd ", ", %zmm8, %zmm19"
	mem "vxorpd ", ", %xmm17, %xmm30"
	mem "vxorpd ", "{1to8}, %zmm8, %zmm19"
	mem "vxorpd ", "{1to2}, %xmm8, %xmm19"
	form vunpcklpd %xmm29, %xmm8, %xmm19
	form vunpcklpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vunpcklpd %ymm29, %ymm8, %ymm19
	form vunpcklpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vunpcklpd %zmm29, %zmm8, %zmm19
	form vunpcklpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vunpcklpd ", ", %zmm8, %zmm19"
	mem "vunpcklpd ", ", %xmm17, %xmm30"
	mem "vunpcklpd ", "{1to8}, %zmm8, %zmm19"
	mem "vunpcklpd ", "{1to2}, %xmm8, %xmm19"
	form vunpckhpd %xmm29, %xmm8, %xmm19
	form vunpckhpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vunpckhpd %ymm29, %ymm8, %ymm19
	form vunpckhpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vunpckhpd %zmm29, %zmm8, %zmm19
	form vunpckhpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vunpckhpd ", ", %zmm8, %zmm19"
	mem "vunpckhpd ", ", %xmm17, %xmm30"
	mem "vunpckhpd ", "{1to8}, %zmm8, %zmm19"
	mem "vunpckhpd ", "{1to2}, %xmm8, %xmm19"
	form vsqrtps %xmm29, %xmm19
	form vsqrtps %xmm2, %xmm3{%k4}{z}
	form vsqrtps %ymm29, %ymm19
	form vsqrtps %ymm2, %ymm3{%k4}{z}
	form vsqrtps %zmm29, %zmm19
	form vsqrtps %zmm2, %zmm3{%k4}{z}
	mem "vsqrtps ", ", %zmm19"
	mem "vsqrtps ", "{1to16}, %zmm19"
	mem "vsqrtps ", ", %xmm19"
	mem "vsqrtps ", "{1to4}, %xmm19"
	form vrcp14ps %xmm29, %xmm19
	form vrcp14ps %xmm2, %xmm3{%k4}{z}
	form vrcp14ps %ymm29, %ymm19
	form vrcp14ps %ymm2, %ymm3{%k4}{z}
	form vrcp14ps %zmm29, %zmm19
	form vrcp14ps %zmm2, %zmm3{%k4}{z}
	mem "vrcp14ps ", ", %zmm19"
	mem "vrcp14ps ", "{1to16}, %zmm19"
	mem "vrcp14ps ", ", %xmm19"
	mem "vrcp14ps ", "{1to4}, %xmm19"
	form vrsqrt14ps %xmm29, %xmm19
	form vrsqrt14ps %xmm2, %xmm3{%k4}{z}
	form vrsqrt14ps %ymm29, %ymm19
	form vrsqrt14ps %ymm2, %ymm3{%k4}{z}
	form vrsqrt14ps %zmm29, %zmm19
	form vrsqrt14ps %zmm2, %zmm3{%k4}{z}
	mem "vrsqrt14ps ", ", %zmm19"
	mem "vrsqrt14ps ", "{1to16}, %zmm19"
	mem "vrsqrt14ps ", ", %xmm19"
	mem "vrsqrt14ps ", "{1to4}, %xmm19"
	form vgetexpps %xmm29, %xmm19
	form vgetexpps %xmm2, %xmm3{%k4}{z}
	form vgetexpps %ymm29, %ymm19
	form vgetexpps %ymm2, %ymm3{%k4}{z}
	form vgetexpps %zmm29, %zmm19
	form vgetexpps %zmm2, %zmm3{%k4}{z}
	mem "vgetexpps ", ", %zmm19"
	mem "vgetexpps ", "{1to16}, %zmm19"
	mem "vgetexpps ", ", %xmm19"
	mem "vgetexpps ", "{1to4}, %xmm19"
	form vsqrtpd %xmm29, %xmm19
	form vsqrtpd %xmm2, %xmm3{%k4}{z}
	form vsqrtpd %ymm29, %ymm19
	form vsqrtpd %ymm2, %ymm3{%k4}{z}
	form vsqrtpd %zmm29, %zmm19
	form vsqrtpd %zmm2, %zmm3{%k4}{z}
	mem "vsqrtpd ", ", %zmm19"
	mem "vsqrtpd ", "{1to8}, %zmm19"
	mem "vsqrtpd ", ", %xmm19"
	mem "vsqrtpd ", "{1to2}, %xmm19"
	form vrcp14pd %xmm29, %xmm19
	form vrcp14pd %xmm2, %xmm3{%k4}{z}
	form vrcp14pd %ymm29, %ymm19
	form vrcp14pd %ymm2, %ymm3{%k4}{z}
	form vrcp14pd %zmm29, %zmm19
	form vrcp14pd %zmm2, %zmm3{%k4}{z}
	mem "vrcp14pd ", ", %zmm19"
	mem "vrcp14pd ", "{1to8}, %zmm19"
	mem "vrcp14pd ", ", %xmm19"
	mem "vrcp14pd ", "{1to2}, %xmm19"
	form vrsqrt14pd %xmm29, %xmm19
	form vrsqrt14pd %xmm2, %xmm3{%k4}{z}
	form vrsqrt14pd %ymm29, %ymm19
	form vrsqrt14pd %ymm2, %ymm3{%k4}{z}
	form vrsqrt14pd %zmm29, %zmm19
	form vrsqrt14pd %zmm2, %zmm3{%k4}{z}
	mem "vrsqrt14pd ", ", %zmm19"
	mem "vrsqrt14pd ", "{1to8}, %zmm19"
	mem "vrsqrt14pd ", ", %xmm19"
	mem "vrsqrt14pd ", "{1to2}, %xmm19"
	form vgetexppd %xmm29, %xmm19
	form vgetexppd %xmm2, %xmm3{%k4}{z}
	form vgetexppd %ymm29, %ymm19
	form vgetexppd %ymm2, %ymm3{%k4}{z}
	form vgetexppd %zmm29, %zmm19
	form vgetexppd %zmm2, %zmm3{%k4}{z}
	mem "vgetexppd ", ", %zmm19"
	mem "vgetexppd ", "{1to8}, %zmm19"
	mem "vgetexppd ", ", %xmm19"
	mem "vgetexppd ", "{1to2}, %xmm19"
	form vscalefps %xmm29, %xmm8, %xmm19
	form vscalefps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vscalefps %ymm29, %ymm8, %ymm19
	form vscalefps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vscalefps %zmm29, %zmm8, %zmm19
	form vscalefps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vscalefps ", ", %zmm8, %zmm19"
	mem "vscalefps ", ", %xmm17, %xmm30"
	mem "vscalefps ", "{1to16}, %zmm8, %zmm19"
	mem "vscalefps ", "{1to4}, %xmm8, %xmm19"
	form vblendmps %xmm29, %xmm8, %xmm19
	form vblendmps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vblendmps %ymm29, %ymm8, %ymm19
	form vblendmps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vblendmps %zmm29, %zmm8, %zmm19
	form vblendmps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vblendmps ", ", %zmm8, %zmm19"
	mem "vblendmps ", ", %xmm17, %xmm30"
	mem "vblendmps ", "{1to16}, %zmm8, %zmm19"
	mem "vblendmps ", "{1to4}, %xmm8, %xmm19"
	form vpermi2ps %xmm29, %xmm8, %xmm19
	form vpermi2ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermi2ps %ymm29, %ymm8, %ymm19
	form vpermi2ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermi2ps %zmm29, %zmm8, %zmm19
	form vpermi2ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermi2ps ", ", %zmm8, %zmm19"
	mem "vpermi2ps ", ", %xmm17, %xmm30"
	mem "vpermi2ps ", "{1to16}, %zmm8, %zmm19"
	mem "vpermi2ps ", "{1to4}, %xmm8, %xmm19"
	form vpermt2ps %xmm29, %xmm8, %xmm19
	form vpermt2ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermt2ps %ymm29, %ymm8, %ymm19
	form vpermt2ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermt2ps %zmm29, %zmm8, %zmm19
	form vpermt2ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermt2ps ", ", %zmm8, %zmm19"
	mem "vpermt2ps ", ", %xmm17, %xmm30"
	mem "vpermt2ps ", "{1to16}, %zmm8, %zmm19"
	mem "vpermt2ps ", "{1to4}, %xmm8, %xmm19"
	form vscalefpd %xmm29, %xmm8, %xmm19
	form vscalefpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vscalefpd %ymm29, %ymm8, %ymm19
	form vscalefpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vscalefpd %zmm29, %zmm8, %zmm19
	form vscalefpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vscalefpd ", ", %zmm8, %zmm19"
	mem "vscalefpd ", ", %xmm17, %xmm30"
	mem "vscalefpd ", "{1to8}, %zmm8, %zmm19"
	mem "vscalefpd ", "{1to2}, %xmm8, %xmm19"
	form vblendmpd %xmm29, %xmm8, %xmm19
	form vblendmpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vblendmpd %ymm29, %ymm8, %ymm19
	form vblendmpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vblendmpd %zmm29, %zmm8, %zmm19
	form vblendmpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vblendmpd ", ", %zmm8, %zmm19"
	mem "vblendmpd ", ", %xmm17, %xmm30"
	mem "vblendmpd ", "{1to8}, %zmm8, %zmm19"
	mem "vblendmpd ", "{1to2}, %xmm8, %xmm19"
	form vpermi2pd %xmm29, %xmm8, %xmm19
	form vpermi2pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermi2pd %ymm29, %ymm8, %ymm19
	form vpermi2pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermi2pd %zmm29, %zmm8, %zmm19
	form vpermi2pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermi2pd ", ", %zmm8, %zmm19"
	mem "vpermi2pd ", ", %xmm17, %xmm30"
	mem "vpermi2pd ", "{1to8}, %zmm8, %zmm19"
	mem "vpermi2pd ", "{1to2}, %xmm8, %xmm19"
	form vpermt2pd %xmm29, %xmm8, %xmm19
	form vpermt2pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermt2pd %ymm29, %ymm8, %ymm19
	form vpermt2pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermt2pd %zmm29, %zmm8, %zmm19
	form vpermt2pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermt2pd ", ", %zmm8, %zmm19"
	mem "vpermt2pd ", ", %xmm17, %xmm30"
	mem "vpermt2pd ", "{1to8}, %zmm8, %zmm19"
	mem "vpermt2pd ", "{1to2}, %xmm8, %xmm19"
	form vpermps %ymm29, %ymm8, %ymm19
	form vpermps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermps %zmm29, %zmm8, %zmm19
	form vpermps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermps ", ", %zmm8, %zmm19"
	mem "vpermps ", ", %ymm17, %ymm30"
	mem "vpermps ", "{1to16}, %zmm8, %zmm19"
	mem "vpermps ", "{1to8}, %ymm8, %ymm19"
	form vpermpd %ymm29, %ymm8, %ymm19
	form vpermpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermpd %zmm29, %zmm8, %zmm19
	form vpermpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermpd ", ", %zmm8, %zmm19"
	mem "vpermpd ", ", %ymm17, %ymm30"
	mem "vpermpd ", "{1to8}, %zmm8, %zmm19"
	mem "vpermpd ", "{1to4}, %ymm8, %ymm19"
	form vaddss %xmm29, %xmm8, %xmm19
	form vaddss %xmm2, %xmm3, %xmm19{%k4}
	mem "vaddss ", ", %xmm17, %xmm19"
	form vsubss %xmm29, %xmm8, %xmm19
	form vsubss %xmm2, %xmm3, %xmm19{%k4}
	mem "vsubss ", ", %xmm17, %xmm19"
	form vmulss %xmm29, %xmm8, %xmm19
	form vmulss %xmm2, %xmm3, %xmm19{%k4}
	mem "vmulss ", ", %xmm17, %xmm19"
	form vdivss %xmm29, %xmm8, %xmm19
	form vdivss %xmm2, %xmm3, %xmm19{%k4}
	mem "vdivss ", ", %xmm17, %xmm19"
	form vminss %xmm29, %xmm8, %xmm19
	form vminss %xmm2, %xmm3, %xmm19{%k4}
	mem "vminss ", ", %xmm17, %xmm19"
	form vmaxss %xmm29, %xmm8, %xmm19
	form vmaxss %xmm2, %xmm3, %xmm19{%k4}
	mem "vmaxss ", ", %xmm17, %xmm19"
	form vsqrtss %xmm29, %xmm8, %xmm19
	form vsqrtss %xmm2, %xmm3, %xmm19{%k4}
	mem "vsqrtss ", ", %xmm17, %xmm19"
	form vaddsd %xmm29, %xmm8, %xmm19
	form vaddsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vaddsd ", ", %xmm17, %xmm19"
	form vsubsd %xmm29, %xmm8, %xmm19
	form vsubsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vsubsd ", ", %xmm17, %xmm19"
	form vmulsd %xmm29, %xmm8, %xmm19
	form vmulsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vmulsd ", ", %xmm17, %xmm19"
	form vdivsd %xmm29, %xmm8, %xmm19
	form vdivsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vdivsd ", ", %xmm17, %xmm19"
	form vminsd %xmm29, %xmm8, %xmm19
	form vminsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vminsd ", ", %xmm17, %xmm19"
	form vmaxsd %xmm29, %xmm8, %xmm19
	form vmaxsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vmaxsd ", ", %xmm17, %xmm19"
	form vsqrtsd %xmm29, %xmm8, %xmm19
	form vsqrtsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vsqrtsd ", ", %xmm17, %xmm19"
	form vscalefss %xmm29, %xmm8, %xmm19
	form vscalefss %xmm2, %xmm3, %xmm19{%k4}
	mem "vscalefss ", ", %xmm17, %xmm19"
	form vscalefsd %xmm29, %xmm8, %xmm19
	form vscalefsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vscalefsd ", ", %xmm17, %xmm19"
	form vgetexpss %xmm29, %xmm8, %xmm19
	form vgetexpss %xmm2, %xmm3, %xmm19{%k4}
	mem "vgetexpss ", ", %xmm17, %xmm19"
	form vgetexpsd %xmm29, %xmm8, %xmm19
	form vgetexpsd %xmm2, %xmm3, %xmm19{%k4}
	mem "vgetexpsd ", ", %xmm17, %xmm19"
	form vrcp14ss %xmm29, %xmm8, %xmm19
	form vrcp14ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vrcp14ss ", ", %xmm17, %xmm19"
	form vrcp14sd %xmm29, %xmm8, %xmm19
	form vrcp14sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vrcp14sd ", ", %xmm17, %xmm19"
	form vrsqrt14ss %xmm29, %xmm8, %xmm19
	form vrsqrt14ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vrsqrt14ss ", ", %xmm17, %xmm19"
	form vrsqrt14sd %xmm29, %xmm8, %xmm19
	form vrsqrt14sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vrsqrt14sd ", ", %xmm17, %xmm19"
	form vfmadd132ps %xmm29, %xmm8, %xmm19
	form vfmadd132ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd132ps %ymm29, %ymm8, %ymm19
	form vfmadd132ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd132ps %zmm29, %zmm8, %zmm19
	form vfmadd132ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd132ps ", ", %zmm8, %zmm19"
	mem "vfmadd132ps ", ", %xmm17, %xmm30"
	mem "vfmadd132ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfmadd132ps ", "{1to4}, %xmm8, %xmm19"
	form vfmadd213ps %xmm29, %xmm8, %xmm19
	form vfmadd213ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd213ps %ymm29, %ymm8, %ymm19
	form vfmadd213ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd213ps %zmm29, %zmm8, %zmm19
	form vfmadd213ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd213ps ", ", %zmm8, %zmm19"
	mem "vfmadd213ps ", ", %xmm17, %xmm30"
	mem "vfmadd213ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfmadd213ps ", "{1to4}, %xmm8, %xmm19"
	form vfmadd231ps %xmm29, %xmm8, %xmm19
	form vfmadd231ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd231ps %ymm29, %ymm8, %ymm19
	form vfmadd231ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd231ps %zmm29, %zmm8, %zmm19
	form vfmadd231ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd231ps ", ", %zmm8, %zmm19"
	mem "vfmadd231ps ", ", %xmm17, %xmm30"
	mem "vfmadd231ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfmadd231ps ", "{1to4}, %xmm8, %xmm19"
	form vfmsub213ps %xmm29, %xmm8, %xmm19
	form vfmsub213ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmsub213ps %ymm29, %ymm8, %ymm19
	form vfmsub213ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmsub213ps %zmm29, %zmm8, %zmm19
	form vfmsub213ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmsub213ps ", ", %zmm8, %zmm19"
	mem "vfmsub213ps ", ", %xmm17, %xmm30"
	mem "vfmsub213ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfmsub213ps ", "{1to4}, %xmm8, %xmm19"
	form vfnmadd213ps %xmm29, %xmm8, %xmm19
	form vfnmadd213ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfnmadd213ps %ymm29, %ymm8, %ymm19
	form vfnmadd213ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfnmadd213ps %zmm29, %zmm8, %zmm19
	form vfnmadd213ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfnmadd213ps ", ", %zmm8, %zmm19"
	mem "vfnmadd213ps ", ", %xmm17, %xmm30"
	mem "vfnmadd213ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfnmadd213ps ", "{1to4}, %xmm8, %xmm19"
	form vfnmsub231ps %xmm29, %xmm8, %xmm19
	form vfnmsub231ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfnmsub231ps %ymm29, %ymm8, %ymm19
	form vfnmsub231ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfnmsub231ps %zmm29, %zmm8, %zmm19
	form vfnmsub231ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfnmsub231ps ", ", %zmm8, %zmm19"
	mem "vfnmsub231ps ", ", %xmm17, %xmm30"
	mem "vfnmsub231ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfnmsub231ps ", "{1to4}, %xmm8, %xmm19"
	form vfmaddsub132ps %xmm29, %xmm8, %xmm19
	form vfmaddsub132ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmaddsub132ps %ymm29, %ymm8, %ymm19
	form vfmaddsub132ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmaddsub132ps %zmm29, %zmm8, %zmm19
	form vfmaddsub132ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmaddsub132ps ", ", %zmm8, %zmm19"
	mem "vfmaddsub132ps ", ", %xmm17, %xmm30"
	mem "vfmaddsub132ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfmaddsub132ps ", "{1to4}, %xmm8, %xmm19"
	form vfmsubadd231ps %xmm29, %xmm8, %xmm19
	form vfmsubadd231ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmsubadd231ps %ymm29, %ymm8, %ymm19
	form vfmsubadd231ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmsubadd231ps %zmm29, %zmm8, %zmm19
	form vfmsubadd231ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmsubadd231ps ", ", %zmm8, %zmm19"
	mem "vfmsubadd231ps ", ", %xmm17, %xmm30"
	mem "vfmsubadd231ps ", "{1to16}, %zmm8, %zmm19"
	mem "vfmsubadd231ps ", "{1to4}, %xmm8, %xmm19"
	form vfmadd132pd %xmm29, %xmm8, %xmm19
	form vfmadd132pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd132pd %ymm29, %ymm8, %ymm19
	form vfmadd132pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd132pd %zmm29, %zmm8, %zmm19
	form vfmadd132pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd132pd ", ", %zmm8, %zmm19"
	mem "vfmadd132pd ", ", %xmm17, %xmm30"
	mem "vfmadd132pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfmadd132pd ", "{1to2}, %xmm8, %xmm19"
	form vfmadd213pd %xmm29, %xmm8, %xmm19
	form vfmadd213pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd213pd %ymm29, %ymm8, %ymm19
	form vfmadd213pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd213pd %zmm29, %zmm8, %zmm19
	form vfmadd213pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd213pd ", ", %zmm8, %zmm19"
	mem "vfmadd213pd ", ", %xmm17, %xmm30"
	mem "vfmadd213pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfmadd213pd ", "{1to2}, %xmm8, %xmm19"
	form vfmadd231pd %xmm29, %xmm8, %xmm19
	form vfmadd231pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd231pd %ymm29, %ymm8, %ymm19
	form vfmadd231pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd231pd %zmm29, %zmm8, %zmm19
	form vfmadd231pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd231pd ", ", %zmm8, %zmm19"
	mem "vfmadd231pd ", ", %xmm17, %xmm30"
	mem "vfmadd231pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfmadd231pd ", "{1to2}, %xmm8, %xmm19"
	form vfmsub132pd %xmm29, %xmm8, %xmm19
	form vfmsub132pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmsub132pd %ymm29, %ymm8, %ymm19
	form vfmsub132pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmsub132pd %zmm29, %zmm8, %zmm19
	form vfmsub132pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmsub132pd ", ", %zmm8, %zmm19"
	mem "vfmsub132pd ", ", %xmm17, %xmm30"
	mem "vfmsub132pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfmsub132pd ", "{1to2}, %xmm8, %xmm19"
	form vfnmadd231pd %xmm29, %xmm8, %xmm19
	form vfnmadd231pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfnmadd231pd %ymm29, %ymm8, %ymm19
	form vfnmadd231pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfnmadd231pd %zmm29, %zmm8, %zmm19
	form vfnmadd231pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfnmadd231pd ", ", %zmm8, %zmm19"
	mem "vfnmadd231pd ", ", %xmm17, %xmm30"
	mem "vfnmadd231pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfnmadd231pd ", "{1to2}, %xmm8, %xmm19"
	form vfnmsub213pd %xmm29, %xmm8, %xmm19
	form vfnmsub213pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfnmsub213pd %ymm29, %ymm8, %ymm19
	form vfnmsub213pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfnmsub213pd %zmm29, %zmm8, %zmm19
	form vfnmsub213pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfnmsub213pd ", ", %zmm8, %zmm19"
	mem "vfnmsub213pd ", ", %xmm17, %xmm30"
	mem "vfnmsub213pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfnmsub213pd ", "{1to2}, %xmm8, %xmm19"
	form vfmaddsub213pd %xmm29, %xmm8, %xmm19
	form vfmaddsub213pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmaddsub213pd %ymm29, %ymm8, %ymm19
	form vfmaddsub213pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmaddsub213pd %zmm29, %zmm8, %zmm19
	form vfmaddsub213pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmaddsub213pd ", ", %zmm8, %zmm19"
	mem "vfmaddsub213pd ", ", %xmm17, %xmm30"
	mem "vfmaddsub213pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfmaddsub213pd ", "{1to2}, %xmm8, %xmm19"
	form vfmsubadd132pd %xmm29, %xmm8, %xmm19
	form vfmsubadd132pd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmsubadd132pd %ymm29, %ymm8, %ymm19
	form vfmsubadd132pd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmsubadd132pd %zmm29, %zmm8, %zmm19
	form vfmsubadd132pd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmsubadd132pd ", ", %zmm8, %zmm19"
	mem "vfmsubadd132pd ", ", %xmm17, %xmm30"
	mem "vfmsubadd132pd ", "{1to8}, %zmm8, %zmm19"
	mem "vfmsubadd132pd ", "{1to2}, %xmm8, %xmm19"
	form vfmadd132ss %xmm29, %xmm8, %xmm19
	form vfmadd132ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmadd132ss ", ", %xmm17, %xmm19"
	form vfmadd213ss %xmm29, %xmm8, %xmm19
	form vfmadd213ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmadd213ss ", ", %xmm17, %xmm19"
	form vfmadd231sd %xmm29, %xmm8, %xmm19
	form vfmadd231sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmadd231sd ", ", %xmm17, %xmm19"
	form vfmsub132sd %xmm29, %xmm8, %xmm19
	form vfmsub132sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmsub132sd ", ", %xmm17, %xmm19"
	form vfnmadd213ss %xmm29, %xmm8, %xmm19
	form vfnmadd213ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vfnmadd213ss ", ", %xmm17, %xmm19"
	form vfnmsub231sd %xmm29, %xmm8, %xmm19
	form vfnmsub231sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vfnmsub231sd ", ", %xmm17, %xmm19"
	form vcmpps $4, %xmm29, %xmm8, %k3
	form vcmpps $4, %xmm1, %xmm2, %k3{%k4}
	form vcmpps $4, %ymm29, %ymm8, %k3
	form vcmpps $4, %ymm1, %ymm2, %k3{%k4}
	form vcmpps $4, %zmm29, %zmm8, %k3
	form vcmpps $4, %zmm1, %zmm2, %k3{%k4}
	mem "vcmpps $4, ", ", %zmm8, %k3"
	mem "vcmpps $4, ", ", %xmm17, %k3"
	mem "vcmpps $4, ", "{1to16}, %zmm8, %k3"
	mem "vcmpps $4, ", "{1to4}, %xmm8, %k3"
	form vcmppd $17, %xmm29, %xmm8, %k3
	form vcmppd $17, %xmm1, %xmm2, %k3{%k4}
	form vcmppd $17, %ymm29, %ymm8, %k3
	form vcmppd $17, %ymm1, %ymm2, %k3{%k4}
	form vcmppd $17, %zmm29, %zmm8, %k3
	form vcmppd $17, %zmm1, %zmm2, %k3{%k4}
	mem "vcmppd $17, ", ", %zmm8, %k3"
	mem "vcmppd $17, ", ", %xmm17, %k3"
	mem "vcmppd $17, ", "{1to8}, %zmm8, %k3"
	mem "vcmppd $17, ", "{1to2}, %xmm8, %k3"
	form vcmpss $1, %xmm29, %xmm8, %k3
	form vcmpss $1, %xmm2, %xmm3, %k3{%k4}
	mem "vcmpss $1, ", ", %xmm17, %k3"
	form vcmpsd $1, %xmm29, %xmm8, %k3
	form vcmpsd $1, %xmm2, %xmm3, %k3{%k4}
	mem "vcmpsd $1, ", ", %xmm17, %k3"
	form vshufps $9, %xmm29, %xmm8, %xmm19
	form vshufps $9, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vshufps $9, %ymm29, %ymm8, %ymm19
	form vshufps $9, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vshufps $9, %zmm29, %zmm8, %zmm19
	form vshufps $9, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vshufps $9, ", ", %zmm8, %zmm19"
	mem "vshufps $9, ", ", %xmm17, %xmm30"
	mem "vshufps $9, ", "{1to16}, %zmm8, %zmm19"
	mem "vshufps $9, ", "{1to4}, %xmm8, %xmm19"
	form vfixupimmps $9, %xmm29, %xmm8, %xmm19
	form vfixupimmps $9, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfixupimmps $9, %ymm29, %ymm8, %ymm19
	form vfixupimmps $9, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfixupimmps $9, %zmm29, %zmm8, %zmm19
	form vfixupimmps $9, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfixupimmps $9, ", ", %zmm8, %zmm19"
	mem "vfixupimmps $9, ", ", %xmm17, %xmm30"
	mem "vfixupimmps $9, ", "{1to16}, %zmm8, %zmm19"
	mem "vfixupimmps $9, ", "{1to4}, %xmm8, %xmm19"
	form vrangeps $9, %xmm29, %xmm8, %xmm19
	form vrangeps $9, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vrangeps $9, %ymm29, %ymm8, %ymm19
	form vrangeps $9, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vrangeps $9, %zmm29, %zmm8, %zmm19
	form vrangeps $9, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vrangeps $9, ", ", %zmm8, %zmm19"
	mem "vrangeps $9, ", ", %xmm17, %xmm30"
	mem "vrangeps $9, ", "{1to16}, %zmm8, %zmm19"
	mem "vrangeps $9, ", "{1to4}, %xmm8, %xmm19"
	form vshufpd $9, %xmm29, %xmm8, %xmm19
	form vshufpd $9, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vshufpd $9, %ymm29, %ymm8, %ymm19
	form vshufpd $9, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vshufpd $9, %zmm29, %zmm8, %zmm19
	form vshufpd $9, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vshufpd $9, ", ", %zmm8, %zmm19"
	mem "vshufpd $9, ", ", %xmm17, %xmm30"
	mem "vshufpd $9, ", "{1to8}, %zmm8, %zmm19"
	mem "vshufpd $9, ", "{1to2}, %xmm8, %xmm19"
	form vfixupimmpd $9, %xmm29, %xmm8, %xmm19
	form vfixupimmpd $9, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfixupimmpd $9, %ymm29, %ymm8, %ymm19
	form vfixupimmpd $9, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfixupimmpd $9, %zmm29, %zmm8, %zmm19
	form vfixupimmpd $9, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfixupimmpd $9, ", ", %zmm8, %zmm19"
	mem "vfixupimmpd $9, ", ", %xmm17, %xmm30"
	mem "vfixupimmpd $9, ", "{1to8}, %zmm8, %zmm19"
	mem "vfixupimmpd $9, ", "{1to2}, %xmm8, %xmm19"
	form vrangepd $9, %xmm29, %xmm8, %xmm19
	form vrangepd $9, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vrangepd $9, %ymm29, %ymm8, %ymm19
	form vrangepd $9, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vrangepd $9, %zmm29, %zmm8, %zmm19
	form vrangepd $9, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vrangepd $9, ", ", %zmm8, %zmm19"
	mem "vrangepd $9, ", ", %xmm17, %xmm30"
	mem "vrangepd $9, ", "{1to8}, %zmm8, %zmm19"
	mem "vrangepd $9, ", "{1to2}, %xmm8, %xmm19"
	form vfixupimmss $3, %xmm29, %xmm8, %xmm19
	form vfixupimmss $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vfixupimmss $3, ", ", %xmm17, %xmm19"
	form vfixupimmsd $3, %xmm29, %xmm8, %xmm19
	form vfixupimmsd $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vfixupimmsd $3, ", ", %xmm17, %xmm19"
	form vrangess $3, %xmm29, %xmm8, %xmm19
	form vrangess $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vrangess $3, ", ", %xmm17, %xmm19"
	form vrangesd $3, %xmm29, %xmm8, %xmm19
	form vrangesd $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vrangesd $3, ", ", %xmm17, %xmm19"
	form vreducess $3, %xmm29, %xmm8, %xmm19
	form vreducess $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vreducess $3, ", ", %xmm17, %xmm19"
	form vreducesd $3, %xmm29, %xmm8, %xmm19
	form vreducesd $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vreducesd $3, ", ", %xmm17, %xmm19"
	form vrndscaless $3, %xmm29, %xmm8, %xmm19
	form vrndscaless $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vrndscaless $3, ", ", %xmm17, %xmm19"
	form vrndscalesd $3, %xmm29, %xmm8, %xmm19
	form vrndscalesd $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vrndscalesd $3, ", ", %xmm17, %xmm19"
	form vgetmantss $3, %xmm29, %xmm8, %xmm19
	form vgetmantss $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vgetmantss $3, ", ", %xmm17, %xmm19"
	form vgetmantsd $3, %xmm29, %xmm8, %xmm19
	form vgetmantsd $3, %xmm2, %xmm3, %xmm19{%k4}
	mem "vgetmantsd $3, ", ", %xmm17, %xmm19"
	form vrndscaleps $4, %xmm29, %xmm19
	form vrndscaleps $4, %xmm2, %xmm3{%k4}{z}
	form vrndscaleps $4, %ymm29, %ymm19
	form vrndscaleps $4, %ymm2, %ymm3{%k4}{z}
	form vrndscaleps $4, %zmm29, %zmm19
	form vrndscaleps $4, %zmm2, %zmm3{%k4}{z}
	mem "vrndscaleps $4, ", ", %zmm19"
	mem "vrndscaleps $4, ", "{1to16}, %zmm19"
	mem "vrndscaleps $4, ", ", %xmm19"
	mem "vrndscaleps $4, ", "{1to4}, %xmm19"
	form vreduceps $4, %xmm29, %xmm19
	form vreduceps $4, %xmm2, %xmm3{%k4}{z}
	form vreduceps $4, %ymm29, %ymm19
	form vreduceps $4, %ymm2, %ymm3{%k4}{z}
	form vreduceps $4, %zmm29, %zmm19
	form vreduceps $4, %zmm2, %zmm3{%k4}{z}
	mem "vreduceps $4, ", ", %zmm19"
	mem "vreduceps $4, ", "{1to16}, %zmm19"
	mem "vreduceps $4, ", ", %xmm19"
	mem "vreduceps $4, ", "{1to4}, %xmm19"
	form vgetmantps $4, %xmm29, %xmm19
	form vgetmantps $4, %xmm2, %xmm3{%k4}{z}
	form vgetmantps $4, %ymm29, %ymm19
	form vgetmantps $4, %ymm2, %ymm3{%k4}{z}
	form vgetmantps $4, %zmm29, %zmm19
	form vgetmantps $4, %zmm2, %zmm3{%k4}{z}
	mem "vgetmantps $4, ", ", %zmm19"
	mem "vgetmantps $4, ", "{1to16}, %zmm19"
	mem "vgetmantps $4, ", ", %xmm19"
	mem "vgetmantps $4, ", "{1to4}, %xmm19"
	form vpermilps $4, %xmm29, %xmm19
	form vpermilps $4, %xmm2, %xmm3{%k4}{z}
	form vpermilps $4, %ymm29, %ymm19
	form vpermilps $4, %ymm2, %ymm3{%k4}{z}
	form vpermilps $4, %zmm29, %zmm19
	form vpermilps $4, %zmm2, %zmm3{%k4}{z}
	mem "vpermilps $4, ", ", %zmm19"
	mem "vpermilps $4, ", "{1to16}, %zmm19"
	mem "vpermilps $4, ", ", %xmm19"
	mem "vpermilps $4, ", "{1to4}, %xmm19"
	form vrndscalepd $4, %xmm29, %xmm19
	form vrndscalepd $4, %xmm2, %xmm3{%k4}{z}
	form vrndscalepd $4, %ymm29, %ymm19
	form vrndscalepd $4, %ymm2, %ymm3{%k4}{z}
	form vrndscalepd $4, %zmm29, %zmm19
	form vrndscalepd $4, %zmm2, %zmm3{%k4}{z}
	mem "vrndscalepd $4, ", ", %zmm19"
	mem "vrndscalepd $4, ", "{1to8}, %zmm19"
	mem "vrndscalepd $4, ", ", %xmm19"
	mem "vrndscalepd $4, ", "{1to2}, %xmm19"
	form vreducepd $4, %xmm29, %xmm19
	form vreducepd $4, %xmm2, %xmm3{%k4}{z}
	form vreducepd $4, %ymm29, %ymm19
	form vreducepd $4, %ymm2, %ymm3{%k4}{z}
	form vreducepd $4, %zmm29, %zmm19
	form vreducepd $4, %zmm2, %zmm3{%k4}{z}
	mem "vreducepd $4, ", ", %zmm19"
	mem "vreducepd $4, ", "{1to8}, %zmm19"
	mem "vreducepd $4, ", ", %xmm19"
	mem "vreducepd $4, ", "{1to2}, %xmm19"
	form vgetmantpd $4, %xmm29, %xmm19
	form vgetmantpd $4, %xmm2, %xmm3{%k4}{z}
	form vgetmantpd $4, %ymm29, %ymm19
	form vgetmantpd $4, %ymm2, %ymm3{%k4}{z}
	form vgetmantpd $4, %zmm29, %zmm19
	form vgetmantpd $4, %zmm2, %zmm3{%k4}{z}
	mem "vgetmantpd $4, ", ", %zmm19"
	mem "vgetmantpd $4, ", "{1to8}, %zmm19"
	mem "vgetmantpd $4, ", ", %xmm19"
	mem "vgetmantpd $4, ", "{1to2}, %xmm19"
	form vpermilpd $4, %xmm29, %xmm19
	form vpermilpd $4, %xmm2, %xmm3{%k4}{z}
	form vpermilpd $4, %ymm29, %ymm19
	form vpermilpd $4, %ymm2, %ymm3{%k4}{z}
	form vpermilpd $4, %zmm29, %zmm19
	form vpermilpd $4, %zmm2, %zmm3{%k4}{z}
	mem "vpermilpd $4, ", ", %zmm19"
	mem "vpermilpd $4, ", "{1to8}, %zmm19"
	mem "vpermilpd $4, ", ", %xmm19"
	mem "vpermilpd $4, ", "{1to2}, %xmm19"
	form vpermilps %xmm29, %xmm8, %xmm19
	form vpermilps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermilps %ymm29, %ymm8, %ymm19
	form vpermilps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermilps %zmm29, %zmm8, %zmm19
	form vpermilps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermilps ", ", %zmm8, %zmm19"
	mem "vpermilps ", ", %xmm17, %xmm30"
	mem "vpermilps ", "{1to16}, %zmm8, %zmm19"
	mem "vpermilps ", "{1to4}, %xmm8, %xmm19"
	form vpermilpd %xmm29, %xmm8, %xmm19
	form vpermilpd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermilpd %ymm29, %ymm8, %ymm19
	form vpermilpd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermilpd %zmm29, %zmm8, %zmm19
	form vpermilpd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermilpd ", ", %zmm8, %zmm19"
	mem "vpermilpd ", ", %xmm17, %xmm30"
	mem "vpermilpd ", "{1to8}, %zmm8, %zmm19"
	mem "vpermilpd ", "{1to2}, %xmm8, %xmm19"
	form vfpclassps $7, %xmm20, %k5
	form vfpclassps $7, %ymm20, %k5
	form vfpclassps $7, %zmm20, %k5
	mem "vfpclasspsx $7,", ", %k5"
	mem "vfpclassps $7,", "{1to4}, %k5"
	mem "vfpclasspsz $7,", ", %k5"
	mem "vfpclassps $7,", "{1to16}, %k5"
	form vfpclasspd $7, %xmm20, %k5
	form vfpclasspd $7, %ymm20, %k5
	form vfpclasspd $7, %zmm20, %k5
	mem "vfpclasspdx $7,", ", %k5"
	mem "vfpclasspd $7,", "{1to2}, %k5"
	mem "vfpclasspdz $7,", ", %k5"
	mem "vfpclasspd $7,", "{1to8}, %k5"
	form vfpclassss $7, %xmm20, %k5
	mem "vfpclassss $7,", ", %k5"
	form vfpclasssd $7, %xmm20, %k5
	mem "vfpclasssd $7,", ", %k5"

	/* Rounding and exception control */
	form vaddps {rn-sae}, %zmm1, %zmm2, %zmm3
	form vaddss {ru-sae}, %xmm1, %xmm2, %xmm3
	form vmaxpd {sae}, %zmm1, %zmm2, %zmm30
	form vcvtps2udq {rz-sae}, %zmm1, %zmm2
	form vcvtss2si {rd-sae}, %xmm1, %rax
	form vucomisd {sae}, %xmm17, %xmm2
	form vcmpps $2, {sae}, %zmm1, %zmm2, %k1

	/* Conversions */
	form vcvtdq2ps %xmm29, %xmm19
	form vcvtdq2ps %xmm2, %xmm3{%k4}{z}
	form vcvtdq2ps %ymm29, %ymm19
	form vcvtdq2ps %ymm2, %ymm3{%k4}{z}
	form vcvtdq2ps %zmm29, %zmm19
	form vcvtdq2ps %zmm2, %zmm3{%k4}{z}
	mem "vcvtdq2ps ", ", %zmm19"
	mem "vcvtdq2ps ", "{1to16}, %zmm19"
	mem "vcvtdq2ps ", ", %xmm19"
	mem "vcvtdq2ps ", "{1to4}, %xmm19"
	form vcvtps2dq %xmm29, %xmm19
	form vcvtps2dq %xmm2, %xmm3{%k4}{z}
	form vcvtps2dq %ymm29, %ymm19
	form vcvtps2dq %ymm2, %ymm3{%k4}{z}
	form vcvtps2dq %zmm29, %zmm19
	form vcvtps2dq %zmm2, %zmm3{%k4}{z}
	mem "vcvtps2dq ", ", %zmm19"
	mem "vcvtps2dq ", "{1to16}, %zmm19"
	mem "vcvtps2dq ", ", %xmm19"
	mem "vcvtps2dq ", "{1to4}, %xmm19"
	form vcvttps2dq %xmm29, %xmm19
	form vcvttps2dq %xmm2, %xmm3{%k4}{z}
	form vcvttps2dq %ymm29, %ymm19
	form vcvttps2dq %ymm2, %ymm3{%k4}{z}
	form vcvttps2dq %zmm29, %zmm19
	form vcvttps2dq %zmm2, %zmm3{%k4}{z}
	mem "vcvttps2dq ", ", %zmm19"
	mem "vcvttps2dq ", "{1to16}, %zmm19"
	mem "vcvttps2dq ", ", %xmm19"
	mem "vcvttps2dq ", "{1to4}, %xmm19"
	form vcvtudq2ps %xmm29, %xmm19
	form vcvtudq2ps %xmm2, %xmm3{%k4}{z}
	form vcvtudq2ps %ymm29, %ymm19
	form vcvtudq2ps %ymm2, %ymm3{%k4}{z}
	form vcvtudq2ps %zmm29, %zmm19
	form vcvtudq2ps %zmm2, %zmm3{%k4}{z}
	mem "vcvtudq2ps ", ", %zmm19"
	mem "vcvtudq2ps ", "{1to16}, %zmm19"
	mem "vcvtudq2ps ", ", %xmm19"
	mem "vcvtudq2ps ", "{1to4}, %xmm19"
	form vcvtps2udq %xmm29, %xmm19
	form vcvtps2udq %xmm2, %xmm3{%k4}{z}
	form vcvtps2udq %ymm29, %ymm19
	form vcvtps2udq %ymm2, %ymm3{%k4}{z}
	form vcvtps2udq %zmm29, %zmm19
	form vcvtps2udq %zmm2, %zmm3{%k4}{z}
	mem "vcvtps2udq ", ", %zmm19"
	mem "vcvtps2udq ", "{1to16}, %zmm19"
	mem "vcvtps2udq ", ", %xmm19"
	mem "vcvtps2udq ", "{1to4}, %xmm19"
	form vcvttps2udq %xmm29, %xmm19
	form vcvttps2udq %xmm2, %xmm3{%k4}{z}
	form vcvttps2udq %ymm29, %ymm19
	form vcvttps2udq %ymm2, %ymm3{%k4}{z}
	form vcvttps2udq %zmm29, %zmm19
	form vcvttps2udq %zmm2, %zmm3{%k4}{z}
	mem "vcvttps2udq ", ", %zmm19"
	mem "vcvttps2udq ", "{1to16}, %zmm19"
	mem "vcvttps2udq ", ", %xmm19"
	mem "vcvttps2udq ", "{1to4}, %xmm19"
	form vcvtqq2pd %xmm29, %xmm19
	form vcvtqq2pd %xmm2, %xmm3{%k4}{z}
	form vcvtqq2pd %ymm29, %ymm19
	form vcvtqq2pd %ymm2, %ymm3{%k4}{z}
	form vcvtqq2pd %zmm29, %zmm19
	form vcvtqq2pd %zmm2, %zmm3{%k4}{z}
	mem "vcvtqq2pd ", ", %zmm19"
	mem "vcvtqq2pd ", "{1to8}, %zmm19"
	mem "vcvtqq2pd ", ", %xmm19"
	mem "vcvtqq2pd ", "{1to2}, %xmm19"
	form vcvtuqq2pd %xmm29, %xmm19
	form vcvtuqq2pd %xmm2, %xmm3{%k4}{z}
	form vcvtuqq2pd %ymm29, %ymm19
	form vcvtuqq2pd %ymm2, %ymm3{%k4}{z}
	form vcvtuqq2pd %zmm29, %zmm19
	form vcvtuqq2pd %zmm2, %zmm3{%k4}{z}
	mem "vcvtuqq2pd ", ", %zmm19"
	mem "vcvtuqq2pd ", "{1to8}, %zmm19"
	mem "vcvtuqq2pd ", ", %xmm19"
	mem "vcvtuqq2pd ", "{1to2}, %xmm19"
	form vcvtpd2qq %xmm29, %xmm19
	form vcvtpd2qq %xmm2, %xmm3{%k4}{z}
	form vcvtpd2qq %ymm29, %ymm19
	form vcvtpd2qq %ymm2, %ymm3{%k4}{z}
	form vcvtpd2qq %zmm29, %zmm19
	form vcvtpd2qq %zmm2, %zmm3{%k4}{z}
	mem "vcvtpd2qq ", ", %zmm19"
	mem "vcvtpd2qq ", "{1to8}, %zmm19"
	mem "vcvtpd2qq ", ", %xmm19"
	mem "vcvtpd2qq ", "{1to2}, %xmm19"
	form vcvtpd2uqq %xmm29, %xmm19
	form vcvtpd2uqq %xmm2, %xmm3{%k4}{z}
	form vcvtpd2uqq %ymm29, %ymm19
	form vcvtpd2uqq %ymm2, %ymm3{%k4}{z}
	form vcvtpd2uqq %zmm29, %zmm19
	form vcvtpd2uqq %zmm2, %zmm3{%k4}{z}
	mem "vcvtpd2uqq ", ", %zmm19"
	mem "vcvtpd2uqq ", "{1to8}, %zmm19"
	mem "vcvtpd2uqq ", ", %xmm19"
	mem "vcvtpd2uqq ", "{1to2}, %xmm19"
	form vcvttpd2qq %xmm29, %xmm19
	form vcvttpd2qq %xmm2, %xmm3{%k4}{z}
	form vcvttpd2qq %ymm29, %ymm19
	form vcvttpd2qq %ymm2, %ymm3{%k4}{z}
	form vcvttpd2qq %zmm29, %zmm19
	form vcvttpd2qq %zmm2, %zmm3{%k4}{z}
	mem "vcvttpd2qq ", ", %zmm19"
	mem "vcvttpd2qq ", "{1to8}, %zmm19"
	mem "vcvttpd2qq ", ", %xmm19"
	mem "vcvttpd2qq ", "{1to2}, %xmm19"
	form vcvttpd2uqq %xmm29, %xmm19
	form vcvttpd2uqq %xmm2, %xmm3{%k4}{z}
	form vcvttpd2uqq %ymm29, %ymm19
	form vcvttpd2uqq %ymm2, %ymm3{%k4}{z}
	form vcvttpd2uqq %zmm29, %zmm19
	form vcvttpd2uqq %zmm2, %zmm3{%k4}{z}
	mem "vcvttpd2uqq ", ", %zmm19"
	mem "vcvttpd2uqq ", "{1to8}, %zmm19"
	mem "vcvttpd2uqq ", ", %xmm19"
	mem "vcvttpd2uqq ", "{1to2}, %xmm19"
	form vcvtps2pd %xmm29, %xmm19
	form vcvtps2pd %xmm2, %xmm3{%k4}{z}
	form vcvtps2pd %xmm29, %ymm19
	form vcvtps2pd %xmm2, %ymm3{%k4}{z}
	form vcvtps2pd %ymm29, %zmm19
	form vcvtps2pd %ymm2, %zmm3{%k4}{z}
	mem "vcvtps2pd ", ", %zmm19"
	mem "vcvtps2pd ", "{1to8}, %zmm19"
	mem "vcvtps2pd ", ", %xmm19"
	mem "vcvtps2pd ", "{1to2}, %xmm19"
	form vcvtdq2pd %xmm29, %xmm19
	form vcvtdq2pd %xmm2, %xmm3{%k4}{z}
	form vcvtdq2pd %xmm29, %ymm19
	form vcvtdq2pd %xmm2, %ymm3{%k4}{z}
	form vcvtdq2pd %ymm29, %zmm19
	form vcvtdq2pd %ymm2, %zmm3{%k4}{z}
	mem "vcvtdq2pd ", ", %zmm19"
	mem "vcvtdq2pd ", "{1to8}, %zmm19"
	mem "vcvtdq2pd ", ", %xmm19"
	mem "vcvtdq2pd ", "{1to2}, %xmm19"
	form vcvtudq2pd %xmm29, %xmm19
	form vcvtudq2pd %xmm2, %xmm3{%k4}{z}
	form vcvtudq2pd %xmm29, %ymm19
	form vcvtudq2pd %xmm2, %ymm3{%k4}{z}
	form vcvtudq2pd %ymm29, %zmm19
	form vcvtudq2pd %ymm2, %zmm3{%k4}{z}
	mem "vcvtudq2pd ", ", %zmm19"
	mem "vcvtudq2pd ", "{1to8}, %zmm19"
	mem "vcvtudq2pd ", ", %xmm19"
	mem "vcvtudq2pd ", "{1to2}, %xmm19"
	form vcvtps2qq %xmm29, %xmm19
	form vcvtps2qq %xmm2, %xmm3{%k4}{z}
	form vcvtps2qq %xmm29, %ymm19
	form vcvtps2qq %xmm2, %ymm3{%k4}{z}
	form vcvtps2qq %ymm29, %zmm19
	form vcvtps2qq %ymm2, %zmm3{%k4}{z}
	mem "vcvtps2qq ", ", %zmm19"
	mem "vcvtps2qq ", "{1to8}, %zmm19"
	mem "vcvtps2qq ", ", %xmm19"
	mem "vcvtps2qq ", "{1to2}, %xmm19"
	form vcvttps2qq %xmm29, %xmm19
	form vcvttps2qq %xmm2, %xmm3{%k4}{z}
	form vcvttps2qq %xmm29, %ymm19
	form vcvttps2qq %xmm2, %ymm3{%k4}{z}
	form vcvttps2qq %ymm29, %zmm19
	form vcvttps2qq %ymm2, %zmm3{%k4}{z}
	mem "vcvttps2qq ", ", %zmm19"
	mem "vcvttps2qq ", "{1to8}, %zmm19"
	mem "vcvttps2qq ", ", %xmm19"
	mem "vcvttps2qq ", "{1to2}, %xmm19"
	form vcvtps2uqq %xmm29, %xmm19
	form vcvtps2uqq %xmm2, %xmm3{%k4}{z}
	form vcvtps2uqq %xmm29, %ymm19
	form vcvtps2uqq %xmm2, %ymm3{%k4}{z}
	form vcvtps2uqq %ymm29, %zmm19
	form vcvtps2uqq %ymm2, %zmm3{%k4}{z}
	mem "vcvtps2uqq ", ", %zmm19"
	mem "vcvtps2uqq ", "{1to8}, %zmm19"
	mem "vcvtps2uqq ", ", %xmm19"
	mem "vcvtps2uqq ", "{1to2}, %xmm19"
	form vcvttps2uqq %xmm29, %xmm19
	form vcvttps2uqq %xmm2, %xmm3{%k4}{z}
	form vcvttps2uqq %xmm29, %ymm19
	form vcvttps2uqq %xmm2, %ymm3{%k4}{z}
	form vcvttps2uqq %ymm29, %zmm19
	form vcvttps2uqq %ymm2, %zmm3{%k4}{z}
	mem "vcvttps2uqq ", ", %zmm19"
	mem "vcvttps2uqq ", "{1to8}, %zmm19"
	mem "vcvttps2uqq ", ", %xmm19"
	mem "vcvttps2uqq ", "{1to2}, %xmm19"
	form vcvtpd2ps %zmm20, %ymm3
	form vcvtpd2ps %xmm20, %xmm3{%k1}
	mem "vcvtpd2ps", ", %ymm19"
	mem "vcvtpd2ps", "{1to8}, %ymm19"
	mem "vcvtpd2psx", ", %xmm19"
	mem "vcvtpd2ps", "{1to2}, %xmm19"
	form vcvtpd2dq %zmm20, %ymm3
	form vcvtpd2dq %xmm20, %xmm3{%k1}
	mem "vcvtpd2dq", ", %ymm19"
	mem "vcvtpd2dq", "{1to8}, %ymm19"
	mem "vcvtpd2dqx", ", %xmm19"
	mem "vcvtpd2dq", "{1to2}, %xmm19"
	form vcvttpd2dq %zmm20, %ymm3
	form vcvttpd2dq %xmm20, %xmm3{%k1}
	mem "vcvttpd2dq", ", %ymm19"
	mem "vcvttpd2dq", "{1to8}, %ymm19"
	mem "vcvttpd2dqx", ", %xmm19"
	mem "vcvttpd2dq", "{1to2}, %xmm19"
	form vcvtpd2udq %zmm20, %ymm3
	form vcvtpd2udq %xmm20, %xmm3{%k1}
	mem "vcvtpd2udq", ", %ymm19"
	mem "vcvtpd2udq", "{1to8}, %ymm19"
	mem "vcvtpd2udqx", ", %xmm19"
	mem "vcvtpd2udq", "{1to2}, %xmm19"
	form vcvttpd2udq %zmm20, %ymm3
	form vcvttpd2udq %xmm20, %xmm3{%k1}
	mem "vcvttpd2udq", ", %ymm19"
	mem "vcvttpd2udq", "{1to8}, %ymm19"
	mem "vcvttpd2udqx", ", %xmm19"
	mem "vcvttpd2udq", "{1to2}, %xmm19"
	form vcvtqq2ps %zmm20, %ymm3
	form vcvtqq2ps %xmm20, %xmm3{%k1}
	mem "vcvtqq2ps", ", %ymm19"
	mem "vcvtqq2ps", "{1to8}, %ymm19"
	mem "vcvtqq2psx", ", %xmm19"
	mem "vcvtqq2ps", "{1to2}, %xmm19"
	form vcvtuqq2ps %zmm20, %ymm3
	form vcvtuqq2ps %xmm20, %xmm3{%k1}
	mem "vcvtuqq2ps", ", %ymm19"
	mem "vcvtuqq2ps", "{1to8}, %ymm19"
	mem "vcvtuqq2psx", ", %xmm19"
	mem "vcvtuqq2ps", "{1to2}, %xmm19"
	form vcvtss2sd %xmm29, %xmm8, %xmm19
	form vcvtss2sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vcvtss2sd ", ", %xmm17, %xmm19"
	form vcvtsd2ss %xmm29, %xmm8, %xmm19
	form vcvtsd2ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vcvtsd2ss ", ", %xmm17, %xmm19"
	form vcvtss2si %xmm25, %eax
	form vcvtss2si %xmm25, %r13
	form vcvttss2si %xmm25, %eax
	form vcvttss2si %xmm25, %r13
	form vcvtss2usi %xmm25, %eax
	form vcvtss2usi %xmm25, %r13
	mem "vcvtss2usi", ", %ecx"
	mem "vcvtss2usi", ", %r9"
	form vcvttss2usi %xmm25, %eax
	form vcvttss2usi %xmm25, %r13
	mem "vcvttss2usi", ", %ecx"
	mem "vcvttss2usi", ", %r9"
	form vcvtsd2si %xmm25, %eax
	form vcvtsd2si %xmm25, %r13
	form vcvttsd2si %xmm25, %eax
	form vcvttsd2si %xmm25, %r13
	form vcvtsd2usi %xmm25, %eax
	form vcvtsd2usi %xmm25, %r13
	mem "vcvtsd2usi", ", %ecx"
	mem "vcvtsd2usi", ", %r9"
	form vcvttsd2usi %xmm25, %eax
	form vcvttsd2usi %xmm25, %r13
	mem "vcvttsd2usi", ", %ecx"
	mem "vcvttsd2usi", ", %r9"
	form vcvtsi2ssl %ecx, %xmm20, %xmm1
	form vcvtsi2ssq %r12, %xmm20, %xmm1
	mem "vcvtsi2ssl", ", %xmm20, %xmm1"
	mem "vcvtsi2ssq", ", %xmm20, %xmm1"
	form vcvtsi2sdl %ecx, %xmm20, %xmm1
	form vcvtsi2sdq %r12, %xmm20, %xmm1
	mem "vcvtsi2sdl", ", %xmm20, %xmm1"
	mem "vcvtsi2sdq", ", %xmm20, %xmm1"
	form vcvtusi2ssl %ecx, %xmm20, %xmm1
	form vcvtusi2ssq %r12, %xmm20, %xmm1
	mem "vcvtusi2ssl", ", %xmm20, %xmm1"
	mem "vcvtusi2ssq", ", %xmm20, %xmm1"
	form vcvtusi2sdl %ecx, %xmm20, %xmm1
	form vcvtusi2sdq %r12, %xmm20, %xmm1
	mem "vcvtusi2sdl", ", %xmm20, %xmm1"
	mem "vcvtusi2sdq", ", %xmm20, %xmm1"
	form vcvtph2ps %xmm29, %xmm19
	form vcvtph2ps %xmm2, %xmm3{%k4}{z}
	form vcvtph2ps %xmm29, %ymm19
	form vcvtph2ps %xmm2, %ymm3{%k4}{z}
	form vcvtph2ps %ymm29, %zmm19
	form vcvtph2ps %ymm2, %zmm3{%k4}{z}
	mem "vcvtph2ps ", ", %zmm19"
	mem "vcvtph2ps ", ", %xmm19"
	form vcvtps2ph $4, %xmm20, %xmm21
	mem "vcvtps2ph $4, %xmm20,", "{%k1}"
	form vcvtps2ph $4, %ymm20, %xmm21
	mem "vcvtps2ph $4, %ymm20,", "{%k1}"
	form vcvtps2ph $4, %zmm20, %ymm21
	mem "vcvtps2ph $4, %zmm20,", "{%k1}"
	form vcvtne2ps2bf16 %xmm29, %xmm8, %xmm19
	form vcvtne2ps2bf16 %xmm1, %xmm2, %xmm19{%k4}{z}
	form vcvtne2ps2bf16 %ymm29, %ymm8, %ymm19
	form vcvtne2ps2bf16 %ymm1, %ymm2, %ymm19{%k4}{z}
	form vcvtne2ps2bf16 %zmm29, %zmm8, %zmm19
	form vcvtne2ps2bf16 %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vcvtne2ps2bf16 ", ", %zmm8, %zmm19"
	mem "vcvtne2ps2bf16 ", ", %xmm17, %xmm30"
	mem "vcvtne2ps2bf16 ", "{1to16}, %zmm8, %zmm19"
	mem "vcvtne2ps2bf16 ", "{1to4}, %xmm8, %xmm19"
	form vdpbf16ps %xmm29, %xmm8, %xmm19
	form vdpbf16ps %xmm1, %xmm2, %xmm19{%k4}{z}
	form vdpbf16ps %ymm29, %ymm8, %ymm19
	form vdpbf16ps %ymm1, %ymm2, %ymm19{%k4}{z}
	form vdpbf16ps %zmm29, %zmm8, %zmm19
	form vdpbf16ps %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vdpbf16ps ", ", %zmm8, %zmm19"
	mem "vdpbf16ps ", ", %xmm17, %xmm30"
	mem "vdpbf16ps ", "{1to16}, %zmm8, %zmm19"
	mem "vdpbf16ps ", "{1to4}, %xmm8, %xmm19"
	form vcvtneps2bf16 %zmm20, %ymm1
	mem "vcvtneps2bf16", ", %ymm17"
	mem "vcvtneps2bf16", "{1to16}, %ymm17"
	mem "vcvtneps2bf16x", ", %xmm17"
	form vcomiss %xmm20, %xmm1
	form vucomisd %xmm20, %xmm1
	mem "vcomiss", ", %xmm21"
	mem "vucomiss", ", %xmm21"
	mem "vcomisd", ", %xmm21"
	mem "vucomisd", ", %xmm21"
