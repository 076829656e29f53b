/* AVX512-FP16: EVEX maps 5 and 6. */
#include "tests/decoders/forms/forms.inc"

	/* FP16 arithmetic */
	form vaddph %xmm29, %xmm8, %xmm19
	form vaddph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vaddph %ymm29, %ymm8, %ymm19
	form vaddph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vaddph %zmm29, %zmm8, %zmm19
	form vaddph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vaddph ", ", %zmm8, %zmm19"
	mem "vaddph ", ", %xmm17, %xmm30"
	mem "vaddph ", "{1to32}, %zmm8, %zmm19"
	mem "vaddph ", "{1to8}, %xmm8, %xmm19"
	form vsubph %xmm29, %xmm8, %xmm19
	form vsubph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vsubph %ymm29, %ymm8, %ymm19
	form vsubph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vsubph %zmm29, %zmm8, %zmm19
	form vsubph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vsubph ", ", %zmm8, %zmm19"
	mem "vsubph ", ", %xmm17, %xmm30"
	mem "vsubph ", "{1to32}, %zmm8, %zmm19"
	mem "vsubph ", "{1to8}, %xmm8, %xmm19"
	form vmulph %xmm29, %xmm8, %xmm19
	form vmulph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vmulph %ymm29, %ymm8, %ymm19
	form vmulph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vmulph %zmm29, %zmm8, %zmm19
	form vmulph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vmulph ", ", %zmm8, %zmm19"
	mem "vmulph ", ", %xmm17, %xmm30"
	mem "vmulph ", "{1to32}, %zmm8, %zmm19"
	mem "vmulph ", "{1to8}, %xmm8, %xmm19"
	form vdivph %xmm29, %xmm8, %xmm19
	form vdivph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vdivph %ymm29, %ymm8, %ymm19
	form vdivph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vdivph %zmm29, %zmm8, %zmm19
	form vdivph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vdivph ", ", %zmm8, %zmm19"
	mem "vdivph ", ", %xmm17, %xmm30"
	mem "vdivph ", "{1to32}, %zmm8, %zmm19"
	mem "vdivph ", "{1to8}, %xmm8, %xmm19"
	form vminph %xmm29, %xmm8, %xmm19
	form vminph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vminph %ymm29, %ymm8, %ymm19
	form vminph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vminph %zmm29, %zmm8, %zmm19
	form vminph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vminph ", ", %zmm8, %zmm19"
	mem "vminph ", ", %xmm17, %xmm30"
	mem "vminph ", "{1to32}, %zmm8, %zmm19"
	mem "vminph ", "{1to8}, %xmm8, %xmm19"
	form vmaxph %xmm29, %xmm8, %xmm19
	form vmaxph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vmaxph %ymm29, %ymm8, %ymm19
	form vmaxph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vmaxph %zmm29, %zmm8, %zmm19
	form vmaxph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vmaxph ", ", %zmm8, %zmm19"
	mem "vmaxph ", ", %xmm17, %xmm30"
	mem "vmaxph ", "{1to32}, %zmm8, %zmm19"
	mem "vmaxph ", "{1to8}, %xmm8, %xmm19"
	form vscalefph %xmm29, %xmm8, %xmm19
	form vscalefph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vscalefph %ymm29, %ymm8, %ymm19
	form vscalefph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vscalefph %zmm29, %zmm8, %zmm19
	form vscalefph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vscalefph ", ", %zmm8, %zmm19"
	mem "vscalefph ", ", %xmm17, %xmm30"
	mem "vscalefph ", "{1to32}, %zmm8, %zmm19"
	mem "vscalefph ", "{1to8}, %xmm8, %xmm19"
	form vfmadd132ph %xmm29, %xmm8, %xmm19
	form vfmadd132ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd132ph %ymm29, %ymm8, %ymm19
	form vfmadd132ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd132ph %zmm29, %zmm8, %zmm19
	form vfmadd132ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd132ph ", ", %zmm8, %zmm19"
	mem "vfmadd132ph ", ", %xmm17, %xmm30"
	mem "vfmadd132ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfmadd132ph ", "{1to8}, %xmm8, %xmm19"
	form vfmadd213ph %xmm29, %xmm8, %xmm19
	form vfmadd213ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd213ph %ymm29, %ymm8, %ymm19
	form vfmadd213ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd213ph %zmm29, %zmm8, %zmm19
	form vfmadd213ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd213ph ", ", %zmm8, %zmm19"
	mem "vfmadd213ph ", ", %xmm17, %xmm30"
	mem "vfmadd213ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfmadd213ph ", "{1to8}, %xmm8, %xmm19"
	form vfmadd231ph %xmm29, %xmm8, %xmm19
	form vfmadd231ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmadd231ph %ymm29, %ymm8, %ymm19
	form vfmadd231ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmadd231ph %zmm29, %zmm8, %zmm19
	form vfmadd231ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmadd231ph ", ", %zmm8, %zmm19"
	mem "vfmadd231ph ", ", %xmm17, %xmm30"
	mem "vfmadd231ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfmadd231ph ", "{1to8}, %xmm8, %xmm19"
	form vfmsub213ph %xmm29, %xmm8, %xmm19
	form vfmsub213ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmsub213ph %ymm29, %ymm8, %ymm19
	form vfmsub213ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmsub213ph %zmm29, %zmm8, %zmm19
	form vfmsub213ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmsub213ph ", ", %zmm8, %zmm19"
	mem "vfmsub213ph ", ", %xmm17, %xmm30"
	mem "vfmsub213ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfmsub213ph ", "{1to8}, %xmm8, %xmm19"
	form vfnmadd213ph %xmm29, %xmm8, %xmm19
	form vfnmadd213ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfnmadd213ph %ymm29, %ymm8, %ymm19
	form vfnmadd213ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfnmadd213ph %zmm29, %zmm8, %zmm19
	form vfnmadd213ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfnmadd213ph ", ", %zmm8, %zmm19"
	mem "vfnmadd213ph ", ", %xmm17, %xmm30"
	mem "vfnmadd213ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfnmadd213ph ", "{1to8}, %xmm8, %xmm19"
	form vfnmsub231ph %xmm29, %xmm8, %xmm19
	form vfnmsub231ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfnmsub231ph %ymm29, %ymm8, %ymm19
	form vfnmsub231ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfnmsub231ph %zmm29, %zmm8, %zmm19
	form vfnmsub231ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfnmsub231ph ", ", %zmm8, %zmm19"
	mem "vfnmsub231ph ", ", %xmm17, %xmm30"
	mem "vfnmsub231ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfnmsub231ph ", "{1to8}, %xmm8, %xmm19"
	form vfmaddsub132ph %xmm29, %xmm8, %xmm19
	form vfmaddsub132ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmaddsub132ph %ymm29, %ymm8, %ymm19
	form vfmaddsub132ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmaddsub132ph %zmm29, %zmm8, %zmm19
	form vfmaddsub132ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmaddsub132ph ", ", %zmm8, %zmm19"
	mem "vfmaddsub132ph ", ", %xmm17, %xmm30"
	mem "vfmaddsub132ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfmaddsub132ph ", "{1to8}, %xmm8, %xmm19"
	form vfmsubadd231ph %xmm29, %xmm8, %xmm19
	form vfmsubadd231ph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmsubadd231ph %ymm29, %ymm8, %ymm19
	form vfmsubadd231ph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmsubadd231ph %zmm29, %zmm8, %zmm19
	form vfmsubadd231ph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmsubadd231ph ", ", %zmm8, %zmm19"
	mem "vfmsubadd231ph ", ", %xmm17, %xmm30"
	mem "vfmsubadd231ph ", "{1to32}, %zmm8, %zmm19"
	mem "vfmsubadd231ph ", "{1to8}, %xmm8, %xmm19"
	form vfmulcph %xmm29, %xmm8, %xmm19
	form vfmulcph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmulcph %ymm29, %ymm8, %ymm19
	form vfmulcph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmulcph %zmm29, %zmm8, %zmm19
	form vfmulcph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmulcph ", ", %zmm8, %zmm19"
	mem "vfmulcph ", ", %xmm17, %xmm30"
	mem "vfmulcph ", "{1to16}, %zmm8, %zmm19"
	mem "vfmulcph ", "{1to4}, %xmm8, %xmm19"
	form vfcmulcph %xmm29, %xmm8, %xmm19
	form vfcmulcph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfcmulcph %ymm29, %ymm8, %ymm19
	form vfcmulcph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfcmulcph %zmm29, %zmm8, %zmm19
	form vfcmulcph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfcmulcph ", ", %zmm8, %zmm19"
	mem "vfcmulcph ", ", %xmm17, %xmm30"
	mem "vfcmulcph ", "{1to16}, %zmm8, %zmm19"
	mem "vfcmulcph ", "{1to4}, %xmm8, %xmm19"
	form vfmaddcph %xmm29, %xmm8, %xmm19
	form vfmaddcph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfmaddcph %ymm29, %ymm8, %ymm19
	form vfmaddcph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfmaddcph %zmm29, %zmm8, %zmm19
	form vfmaddcph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfmaddcph ", ", %zmm8, %zmm19"
	mem "vfmaddcph ", ", %xmm17, %xmm30"
	mem "vfmaddcph ", "{1to16}, %zmm8, %zmm19"
	mem "vfmaddcph ", "{1to4}, %xmm8, %xmm19"
	form vfcmaddcph %xmm29, %xmm8, %xmm19
	form vfcmaddcph %xmm1, %xmm2, %xmm19{%k4}{z}
	form vfcmaddcph %ymm29, %ymm8, %ymm19
	form vfcmaddcph %ymm1, %ymm2, %ymm19{%k4}{z}
	form vfcmaddcph %zmm29, %zmm8, %zmm19
	form vfcmaddcph %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vfcmaddcph ", ", %zmm8, %zmm19"
	mem "vfcmaddcph ", ", %xmm17, %xmm30"
	mem "vfcmaddcph ", "{1to16}, %zmm8, %zmm19"
	mem "vfcmaddcph ", "{1to4}, %xmm8, %xmm19"
	form vaddsh %xmm29, %xmm8, %xmm19
	form vaddsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vaddsh ", ", %xmm17, %xmm19"
	form vsubsh %xmm29, %xmm8, %xmm19
	form vsubsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vsubsh ", ", %xmm17, %xmm19"
	form vmulsh %xmm29, %xmm8, %xmm19
	form vmulsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vmulsh ", ", %xmm17, %xmm19"
	form vdivsh %xmm29, %xmm8, %xmm19
	form vdivsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vdivsh ", ", %xmm17, %xmm19"
	form vminsh %xmm29, %xmm8, %xmm19
	form vminsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vminsh ", ", %xmm17, %xmm19"
	form vmaxsh %xmm29, %xmm8, %xmm19
	form vmaxsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vmaxsh ", ", %xmm17, %xmm19"
	form vsqrtsh %xmm29, %xmm8, %xmm19
	form vsqrtsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vsqrtsh ", ", %xmm17, %xmm19"
	form vscalefsh %xmm29, %xmm8, %xmm19
	form vscalefsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vscalefsh ", ", %xmm17, %xmm19"
	form vgetexpsh %xmm29, %xmm8, %xmm19
	form vgetexpsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vgetexpsh ", ", %xmm17, %xmm19"
	form vrcpsh %xmm29, %xmm8, %xmm19
	form vrcpsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vrcpsh ", ", %xmm17, %xmm19"
	form vrsqrtsh %xmm29, %xmm8, %xmm19
	form vrsqrtsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vrsqrtsh ", ", %xmm17, %xmm19"
	form vfmadd132sh %xmm29, %xmm8, %xmm19
	form vfmadd132sh %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmadd132sh ", ", %xmm17, %xmm19"
	form vfmadd213sh %xmm29, %xmm8, %xmm19
	form vfmadd213sh %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmadd213sh ", ", %xmm17, %xmm19"
	form vfnmadd231sh %xmm29, %xmm8, %xmm19
	form vfnmadd231sh %xmm2, %xmm3, %xmm19{%k4}
	mem "vfnmadd231sh ", ", %xmm17, %xmm19"
	form vfmulcsh %xmm29, %xmm8, %xmm19
	form vfmulcsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmulcsh ", ", %xmm17, %xmm19"
	form vfmaddcsh %xmm29, %xmm8, %xmm19
	form vfmaddcsh %xmm2, %xmm3, %xmm19{%k4}
	mem "vfmaddcsh ", ", %xmm17, %xmm19"
	form vsqrtph %xmm29, %xmm19
	form vsqrtph %xmm2, %xmm3{%k4}{z}
	form vsqrtph %ymm29, %ymm19
	form vsqrtph %ymm2, %ymm3{%k4}{z}
	form vsqrtph %zmm29, %zmm19
	form vsqrtph %zmm2, %zmm3{%k4}{z}
	mem "vsqrtph ", ", %zmm19"
	mem "vsqrtph ", "{1to32}, %zmm19"
	mem "vsqrtph ", ", %xmm19"
	mem "vsqrtph ", "{1to8}, %xmm19"
	form vgetexpph %xmm29, %xmm19
	form vgetexpph %xmm2, %xmm3{%k4}{z}
	form vgetexpph %ymm29, %ymm19
	form vgetexpph %ymm2, %ymm3{%k4}{z}
	form vgetexpph %zmm29, %zmm19
	form vgetexpph %zmm2, %zmm3{%k4}{z}
	mem "vgetexpph ", ", %zmm19"
	mem "vgetexpph ", "{1to32}, %zmm19"
	mem "vgetexpph ", ", %xmm19"
	mem "vgetexpph ", "{1to8}, %xmm19"
	form vrcpph %xmm29, %xmm19
	form vrcpph %xmm2, %xmm3{%k4}{z}
	form vrcpph %ymm29, %ymm19
	form vrcpph %ymm2, %ymm3{%k4}{z}
	form vrcpph %zmm29, %zmm19
	form vrcpph %zmm2, %zmm3{%k4}{z}
	mem "vrcpph ", ", %zmm19"
	mem "vrcpph ", "{1to32}, %zmm19"
	mem "vrcpph ", ", %xmm19"
	mem "vrcpph ", "{1to8}, %xmm19"
	form vrsqrtph %xmm29, %xmm19
	form vrsqrtph %xmm2, %xmm3{%k4}{z}
	form vrsqrtph %ymm29, %ymm19
	form vrsqrtph %ymm2, %ymm3{%k4}{z}
	form vrsqrtph %zmm29, %zmm19
	form vrsqrtph %zmm2, %zmm3{%k4}{z}
	mem "vrsqrtph ", ", %zmm19"
	mem "vrsqrtph ", "{1to32}, %zmm19"
	mem "vrsqrtph ", ", %xmm19"
	mem "vrsqrtph ", "{1to8}, %xmm19"
	form vrndscaleph $4, %xmm29, %xmm19
	form vrndscaleph $4, %xmm2, %xmm3{%k4}{z}
	form vrndscaleph $4, %ymm29, %ymm19
	form vrndscaleph $4, %ymm2, %ymm3{%k4}{z}
	form vrndscaleph $4, %zmm29, %zmm19
	form vrndscaleph $4, %zmm2, %zmm3{%k4}{z}
	mem "vrndscaleph $4, ", ", %zmm19"
	mem "vrndscaleph $4, ", "{1to32}, %zmm19"
	mem "vrndscaleph $4, ", ", %xmm19"
	mem "vrndscaleph $4, ", "{1to8}, %xmm19"
	form vreduceph $4, %xmm29, %xmm19
	form vreduceph $4, %xmm2, %xmm3{%k4}{z}
	form vreduceph $4, %ymm29, %ymm19
	form vreduceph $4, %ymm2, %ymm3{%k4}{z}
	form vreduceph $4, %zmm29, %zmm19
	form vreduceph $4, %zmm2, %zmm3{%k4}{z}
	mem "vreduceph $4, ", ", %zmm19"
	mem "vreduceph $4, ", "{1to32}, %zmm19"
	mem "vreduceph $4, ", ", %xmm19"
	mem "vreduceph $4, ", "{1to8}, %xmm19"
	form vgetmantph $4, %xmm29, %xmm19
	form vgetmantph $4, %xmm2, %xmm3{%k4}{z}
	form vgetmantph $4, %ymm29, %ymm19
	form vgetmantph $4, %ymm2, %ymm3{%k4}{z}
	form vgetmantph $4, %zmm29, %zmm19
	form vgetmantph $4, %zmm2, %zmm3{%k4}{z}
	mem "vgetmantph $4, ", ", %zmm19"
	mem "vgetmantph $4, ", "{1to32}, %zmm19"
	mem "vgetmantph $4, ", ", %xmm19"
	mem "vgetmantph $4, ", "{1to8}, %xmm19"
	form vrndscalesh $4, %xmm29, %xmm8, %xmm19
	form vrndscalesh $4, %xmm2, %xmm3, %xmm19{%k4}
	mem "vrndscalesh $4, ", ", %xmm17, %xmm19"
	form vreducesh $4, %xmm29, %xmm8, %xmm19
	form vreducesh $4, %xmm2, %xmm3, %xmm19{%k4}
	mem "vreducesh $4, ", ", %xmm17, %xmm19"
	form vgetmantsh $4, %xmm29, %xmm8, %xmm19
	form vgetmantsh $4, %xmm2, %xmm3, %xmm19{%k4}
	mem "vgetmantsh $4, ", ", %xmm17, %xmm19"
	form vcmpph $1, %xmm29, %xmm8, %k3
	form vcmpph $1, %xmm1, %xmm2, %k3{%k4}
	form vcmpph $1, %ymm29, %ymm8, %k3
	form vcmpph $1, %ymm1, %ymm2, %k3{%k4}
	form vcmpph $1, %zmm29, %zmm8, %k3
	form vcmpph $1, %zmm1, %zmm2, %k3{%k4}
	mem "vcmpph $1, ", ", %zmm8, %k3"
	mem "vcmpph $1, ", ", %xmm17, %k3"
	mem "vcmpph $1, ", "{1to32}, %zmm8, %k3"
	mem "vcmpph $1, ", "{1to8}, %xmm8, %k3"
	form vcmpsh $1, %xmm29, %xmm8, %k3
	form vcmpsh $1, %xmm2, %xmm3, %k3{%k4}
	mem "vcmpsh $1, ", ", %xmm17, %k3"

	/* FP16 conversions and moves */
	form vcvtw2ph %xmm29, %xmm19
	form vcvtw2ph %xmm2, %xmm3{%k4}{z}
	form vcvtw2ph %ymm29, %ymm19
	form vcvtw2ph %ymm2, %ymm3{%k4}{z}
	form vcvtw2ph %zmm29, %zmm19
	form vcvtw2ph %zmm2, %zmm3{%k4}{z}
	mem "vcvtw2ph ", ", %zmm19"
	mem "vcvtw2ph ", "{1to32}, %zmm19"
	mem "vcvtw2ph ", ", %xmm19"
	mem "vcvtw2ph ", "{1to8}, %xmm19"
	form vcvtuw2ph %xmm29, %xmm19
	form vcvtuw2ph %xmm2, %xmm3{%k4}{z}
	form vcvtuw2ph %ymm29, %ymm19
	form vcvtuw2ph %ymm2, %ymm3{%k4}{z}
	form vcvtuw2ph %zmm29, %zmm19
	form vcvtuw2ph %zmm2, %zmm3{%k4}{z}
	mem "vcvtuw2ph ", ", %zmm19"
	mem "vcvtuw2ph ", "{1to32}, %zmm19"
	mem "vcvtuw2ph ", ", %xmm19"
	mem "vcvtuw2ph ", "{1to8}, %xmm19"
	form vcvtph2w %xmm29, %xmm19
	form vcvtph2w %xmm2, %xmm3{%k4}{z}
	form vcvtph2w %ymm29, %ymm19
	form vcvtph2w %ymm2, %ymm3{%k4}{z}
	form vcvtph2w %zmm29, %zmm19
	form vcvtph2w %zmm2, %zmm3{%k4}{z}
	mem "vcvtph2w ", ", %zmm19"
	mem "vcvtph2w ", "{1to32}, %zmm19"
	mem "vcvtph2w ", ", %xmm19"
	mem "vcvtph2w ", "{1to8}, %xmm19"
	form vcvtph2uw %xmm29, %xmm19
	form vcvtph2uw %xmm2, %xmm3{%k4}{z}
	form vcvtph2uw %ymm29, %ymm19
	form vcvtph2uw %ymm2, %ymm3{%k4}{z}
	form vcvtph2uw %zmm29, %zmm19
	form vcvtph2uw %zmm2, %zmm3{%k4}{z}
	mem "vcvtph2uw ", ", %zmm19"
	mem "vcvtph2uw ", "{1to32}, %zmm19"
	mem "vcvtph2uw ", ", %xmm19"
	mem "vcvtph2uw ", "{1to8}, %xmm19"
	form vcvttph2w %xmm29, %xmm19
	form vcvttph2w %xmm2, %xmm3{%k4}{z}
	form vcvttph2w %ymm29, %ymm19
	form vcvttph2w %ymm2, %ymm3{%k4}{z}
	form vcvttph2w %zmm29, %zmm19
	form vcvttph2w %zmm2, %zmm3{%k4}{z}
	mem "vcvttph2w ", ", %zmm19"
	mem "vcvttph2w ", "{1to32}, %zmm19"
	mem "vcvttph2w ", ", %xmm19"
	mem "vcvttph2w ", "{1to8}, %xmm19"
	form vcvttph2uw %xmm29, %xmm19
	form vcvttph2uw %xmm2, %xmm3{%k4}{z}
	form vcvttph2uw %ymm29, %ymm19
	form vcvttph2uw %ymm2, %ymm3{%k4}{z}
	form vcvttph2uw %zmm29, %zmm19
	form vcvttph2uw %zmm2, %zmm3{%k4}{z}
	mem "vcvttph2uw ", ", %zmm19"
	mem "vcvttph2uw ", "{1to32}, %zmm19"
	mem "vcvttph2uw ", ", %xmm19"
	mem "vcvttph2uw ", "{1to8}, %xmm19"
	form vcvtph2psx %ymm20, %zmm1
	mem "vcvtph2psx", ", %zmm17"
	mem "vcvtph2psx", "{1to16}, %zmm17"
	mem "vcvtph2psx", ", %xmm17"
	mem "vcvtph2psx", "{1to4}, %xmm17"
	form vcvtph2dq %ymm20, %zmm1
	mem "vcvtph2dq", ", %zmm17"
	mem "vcvtph2dq", "{1to16}, %zmm17"
	mem "vcvtph2dq", ", %xmm17"
	mem "vcvtph2dq", "{1to4}, %xmm17"
	form vcvttph2dq %ymm20, %zmm1
	mem "vcvttph2dq", ", %zmm17"
	mem "vcvttph2dq", "{1to16}, %zmm17"
	mem "vcvttph2dq", ", %xmm17"
	mem "vcvttph2dq", "{1to4}, %xmm17"
	form vcvtph2udq %ymm20, %zmm1
	mem "vcvtph2udq", ", %zmm17"
	mem "vcvtph2udq", "{1to16}, %zmm17"
	mem "vcvtph2udq", ", %xmm17"
	mem "vcvtph2udq", "{1to4}, %xmm17"
	form vcvttph2udq %ymm20, %zmm1
	mem "vcvttph2udq", ", %zmm17"
	mem "vcvttph2udq", "{1to16}, %zmm17"
	mem "vcvttph2udq", ", %xmm17"
	mem "vcvttph2udq", "{1to4}, %xmm17"
	form vcvtph2pd %xmm20, %zmm1
	mem "vcvtph2pd", ", %zmm17"
	mem "vcvtph2pd", "{1to8}, %zmm17"
	mem "vcvtph2pd", ", %xmm17"
	mem "vcvtph2pd", "{1to2}, %xmm17"
	form vcvtph2qq %xmm20, %zmm1
	mem "vcvtph2qq", ", %zmm17"
	mem "vcvtph2qq", "{1to8}, %zmm17"
	mem "vcvtph2qq", ", %xmm17"
	mem "vcvtph2qq", "{1to2}, %xmm17"
	form vcvtph2uqq %xmm20, %zmm1
	mem "vcvtph2uqq", ", %zmm17"
	mem "vcvtph2uqq", "{1to8}, %zmm17"
	mem "vcvtph2uqq", ", %xmm17"
	mem "vcvtph2uqq", "{1to2}, %xmm17"
	form vcvttph2qq %xmm20, %zmm1
	mem "vcvttph2qq", ", %zmm17"
	mem "vcvttph2qq", "{1to8}, %zmm17"
	mem "vcvttph2qq", ", %xmm17"
	mem "vcvttph2qq", "{1to2}, %xmm17"
	form vcvttph2uqq %xmm20, %zmm1
	mem "vcvttph2uqq", ", %zmm17"
	mem "vcvttph2uqq", "{1to8}, %zmm17"
	mem "vcvttph2uqq", ", %xmm17"
	mem "vcvttph2uqq", "{1to2}, %xmm17"
	form vcvtps2phx %zmm20, %ymm1
	mem "vcvtps2phx", ", %ymm17"
	mem "vcvtps2phx", "{1to16}, %ymm17"
	mem "vcvtps2phxx", ", %xmm17"
	form vcvtdq2ph %zmm20, %ymm1
	mem "vcvtdq2ph", ", %ymm17"
	mem "vcvtdq2ph", "{1to16}, %ymm17"
	mem "vcvtdq2phx", ", %xmm17"
	form vcvtudq2ph %zmm20, %ymm1
	mem "vcvtudq2ph", ", %ymm17"
	mem "vcvtudq2ph", "{1to16}, %ymm17"
	mem "vcvtudq2phx", ", %xmm17"
	form vcvtpd2ph %zmm20, %xmm1
	mem "vcvtpd2phz", ", %xmm17"
	mem "vcvtpd2ph", "{1to8}, %xmm17"
	mem "vcvtpd2phx", ", %xmm17"
	form vcvtqq2ph %zmm20, %xmm1
	mem "vcvtqq2phz", ", %xmm17"
	mem "vcvtqq2ph", "{1to8}, %xmm17"
	mem "vcvtqq2phx", ", %xmm17"
	form vcvtuqq2ph %zmm20, %xmm1
	mem "vcvtuqq2phz", ", %xmm17"
	mem "vcvtuqq2ph", "{1to8}, %xmm17"
	mem "vcvtuqq2phx", ", %xmm17"
	form vcvtsh2ss %xmm29, %xmm8, %xmm19
	form vcvtsh2ss %xmm2, %xmm3, %xmm19{%k4}
	mem "vcvtsh2ss ", ", %xmm17, %xmm19"
	form vcvtsh2sd %xmm29, %xmm8, %xmm19
	form vcvtsh2sd %xmm2, %xmm3, %xmm19{%k4}
	mem "vcvtsh2sd ", ", %xmm17, %xmm19"
	form vcvtss2sh %xmm29, %xmm8, %xmm19
	form vcvtss2sh %xmm2, %xmm3, %xmm19{%k4}
	mem "vcvtss2sh ", ", %xmm17, %xmm19"
	form vcvtsd2sh %xmm29, %xmm8, %xmm19
	form vcvtsd2sh %xmm2, %xmm3, %xmm19{%k4}
	mem "vcvtsd2sh ", ", %xmm17, %xmm19"
	form vcvtsh2si %xmm20, %eax
	form vcvtsh2si %xmm20, %r9
	mem "vcvtsh2si", ", %eax"
	mem "vcvtsh2si", ", %rdx"
	form vcvttsh2si %xmm20, %eax
	form vcvttsh2si %xmm20, %r9
	mem "vcvttsh2si", ", %eax"
	mem "vcvttsh2si", ", %rdx"
	form vcvtsh2usi %xmm20, %eax
	form vcvtsh2usi %xmm20, %r9
	mem "vcvtsh2usi", ", %eax"
	mem "vcvtsh2usi", ", %rdx"
	form vcvttsh2usi %xmm20, %eax
	form vcvttsh2usi %xmm20, %r9
	mem "vcvttsh2usi", ", %eax"
	mem "vcvttsh2usi", ", %rdx"
	form vcvtsi2shl %eax, %xmm1, %xmm20
	mem "vcvtsi2shl", ", %xmm1, %xmm20"
	mem "vcvtsi2shq", ", %xmm1, %xmm20"
	form vcvtusi2shl %eax, %xmm1, %xmm20
	mem "vcvtusi2shl", ", %xmm1, %xmm20"
	mem "vcvtusi2shq", ", %xmm1, %xmm20"
	form vcomish %xmm20, %xmm1
	mem "vcomish", ", %xmm1"
	mem "vucomish", ", %xmm1"
	form vmovw %eax, %xmm20
	form vmovw %xmm20, %eax
	mem "vmovw", ", %xmm20"
	mem "vmovw %xmm20,", ""
	form vmovsh %xmm1, %xmm2, %xmm20{%k1}
	mem "vmovsh", ", %xmm20"
	mem "vmovsh %xmm20,", "{%k1}"
	form vfpclassph $3, %zmm20, %k1
	mem "vfpclassphz $3,", ", %k1"
	mem "vfpclassph $3,", "{1to32}, %k1"
	form vfpclasssh $3, %xmm20, %k1
	mem "vfpclasssh $3,", ", %k1"
