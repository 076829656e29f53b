/* EVEX integers: AVX-512F, BW, VL, VBMI, VBMI2, VNNI, IFMA, BITALG, GFNI, VAES, VPCLMULQDQ, VP2INTERSECT. */
#include "tests/decoders/forms/forms.inc"

	/* Integer arithmetic and logic */
	form vpaddd %xmm29, %xmm8, %xmm19
	form vpaddd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddd %ymm29, %ymm8, %ymm19
	form vpaddd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddd %zmm29, %zmm8, %zmm19
	form vpaddd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddd ", ", %zmm8, %zmm19"
	mem "vpaddd ", ", %xmm17, %xmm30"
	mem "vpaddd ", "{1to16}, %zmm8, %zmm19"
	mem "vpaddd ", "{1to4}, %xmm8, %xmm19"
	form vpsubd %xmm29, %xmm8, %xmm19
	form vpsubd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubd %ymm29, %ymm8, %ymm19
	form vpsubd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubd %zmm29, %zmm8, %zmm19
	form vpsubd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubd ", ", %zmm8, %zmm19"
	mem "vpsubd ", ", %xmm17, %xmm30"
	mem "vpsubd ", "{1to16}, %zmm8, %zmm19"
	mem "vpsubd ", "{1to4}, %xmm8, %xmm19"
	form vpmulld %xmm29, %xmm8, %xmm19
	form vpmulld %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmulld %ymm29, %ymm8, %ymm19
	form vpmulld %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmulld %zmm29, %zmm8, %zmm19
	form vpmulld %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmulld ", ", %zmm8, %zmm19"
	mem "vpmulld ", ", %xmm17, %xmm30"
	mem "vpmulld ", "{1to16}, %zmm8, %zmm19"
	mem "vpmulld ", "{1to4}, %xmm8, %xmm19"
	form vpandd %xmm29, %xmm8, %xmm19
	form vpandd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpandd %ymm29, %ymm8, %ymm19
	form vpandd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpandd %zmm29, %zmm8, %zmm19
	form vpandd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpandd ", ", %zmm8, %zmm19"
	mem "vpandd ", ", %xmm17, %xmm30"
	mem "vpandd ", "{1to16}, %zmm8, %zmm19"
	mem "vpandd ", "{1to4}, %xmm8, %xmm19"
	form vpandnd %xmm29, %xmm8, %xmm19
	form vpandnd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpandnd %ymm29, %ymm8, %ymm19
	form vpandnd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpandnd %zmm29, %zmm8, %zmm19
	form vpandnd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpandnd ", ", %zmm8, %zmm19"
	mem "vpandnd ", ", %xmm17, %xmm30"
	mem "vpandnd ", "{1to16}, %zmm8, %zmm19"
	mem "vpandnd ", "{1to4}, %xmm8, %xmm19"
	form vpord %xmm29, %xmm8, %xmm19
	form vpord %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpord %ymm29, %ymm8, %ymm19
	form vpord %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpord %zmm29, %zmm8, %zmm19
	form vpord %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpord ", ", %zmm8, %zmm19"
	mem "vpord ", ", %xmm17, %xmm30"
	mem "vpord ", "{1to16}, %zmm8, %zmm19"
	mem "vpord ", "{1to4}, %xmm8, %xmm19"
	form vpxord %xmm29, %xmm8, %xmm19
	form vpxord %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpxord %ymm29, %ymm8, %ymm19
	form vpxord %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpxord %zmm29, %zmm8, %zmm19
	form vpxord %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpxord ", ", %zmm8, %zmm19"
	mem "vpxord ", ", %xmm17, %xmm30"
	mem "vpxord ", "{1to16}, %zmm8, %zmm19"
	mem "vpxord ", "{1to4}, %xmm8, %xmm19"
	form vpminsd %xmm29, %xmm8, %xmm19
	form vpminsd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminsd %ymm29, %ymm8, %ymm19
	form vpminsd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminsd %zmm29, %zmm8, %zmm19
	form vpminsd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminsd ", ", %zmm8, %zmm19"
	mem "vpminsd ", ", %xmm17, %xmm30"
	mem "vpminsd ", "{1to16}, %zmm8, %zmm19"
	mem "vpminsd ", "{1to4}, %xmm8, %xmm19"
	form vpminud %xmm29, %xmm8, %xmm19
	form vpminud %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminud %ymm29, %ymm8, %ymm19
	form vpminud %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminud %zmm29, %zmm8, %zmm19
	form vpminud %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminud ", ", %zmm8, %zmm19"
	mem "vpminud ", ", %xmm17, %xmm30"
	mem "vpminud ", "{1to16}, %zmm8, %zmm19"
	mem "vpminud ", "{1to4}, %xmm8, %xmm19"
	form vpmaxsd %xmm29, %xmm8, %xmm19
	form vpmaxsd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxsd %ymm29, %ymm8, %ymm19
	form vpmaxsd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxsd %zmm29, %zmm8, %zmm19
	form vpmaxsd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxsd ", ", %zmm8, %zmm19"
	mem "vpmaxsd ", ", %xmm17, %xmm30"
	mem "vpmaxsd ", "{1to16}, %zmm8, %zmm19"
	mem "vpmaxsd ", "{1to4}, %xmm8, %xmm19"
	form vpmaxud %xmm29, %xmm8, %xmm19
	form vpmaxud %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxud %ymm29, %ymm8, %ymm19
	form vpmaxud %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxud %zmm29, %zmm8, %zmm19
	form vpmaxud %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxud ", ", %zmm8, %zmm19"
	mem "vpmaxud ", ", %xmm17, %xmm30"
	mem "vpmaxud ", "{1to16}, %zmm8, %zmm19"
	mem "vpmaxud ", "{1to4}, %xmm8, %xmm19"
	form vpunpckldq %xmm29, %xmm8, %xmm19
	form vpunpckldq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpckldq %ymm29, %ymm8, %ymm19
	form vpunpckldq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpckldq %zmm29, %zmm8, %zmm19
	form vpunpckldq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpckldq ", ", %zmm8, %zmm19"
	mem "vpunpckldq ", ", %xmm17, %xmm30"
	mem "vpunpckldq ", "{1to16}, %zmm8, %zmm19"
	mem "vpunpckldq ", "{1to4}, %xmm8, %xmm19"
	form vpunpckhdq %xmm29, %xmm8, %xmm19
	form vpunpckhdq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpckhdq %ymm29, %ymm8, %ymm19
	form vpunpckhdq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpckhdq %zmm29, %zmm8, %zmm19
	form vpunpckhdq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpckhdq ", ", %zmm8, %zmm19"
	mem "vpunpckhdq ", ", %xmm17, %xmm30"
	mem "vpunpckhdq ", "{1to16}, %zmm8, %zmm19"
	mem "vpunpckhdq ", "{1to4}, %xmm8, %xmm19"
	form vpackssdw %xmm29, %xmm8, %xmm19
	form vpackssdw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpackssdw %ymm29, %ymm8, %ymm19
	form vpackssdw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpackssdw %zmm29, %zmm8, %zmm19
	form vpackssdw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpackssdw ", ", %zmm8, %zmm19"
	mem "vpackssdw ", ", %xmm17, %xmm30"
	mem "vpackssdw ", "{1to16}, %zmm8, %zmm19"
	mem "vpackssdw ", "{1to4}, %xmm8, %xmm19"
	form vpackusdw %xmm29, %xmm8, %xmm19
	form vpackusdw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpackusdw %ymm29, %ymm8, %ymm19
	form vpackusdw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpackusdw %zmm29, %zmm8, %zmm19
	form vpackusdw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpackusdw ", ", %zmm8, %zmm19"
	mem "vpackusdw ", ", %xmm17, %xmm30"
	mem "vpackusdw ", "{1to16}, %zmm8, %zmm19"
	mem "vpackusdw ", "{1to4}, %xmm8, %xmm19"
	form vprolvd %xmm29, %xmm8, %xmm19
	form vprolvd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vprolvd %ymm29, %ymm8, %ymm19
	form vprolvd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vprolvd %zmm29, %zmm8, %zmm19
	form vprolvd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vprolvd ", ", %zmm8, %zmm19"
	mem "vprolvd ", ", %xmm17, %xmm30"
	mem "vprolvd ", "{1to16}, %zmm8, %zmm19"
	mem "vprolvd ", "{1to4}, %xmm8, %xmm19"
	form vprorvd %xmm29, %xmm8, %xmm19
	form vprorvd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vprorvd %ymm29, %ymm8, %ymm19
	form vprorvd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vprorvd %zmm29, %zmm8, %zmm19
	form vprorvd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vprorvd ", ", %zmm8, %zmm19"
	mem "vprorvd ", ", %xmm17, %xmm30"
	mem "vprorvd ", "{1to16}, %zmm8, %zmm19"
	mem "vprorvd ", "{1to4}, %xmm8, %xmm19"
	form vpsllvd %xmm29, %xmm8, %xmm19
	form vpsllvd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsllvd %ymm29, %ymm8, %ymm19
	form vpsllvd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsllvd %zmm29, %zmm8, %zmm19
	form vpsllvd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsllvd ", ", %zmm8, %zmm19"
	mem "vpsllvd ", ", %xmm17, %xmm30"
	mem "vpsllvd ", "{1to16}, %zmm8, %zmm19"
	mem "vpsllvd ", "{1to4}, %xmm8, %xmm19"
	form vpsrlvd %xmm29, %xmm8, %xmm19
	form vpsrlvd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsrlvd %ymm29, %ymm8, %ymm19
	form vpsrlvd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsrlvd %zmm29, %zmm8, %zmm19
	form vpsrlvd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsrlvd ", ", %zmm8, %zmm19"
	mem "vpsrlvd ", ", %xmm17, %xmm30"
	mem "vpsrlvd ", "{1to16}, %zmm8, %zmm19"
	mem "vpsrlvd ", "{1to4}, %xmm8, %xmm19"
	form vpsravd %xmm29, %xmm8, %xmm19
	form vpsravd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsravd %ymm29, %ymm8, %ymm19
	form vpsravd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsravd %zmm29, %zmm8, %zmm19
	form vpsravd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsravd ", ", %zmm8, %zmm19"
	mem "vpsravd ", ", %xmm17, %xmm30"
	mem "vpsravd ", "{1to16}, %zmm8, %zmm19"
	mem "vpsravd ", "{1to4}, %xmm8, %xmm19"
	form vpermi2d %xmm29, %xmm8, %xmm19
	form vpermi2d %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermi2d %ymm29, %ymm8, %ymm19
	form vpermi2d %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermi2d %zmm29, %zmm8, %zmm19
	form vpermi2d %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermi2d ", ", %zmm8, %zmm19"
	mem "vpermi2d ", ", %xmm17, %xmm30"
	mem "vpermi2d ", "{1to16}, %zmm8, %zmm19"
	mem "vpermi2d ", "{1to4}, %xmm8, %xmm19"
	form vpermt2d %xmm29, %xmm8, %xmm19
	form vpermt2d %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermt2d %ymm29, %ymm8, %ymm19
	form vpermt2d %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermt2d %zmm29, %zmm8, %zmm19
	form vpermt2d %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermt2d ", ", %zmm8, %zmm19"
	mem "vpermt2d ", ", %xmm17, %xmm30"
	mem "vpermt2d ", "{1to16}, %zmm8, %zmm19"
	mem "vpermt2d ", "{1to4}, %xmm8, %xmm19"
	form vpblendmd %xmm29, %xmm8, %xmm19
	form vpblendmd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpblendmd %ymm29, %ymm8, %ymm19
	form vpblendmd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpblendmd %zmm29, %zmm8, %zmm19
	form vpblendmd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpblendmd ", ", %zmm8, %zmm19"
	mem "vpblendmd ", ", %xmm17, %xmm30"
	mem "vpblendmd ", "{1to16}, %zmm8, %zmm19"
	mem "vpblendmd ", "{1to4}, %xmm8, %xmm19"
	form vpdpbusd %xmm29, %xmm8, %xmm19
	form vpdpbusd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpdpbusd %ymm29, %ymm8, %ymm19
	form vpdpbusd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpdpbusd %zmm29, %zmm8, %zmm19
	form vpdpbusd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpdpbusd ", ", %zmm8, %zmm19"
	mem "vpdpbusd ", ", %xmm17, %xmm30"
	mem "vpdpbusd ", "{1to16}, %zmm8, %zmm19"
	mem "vpdpbusd ", "{1to4}, %xmm8, %xmm19"
	form vpdpbusds %xmm29, %xmm8, %xmm19
	form vpdpbusds %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpdpbusds %ymm29, %ymm8, %ymm19
	form vpdpbusds %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpdpbusds %zmm29, %zmm8, %zmm19
	form vpdpbusds %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpdpbusds ", ", %zmm8, %zmm19"
	mem "vpdpbusds ", ", %xmm17, %xmm30"
	mem "vpdpbusds ", "{1to16}, %zmm8, %zmm19"
	mem "vpdpbusds ", "{1to4}, %xmm8, %xmm19"
	form vpdpwssd %xmm29, %xmm8, %xmm19
	form vpdpwssd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpdpwssd %ymm29, %ymm8, %ymm19
	form vpdpwssd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpdpwssd %zmm29, %zmm8, %zmm19
	form vpdpwssd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpdpwssd ", ", %zmm8, %zmm19"
	mem "vpdpwssd ", ", %xmm17, %xmm30"
	mem "vpdpwssd ", "{1to16}, %zmm8, %zmm19"
	mem "vpdpwssd ", "{1to4}, %xmm8, %xmm19"
	form vpdpwssds %xmm29, %xmm8, %xmm19
	form vpdpwssds %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpdpwssds %ymm29, %ymm8, %ymm19
	form vpdpwssds %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpdpwssds %zmm29, %zmm8, %zmm19
	form vpdpwssds %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpdpwssds ", ", %zmm8, %zmm19"
	mem "vpdpwssds ", ", %xmm17, %xmm30"
	mem "vpdpwssds ", "{1to16}, %zmm8, %zmm19"
	mem "vpdpwssds ", "{1to4}, %xmm8, %xmm19"
	form vpshldvd %xmm29, %xmm8, %xmm19
	form vpshldvd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshldvd %ymm29, %ymm8, %ymm19
	form vpshldvd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshldvd %zmm29, %zmm8, %zmm19
	form vpshldvd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshldvd ", ", %zmm8, %zmm19"
	mem "vpshldvd ", ", %xmm17, %xmm30"
	mem "vpshldvd ", "{1to16}, %zmm8, %zmm19"
	mem "vpshldvd ", "{1to4}, %xmm8, %xmm19"
	form vpshrdvd %xmm29, %xmm8, %xmm19
	form vpshrdvd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshrdvd %ymm29, %ymm8, %ymm19
	form vpshrdvd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshrdvd %zmm29, %zmm8, %zmm19
	form vpshrdvd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshrdvd ", ", %zmm8, %zmm19"
	mem "vpshrdvd ", ", %xmm17, %xmm30"
	mem "vpshrdvd ", "{1to16}, %zmm8, %zmm19"
	mem "vpshrdvd ", "{1to4}, %xmm8, %xmm19"
	form vpaddq %xmm29, %xmm8, %xmm19
	form vpaddq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddq %ymm29, %ymm8, %ymm19
	form vpaddq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddq %zmm29, %zmm8, %zmm19
	form vpaddq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddq ", ", %zmm8, %zmm19"
	mem "vpaddq ", ", %xmm17, %xmm30"
	mem "vpaddq ", "{1to8}, %zmm8, %zmm19"
	mem "vpaddq ", "{1to2}, %xmm8, %xmm19"
	form vpsubq %xmm29, %xmm8, %xmm19
	form vpsubq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubq %ymm29, %ymm8, %ymm19
	form vpsubq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubq %zmm29, %zmm8, %zmm19
	form vpsubq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubq ", ", %zmm8, %zmm19"
	mem "vpsubq ", ", %xmm17, %xmm30"
	mem "vpsubq ", "{1to8}, %zmm8, %zmm19"
	mem "vpsubq ", "{1to2}, %xmm8, %xmm19"
	form vpmullq %xmm29, %xmm8, %xmm19
	form vpmullq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmullq %ymm29, %ymm8, %ymm19
	form vpmullq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmullq %zmm29, %zmm8, %zmm19
	form vpmullq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmullq ", ", %zmm8, %zmm19"
	mem "vpmullq ", ", %xmm17, %xmm30"
	mem "vpmullq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmullq ", "{1to2}, %xmm8, %xmm19"
	form vpmuludq %xmm29, %xmm8, %xmm19
	form vpmuludq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmuludq %ymm29, %ymm8, %ymm19
	form vpmuludq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmuludq %zmm29, %zmm8, %zmm19
	form vpmuludq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmuludq ", ", %zmm8, %zmm19"
	mem "vpmuludq ", ", %xmm17, %xmm30"
	mem "vpmuludq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmuludq ", "{1to2}, %xmm8, %xmm19"
	form vpmuldq %xmm29, %xmm8, %xmm19
	form vpmuldq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmuldq %ymm29, %ymm8, %ymm19
	form vpmuldq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmuldq %zmm29, %zmm8, %zmm19
	form vpmuldq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmuldq ", ", %zmm8, %zmm19"
	mem "vpmuldq ", ", %xmm17, %xmm30"
	mem "vpmuldq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmuldq ", "{1to2}, %xmm8, %xmm19"
	form vpandq %xmm29, %xmm8, %xmm19
	form vpandq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpandq %ymm29, %ymm8, %ymm19
	form vpandq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpandq %zmm29, %zmm8, %zmm19
	form vpandq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpandq ", ", %zmm8, %zmm19"
	mem "vpandq ", ", %xmm17, %xmm30"
	mem "vpandq ", "{1to8}, %zmm8, %zmm19"
	mem "vpandq ", "{1to2}, %xmm8, %xmm19"
	form vpandnq %xmm29, %xmm8, %xmm19
	form vpandnq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpandnq %ymm29, %ymm8, %ymm19
	form vpandnq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpandnq %zmm29, %zmm8, %zmm19
	form vpandnq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpandnq ", ", %zmm8, %zmm19"
	mem "vpandnq ", ", %xmm17, %xmm30"
	mem "vpandnq ", "{1to8}, %zmm8, %zmm19"
	mem "vpandnq ", "{1to2}, %xmm8, %xmm19"
	form vporq %xmm29, %xmm8, %xmm19
	form vporq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vporq %ymm29, %ymm8, %ymm19
	form vporq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vporq %zmm29, %zmm8, %zmm19
	form vporq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vporq ", ", %zmm8, %zmm19"
	mem "vporq ", ", %xmm17, %xmm30"
	mem "vporq ", "{1to8}, %zmm8, %zmm19"
	mem "vporq ", "{1to2}, %xmm8, %xmm19"
	form vpxorq %xmm29, %xmm8, %xmm19
	form vpxorq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpxorq %ymm29, %ymm8, %ymm19
	form vpxorq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpxorq %zmm29, %zmm8, %zmm19
	form vpxorq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpxorq ", ", %zmm8, %zmm19"
	mem "vpxorq ", ", %xmm17, %xmm30"
	mem "vpxorq ", "{1to8}, %zmm8, %zmm19"
	mem "vpxorq ", "{1to2}, %xmm8, %xmm19"
	form vpminsq %xmm29, %xmm8, %xmm19
	form vpminsq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminsq %ymm29, %ymm8, %ymm19
	form vpminsq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminsq %zmm29, %zmm8, %zmm19
	form vpminsq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminsq ", ", %zmm8, %zmm19"
	mem "vpminsq ", ", %xmm17, %xmm30"
	mem "vpminsq ", "{1to8}, %zmm8, %zmm19"
	mem "vpminsq ", "{1to2}, %xmm8, %xmm19"
	form vpminuq %xmm29, %xmm8, %xmm19
	form vpminuq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminuq %ymm29, %ymm8, %ymm19
	form vpminuq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminuq %zmm29, %zmm8, %zmm19
	form vpminuq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminuq ", ", %zmm8, %zmm19"
	mem "vpminuq ", ", %xmm17, %xmm30"
	mem "vpminuq ", "{1to8}, %zmm8, %zmm19"
	mem "vpminuq ", "{1to2}, %xmm8, %xmm19"
	form vpmaxsq %xmm29, %xmm8, %xmm19
	form vpmaxsq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxsq %ymm29, %ymm8, %ymm19
	form vpmaxsq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxsq %zmm29, %zmm8, %zmm19
	form vpmaxsq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxsq ", ", %zmm8, %zmm19"
	mem "vpmaxsq ", ", %xmm17, %xmm30"
	mem "vpmaxsq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmaxsq ", "{1to2}, %xmm8, %xmm19"
	form vpmaxuq %xmm29, %xmm8, %xmm19
	form vpmaxuq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxuq %ymm29, %ymm8, %ymm19
	form vpmaxuq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxuq %zmm29, %zmm8, %zmm19
	form vpmaxuq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxuq ", ", %zmm8, %zmm19"
	mem "vpmaxuq ", ", %xmm17, %xmm30"
	mem "vpmaxuq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmaxuq ", "{1to2}, %xmm8, %xmm19"
	form vpunpcklqdq %xmm29, %xmm8, %xmm19
	form vpunpcklqdq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpcklqdq %ymm29, %ymm8, %ymm19
	form vpunpcklqdq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpcklqdq %zmm29, %zmm8, %zmm19
	form vpunpcklqdq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpcklqdq ", ", %zmm8, %zmm19"
	mem "vpunpcklqdq ", ", %xmm17, %xmm30"
	mem "vpunpcklqdq ", "{1to8}, %zmm8, %zmm19"
	mem "vpunpcklqdq ", "{1to2}, %xmm8, %xmm19"
	form vpunpckhqdq %xmm29, %xmm8, %xmm19
	form vpunpckhqdq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpckhqdq %ymm29, %ymm8, %ymm19
	form vpunpckhqdq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpckhqdq %zmm29, %zmm8, %zmm19
	form vpunpckhqdq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpckhqdq ", ", %zmm8, %zmm19"
	mem "vpunpckhqdq ", ", %xmm17, %xmm30"
	mem "vpunpckhqdq ", "{1to8}, %zmm8, %zmm19"
	mem "vpunpckhqdq ", "{1to2}, %xmm8, %xmm19"
	form vprolvq %xmm29, %xmm8, %xmm19
	form vprolvq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vprolvq %ymm29, %ymm8, %ymm19
	form vprolvq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vprolvq %zmm29, %zmm8, %zmm19
	form vprolvq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vprolvq ", ", %zmm8, %zmm19"
	mem "vprolvq ", ", %xmm17, %xmm30"
	mem "vprolvq ", "{1to8}, %zmm8, %zmm19"
	mem "vprolvq ", "{1to2}, %xmm8, %xmm19"
	form vprorvq %xmm29, %xmm8, %xmm19
	form vprorvq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vprorvq %ymm29, %ymm8, %ymm19
	form vprorvq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vprorvq %zmm29, %zmm8, %zmm19
	form vprorvq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vprorvq ", ", %zmm8, %zmm19"
	mem "vprorvq ", ", %xmm17, %xmm30"
	mem "vprorvq ", "{1to8}, %zmm8, %zmm19"
	mem "vprorvq ", "{1to2}, %xmm8, %xmm19"
	form vpsllvq %xmm29, %xmm8, %xmm19
	form vpsllvq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsllvq %ymm29, %ymm8, %ymm19
	form vpsllvq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsllvq %zmm29, %zmm8, %zmm19
	form vpsllvq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsllvq ", ", %zmm8, %zmm19"
	mem "vpsllvq ", ", %xmm17, %xmm30"
	mem "vpsllvq ", "{1to8}, %zmm8, %zmm19"
	mem "vpsllvq ", "{1to2}, %xmm8, %xmm19"
	form vpsrlvq %xmm29, %xmm8, %xmm19
	form vpsrlvq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsrlvq %ymm29, %ymm8, %ymm19
	form vpsrlvq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsrlvq %zmm29, %zmm8, %zmm19
	form vpsrlvq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsrlvq ", ", %zmm8, %zmm19"
	mem "vpsrlvq ", ", %xmm17, %xmm30"
	mem "vpsrlvq ", "{1to8}, %zmm8, %zmm19"
	mem "vpsrlvq ", "{1to2}, %xmm8, %xmm19"
	form vpsravq %xmm29, %xmm8, %xmm19
	form vpsravq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsravq %ymm29, %ymm8, %ymm19
	form vpsravq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsravq %zmm29, %zmm8, %zmm19
	form vpsravq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsravq ", ", %zmm8, %zmm19"
	mem "vpsravq ", ", %xmm17, %xmm30"
	mem "vpsravq ", "{1to8}, %zmm8, %zmm19"
	mem "vpsravq ", "{1to2}, %xmm8, %xmm19"
	form vpermi2q %xmm29, %xmm8, %xmm19
	form vpermi2q %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermi2q %ymm29, %ymm8, %ymm19
	form vpermi2q %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermi2q %zmm29, %zmm8, %zmm19
	form vpermi2q %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermi2q ", ", %zmm8, %zmm19"
	mem "vpermi2q ", ", %xmm17, %xmm30"
	mem "vpermi2q ", "{1to8}, %zmm8, %zmm19"
	mem "vpermi2q ", "{1to2}, %xmm8, %xmm19"
	form vpermt2q %xmm29, %xmm8, %xmm19
	form vpermt2q %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermt2q %ymm29, %ymm8, %ymm19
	form vpermt2q %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermt2q %zmm29, %zmm8, %zmm19
	form vpermt2q %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermt2q ", ", %zmm8, %zmm19"
	mem "vpermt2q ", ", %xmm17, %xmm30"
	mem "vpermt2q ", "{1to8}, %zmm8, %zmm19"
	mem "vpermt2q ", "{1to2}, %xmm8, %xmm19"
	form vpblendmq %xmm29, %xmm8, %xmm19
	form vpblendmq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpblendmq %ymm29, %ymm8, %ymm19
	form vpblendmq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpblendmq %zmm29, %zmm8, %zmm19
	form vpblendmq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpblendmq ", ", %zmm8, %zmm19"
	mem "vpblendmq ", ", %xmm17, %xmm30"
	mem "vpblendmq ", "{1to8}, %zmm8, %zmm19"
	mem "vpblendmq ", "{1to2}, %xmm8, %xmm19"
	form vpmadd52luq %xmm29, %xmm8, %xmm19
	form vpmadd52luq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmadd52luq %ymm29, %ymm8, %ymm19
	form vpmadd52luq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmadd52luq %zmm29, %zmm8, %zmm19
	form vpmadd52luq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmadd52luq ", ", %zmm8, %zmm19"
	mem "vpmadd52luq ", ", %xmm17, %xmm30"
	mem "vpmadd52luq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmadd52luq ", "{1to2}, %xmm8, %xmm19"
	form vpmadd52huq %xmm29, %xmm8, %xmm19
	form vpmadd52huq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmadd52huq %ymm29, %ymm8, %ymm19
	form vpmadd52huq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmadd52huq %zmm29, %zmm8, %zmm19
	form vpmadd52huq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmadd52huq ", ", %zmm8, %zmm19"
	mem "vpmadd52huq ", ", %xmm17, %xmm30"
	mem "vpmadd52huq ", "{1to8}, %zmm8, %zmm19"
	mem "vpmadd52huq ", "{1to2}, %xmm8, %xmm19"
	form vpmultishiftqb %xmm29, %xmm8, %xmm19
	form vpmultishiftqb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmultishiftqb %ymm29, %ymm8, %ymm19
	form vpmultishiftqb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmultishiftqb %zmm29, %zmm8, %zmm19
	form vpmultishiftqb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmultishiftqb ", ", %zmm8, %zmm19"
	mem "vpmultishiftqb ", ", %xmm17, %xmm30"
	mem "vpmultishiftqb ", "{1to8}, %zmm8, %zmm19"
	mem "vpmultishiftqb ", "{1to2}, %xmm8, %xmm19"
	form vpshldvq %xmm29, %xmm8, %xmm19
	form vpshldvq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshldvq %ymm29, %ymm8, %ymm19
	form vpshldvq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshldvq %zmm29, %zmm8, %zmm19
	form vpshldvq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshldvq ", ", %zmm8, %zmm19"
	mem "vpshldvq ", ", %xmm17, %xmm30"
	mem "vpshldvq ", "{1to8}, %zmm8, %zmm19"
	mem "vpshldvq ", "{1to2}, %xmm8, %xmm19"
	form vpshrdvq %xmm29, %xmm8, %xmm19
	form vpshrdvq %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshrdvq %ymm29, %ymm8, %ymm19
	form vpshrdvq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshrdvq %zmm29, %zmm8, %zmm19
	form vpshrdvq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshrdvq ", ", %zmm8, %zmm19"
	mem "vpshrdvq ", ", %xmm17, %xmm30"
	mem "vpshrdvq ", "{1to8}, %zmm8, %zmm19"
	mem "vpshrdvq ", "{1to2}, %xmm8, %xmm19"
	form vpaddb %xmm29, %xmm8, %xmm19
	form vpaddb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddb %ymm29, %ymm8, %ymm19
	form vpaddb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddb %zmm29, %zmm8, %zmm19
	form vpaddb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddb ", ", %zmm8, %zmm19"
	mem "vpaddb ", ", %xmm17, %xmm30"
	form vpaddw %xmm29, %xmm8, %xmm19
	form vpaddw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddw %ymm29, %ymm8, %ymm19
	form vpaddw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddw %zmm29, %zmm8, %zmm19
	form vpaddw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddw ", ", %zmm8, %zmm19"
	mem "vpaddw ", ", %xmm17, %xmm30"
	form vpsubb %xmm29, %xmm8, %xmm19
	form vpsubb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubb %ymm29, %ymm8, %ymm19
	form vpsubb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubb %zmm29, %zmm8, %zmm19
	form vpsubb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubb ", ", %zmm8, %zmm19"
	mem "vpsubb ", ", %xmm17, %xmm30"
	form vpsubw %xmm29, %xmm8, %xmm19
	form vpsubw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubw %ymm29, %ymm8, %ymm19
	form vpsubw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubw %zmm29, %zmm8, %zmm19
	form vpsubw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubw ", ", %zmm8, %zmm19"
	mem "vpsubw ", ", %xmm17, %xmm30"
	form vpaddsb %xmm29, %xmm8, %xmm19
	form vpaddsb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddsb %ymm29, %ymm8, %ymm19
	form vpaddsb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddsb %zmm29, %zmm8, %zmm19
	form vpaddsb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddsb ", ", %zmm8, %zmm19"
	mem "vpaddsb ", ", %xmm17, %xmm30"
	form vpaddsw %xmm29, %xmm8, %xmm19
	form vpaddsw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddsw %ymm29, %ymm8, %ymm19
	form vpaddsw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddsw %zmm29, %zmm8, %zmm19
	form vpaddsw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddsw ", ", %zmm8, %zmm19"
	mem "vpaddsw ", ", %xmm17, %xmm30"
	form vpaddusb %xmm29, %xmm8, %xmm19
	form vpaddusb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddusb %ymm29, %ymm8, %ymm19
	form vpaddusb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddusb %zmm29, %zmm8, %zmm19
	form vpaddusb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddusb ", ", %zmm8, %zmm19"
	mem "vpaddusb ", ", %xmm17, %xmm30"
	form vpaddusw %xmm29, %xmm8, %xmm19
	form vpaddusw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpaddusw %ymm29, %ymm8, %ymm19
	form vpaddusw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpaddusw %zmm29, %zmm8, %zmm19
	form vpaddusw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpaddusw ", ", %zmm8, %zmm19"
	mem "vpaddusw ", ", %xmm17, %xmm30"
	form vpsubsb %xmm29, %xmm8, %xmm19
	form vpsubsb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubsb %ymm29, %ymm8, %ymm19
	form vpsubsb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubsb %zmm29, %zmm8, %zmm19
	form vpsubsb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubsb ", ", %zmm8, %zmm19"
	mem "vpsubsb ", ", %xmm17, %xmm30"
	form vpsubsw %xmm29, %xmm8, %xmm19
	form vpsubsw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubsw %ymm29, %ymm8, %ymm19
	form vpsubsw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubsw %zmm29, %zmm8, %zmm19
	form vpsubsw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubsw ", ", %zmm8, %zmm19"
	mem "vpsubsw ", ", %xmm17, %xmm30"
	form vpsubusb %xmm29, %xmm8, %xmm19
	form vpsubusb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubusb %ymm29, %ymm8, %ymm19
	form vpsubusb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubusb %zmm29, %zmm8, %zmm19
	form vpsubusb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubusb ", ", %zmm8, %zmm19"
	mem "vpsubusb ", ", %xmm17, %xmm30"
	form vpsubusw %xmm29, %xmm8, %xmm19
	form vpsubusw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsubusw %ymm29, %ymm8, %ymm19
	form vpsubusw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsubusw %zmm29, %zmm8, %zmm19
	form vpsubusw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsubusw ", ", %zmm8, %zmm19"
	mem "vpsubusw ", ", %xmm17, %xmm30"
	form vpmullw %xmm29, %xmm8, %xmm19
	form vpmullw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmullw %ymm29, %ymm8, %ymm19
	form vpmullw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmullw %zmm29, %zmm8, %zmm19
	form vpmullw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmullw ", ", %zmm8, %zmm19"
	mem "vpmullw ", ", %xmm17, %xmm30"
	form vpmulhw %xmm29, %xmm8, %xmm19
	form vpmulhw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmulhw %ymm29, %ymm8, %ymm19
	form vpmulhw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmulhw %zmm29, %zmm8, %zmm19
	form vpmulhw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmulhw ", ", %zmm8, %zmm19"
	mem "vpmulhw ", ", %xmm17, %xmm30"
	form vpmulhuw %xmm29, %xmm8, %xmm19
	form vpmulhuw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmulhuw %ymm29, %ymm8, %ymm19
	form vpmulhuw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmulhuw %zmm29, %zmm8, %zmm19
	form vpmulhuw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmulhuw ", ", %zmm8, %zmm19"
	mem "vpmulhuw ", ", %xmm17, %xmm30"
	form vpmulhrsw %xmm29, %xmm8, %xmm19
	form vpmulhrsw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmulhrsw %ymm29, %ymm8, %ymm19
	form vpmulhrsw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmulhrsw %zmm29, %zmm8, %zmm19
	form vpmulhrsw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmulhrsw ", ", %zmm8, %zmm19"
	mem "vpmulhrsw ", ", %xmm17, %xmm30"
	form vpmaddwd %xmm29, %xmm8, %xmm19
	form vpmaddwd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaddwd %ymm29, %ymm8, %ymm19
	form vpmaddwd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaddwd %zmm29, %zmm8, %zmm19
	form vpmaddwd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaddwd ", ", %zmm8, %zmm19"
	mem "vpmaddwd ", ", %xmm17, %xmm30"
	form vpmaddubsw %xmm29, %xmm8, %xmm19
	form vpmaddubsw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaddubsw %ymm29, %ymm8, %ymm19
	form vpmaddubsw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaddubsw %zmm29, %zmm8, %zmm19
	form vpmaddubsw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaddubsw ", ", %zmm8, %zmm19"
	mem "vpmaddubsw ", ", %xmm17, %xmm30"
	form vpavgb %xmm29, %xmm8, %xmm19
	form vpavgb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpavgb %ymm29, %ymm8, %ymm19
	form vpavgb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpavgb %zmm29, %zmm8, %zmm19
	form vpavgb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpavgb ", ", %zmm8, %zmm19"
	mem "vpavgb ", ", %xmm17, %xmm30"
	form vpavgw %xmm29, %xmm8, %xmm19
	form vpavgw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpavgw %ymm29, %ymm8, %ymm19
	form vpavgw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpavgw %zmm29, %zmm8, %zmm19
	form vpavgw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpavgw ", ", %zmm8, %zmm19"
	mem "vpavgw ", ", %xmm17, %xmm30"
	form vpminsb %xmm29, %xmm8, %xmm19
	form vpminsb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminsb %ymm29, %ymm8, %ymm19
	form vpminsb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminsb %zmm29, %zmm8, %zmm19
	form vpminsb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminsb ", ", %zmm8, %zmm19"
	mem "vpminsb ", ", %xmm17, %xmm30"
	form vpminsw %xmm29, %xmm8, %xmm19
	form vpminsw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminsw %ymm29, %ymm8, %ymm19
	form vpminsw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminsw %zmm29, %zmm8, %zmm19
	form vpminsw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminsw ", ", %zmm8, %zmm19"
	mem "vpminsw ", ", %xmm17, %xmm30"
	form vpminub %xmm29, %xmm8, %xmm19
	form vpminub %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminub %ymm29, %ymm8, %ymm19
	form vpminub %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminub %zmm29, %zmm8, %zmm19
	form vpminub %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminub ", ", %zmm8, %zmm19"
	mem "vpminub ", ", %xmm17, %xmm30"
	form vpminuw %xmm29, %xmm8, %xmm19
	form vpminuw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpminuw %ymm29, %ymm8, %ymm19
	form vpminuw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpminuw %zmm29, %zmm8, %zmm19
	form vpminuw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpminuw ", ", %zmm8, %zmm19"
	mem "vpminuw ", ", %xmm17, %xmm30"
	form vpmaxsb %xmm29, %xmm8, %xmm19
	form vpmaxsb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxsb %ymm29, %ymm8, %ymm19
	form vpmaxsb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxsb %zmm29, %zmm8, %zmm19
	form vpmaxsb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxsb ", ", %zmm8, %zmm19"
	mem "vpmaxsb ", ", %xmm17, %xmm30"
	form vpmaxsw %xmm29, %xmm8, %xmm19
	form vpmaxsw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxsw %ymm29, %ymm8, %ymm19
	form vpmaxsw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxsw %zmm29, %zmm8, %zmm19
	form vpmaxsw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxsw ", ", %zmm8, %zmm19"
	mem "vpmaxsw ", ", %xmm17, %xmm30"
	form vpmaxub %xmm29, %xmm8, %xmm19
	form vpmaxub %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxub %ymm29, %ymm8, %ymm19
	form vpmaxub %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxub %zmm29, %zmm8, %zmm19
	form vpmaxub %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxub ", ", %zmm8, %zmm19"
	mem "vpmaxub ", ", %xmm17, %xmm30"
	form vpmaxuw %xmm29, %xmm8, %xmm19
	form vpmaxuw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpmaxuw %ymm29, %ymm8, %ymm19
	form vpmaxuw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpmaxuw %zmm29, %zmm8, %zmm19
	form vpmaxuw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpmaxuw ", ", %zmm8, %zmm19"
	mem "vpmaxuw ", ", %xmm17, %xmm30"
	form vpunpcklbw %xmm29, %xmm8, %xmm19
	form vpunpcklbw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpcklbw %ymm29, %ymm8, %ymm19
	form vpunpcklbw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpcklbw %zmm29, %zmm8, %zmm19
	form vpunpcklbw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpcklbw ", ", %zmm8, %zmm19"
	mem "vpunpcklbw ", ", %xmm17, %xmm30"
	form vpunpcklwd %xmm29, %xmm8, %xmm19
	form vpunpcklwd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpcklwd %ymm29, %ymm8, %ymm19
	form vpunpcklwd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpcklwd %zmm29, %zmm8, %zmm19
	form vpunpcklwd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpcklwd ", ", %zmm8, %zmm19"
	mem "vpunpcklwd ", ", %xmm17, %xmm30"
	form vpunpckhbw %xmm29, %xmm8, %xmm19
	form vpunpckhbw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpckhbw %ymm29, %ymm8, %ymm19
	form vpunpckhbw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpckhbw %zmm29, %zmm8, %zmm19
	form vpunpckhbw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpckhbw ", ", %zmm8, %zmm19"
	mem "vpunpckhbw ", ", %xmm17, %xmm30"
	form vpunpckhwd %xmm29, %xmm8, %xmm19
	form vpunpckhwd %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpunpckhwd %ymm29, %ymm8, %ymm19
	form vpunpckhwd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpunpckhwd %zmm29, %zmm8, %zmm19
	form vpunpckhwd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpunpckhwd ", ", %zmm8, %zmm19"
	mem "vpunpckhwd ", ", %xmm17, %xmm30"
	form vpacksswb %xmm29, %xmm8, %xmm19
	form vpacksswb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpacksswb %ymm29, %ymm8, %ymm19
	form vpacksswb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpacksswb %zmm29, %zmm8, %zmm19
	form vpacksswb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpacksswb ", ", %zmm8, %zmm19"
	mem "vpacksswb ", ", %xmm17, %xmm30"
	form vpackuswb %xmm29, %xmm8, %xmm19
	form vpackuswb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpackuswb %ymm29, %ymm8, %ymm19
	form vpackuswb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpackuswb %zmm29, %zmm8, %zmm19
	form vpackuswb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpackuswb ", ", %zmm8, %zmm19"
	mem "vpackuswb ", ", %xmm17, %xmm30"
	form vpshufb %xmm29, %xmm8, %xmm19
	form vpshufb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshufb %ymm29, %ymm8, %ymm19
	form vpshufb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshufb %zmm29, %zmm8, %zmm19
	form vpshufb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshufb ", ", %zmm8, %zmm19"
	mem "vpshufb ", ", %xmm17, %xmm30"
	form vpsllvw %xmm29, %xmm8, %xmm19
	form vpsllvw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsllvw %ymm29, %ymm8, %ymm19
	form vpsllvw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsllvw %zmm29, %zmm8, %zmm19
	form vpsllvw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsllvw ", ", %zmm8, %zmm19"
	mem "vpsllvw ", ", %xmm17, %xmm30"
	form vpsrlvw %xmm29, %xmm8, %xmm19
	form vpsrlvw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsrlvw %ymm29, %ymm8, %ymm19
	form vpsrlvw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsrlvw %zmm29, %zmm8, %zmm19
	form vpsrlvw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsrlvw ", ", %zmm8, %zmm19"
	mem "vpsrlvw ", ", %xmm17, %xmm30"
	form vpsravw %xmm29, %xmm8, %xmm19
	form vpsravw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpsravw %ymm29, %ymm8, %ymm19
	form vpsravw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpsravw %zmm29, %zmm8, %zmm19
	form vpsravw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpsravw ", ", %zmm8, %zmm19"
	mem "vpsravw ", ", %xmm17, %xmm30"
	form vpermb %xmm29, %xmm8, %xmm19
	form vpermb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermb %ymm29, %ymm8, %ymm19
	form vpermb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermb %zmm29, %zmm8, %zmm19
	form vpermb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermb ", ", %zmm8, %zmm19"
	mem "vpermb ", ", %xmm17, %xmm30"
	form vpermw %xmm29, %xmm8, %xmm19
	form vpermw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermw %ymm29, %ymm8, %ymm19
	form vpermw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermw %zmm29, %zmm8, %zmm19
	form vpermw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermw ", ", %zmm8, %zmm19"
	mem "vpermw ", ", %xmm17, %xmm30"
	form vpermi2b %xmm29, %xmm8, %xmm19
	form vpermi2b %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermi2b %ymm29, %ymm8, %ymm19
	form vpermi2b %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermi2b %zmm29, %zmm8, %zmm19
	form vpermi2b %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermi2b ", ", %zmm8, %zmm19"
	mem "vpermi2b ", ", %xmm17, %xmm30"
	form vpermi2w %xmm29, %xmm8, %xmm19
	form vpermi2w %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermi2w %ymm29, %ymm8, %ymm19
	form vpermi2w %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermi2w %zmm29, %zmm8, %zmm19
	form vpermi2w %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermi2w ", ", %zmm8, %zmm19"
	mem "vpermi2w ", ", %xmm17, %xmm30"
	form vpermt2b %xmm29, %xmm8, %xmm19
	form vpermt2b %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermt2b %ymm29, %ymm8, %ymm19
	form vpermt2b %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermt2b %zmm29, %zmm8, %zmm19
	form vpermt2b %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermt2b ", ", %zmm8, %zmm19"
	mem "vpermt2b ", ", %xmm17, %xmm30"
	form vpermt2w %xmm29, %xmm8, %xmm19
	form vpermt2w %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpermt2w %ymm29, %ymm8, %ymm19
	form vpermt2w %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermt2w %zmm29, %zmm8, %zmm19
	form vpermt2w %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermt2w ", ", %zmm8, %zmm19"
	mem "vpermt2w ", ", %xmm17, %xmm30"
	form vpblendmb %xmm29, %xmm8, %xmm19
	form vpblendmb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpblendmb %ymm29, %ymm8, %ymm19
	form vpblendmb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpblendmb %zmm29, %zmm8, %zmm19
	form vpblendmb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpblendmb ", ", %zmm8, %zmm19"
	mem "vpblendmb ", ", %xmm17, %xmm30"
	form vpblendmw %xmm29, %xmm8, %xmm19
	form vpblendmw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpblendmw %ymm29, %ymm8, %ymm19
	form vpblendmw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpblendmw %zmm29, %zmm8, %zmm19
	form vpblendmw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpblendmw ", ", %zmm8, %zmm19"
	mem "vpblendmw ", ", %xmm17, %xmm30"
	form vpshldvw %xmm29, %xmm8, %xmm19
	form vpshldvw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshldvw %ymm29, %ymm8, %ymm19
	form vpshldvw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshldvw %zmm29, %zmm8, %zmm19
	form vpshldvw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshldvw ", ", %zmm8, %zmm19"
	mem "vpshldvw ", ", %xmm17, %xmm30"
	form vpshrdvw %xmm29, %xmm8, %xmm19
	form vpshrdvw %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshrdvw %ymm29, %ymm8, %ymm19
	form vpshrdvw %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshrdvw %zmm29, %zmm8, %zmm19
	form vpshrdvw %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshrdvw ", ", %zmm8, %zmm19"
	mem "vpshrdvw ", ", %xmm17, %xmm30"
	form vgf2p8mulb %xmm29, %xmm8, %xmm19
	form vgf2p8mulb %xmm1, %xmm2, %xmm19{%k4}{z}
	form vgf2p8mulb %ymm29, %ymm8, %ymm19
	form vgf2p8mulb %ymm1, %ymm2, %ymm19{%k4}{z}
	form vgf2p8mulb %zmm29, %zmm8, %zmm19
	form vgf2p8mulb %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vgf2p8mulb ", ", %zmm8, %zmm19"
	mem "vgf2p8mulb ", ", %xmm17, %xmm30"
	form vpsadbw %xmm29, %xmm8, %xmm19
	mem "vpsadbw", ", %xmm18, %xmm19"
	form vpsadbw %ymm29, %ymm8, %ymm19
	mem "vpsadbw", ", %ymm18, %ymm19"
	form vpsadbw %zmm29, %zmm8, %zmm19
	mem "vpsadbw", ", %zmm18, %zmm19"
	form vaesenc %xmm29, %xmm8, %xmm19
	mem "vaesenc", ", %xmm18, %xmm19"
	form vaesenc %ymm29, %ymm8, %ymm19
	mem "vaesenc", ", %ymm18, %ymm19"
	form vaesenc %zmm29, %zmm8, %zmm19
	mem "vaesenc", ", %zmm18, %zmm19"
	form vaesenclast %xmm29, %xmm8, %xmm19
	mem "vaesenclast", ", %xmm18, %xmm19"
	form vaesenclast %ymm29, %ymm8, %ymm19
	mem "vaesenclast", ", %ymm18, %ymm19"
	form vaesenclast %zmm29, %zmm8, %zmm19
	mem "vaesenclast", ", %zmm18, %zmm19"
	form vaesdec %xmm29, %xmm8, %xmm19
	mem "vaesdec", ", %xmm18, %xmm19"
	form vaesdec %ymm29, %ymm8, %ymm19
	mem "vaesdec", ", %ymm18, %ymm19"
	form vaesdec %zmm29, %zmm8, %zmm19
	mem "vaesdec", ", %zmm18, %zmm19"
	form vaesdeclast %xmm29, %xmm8, %xmm19
	mem "vaesdeclast", ", %xmm18, %xmm19"
	form vaesdeclast %ymm29, %ymm8, %ymm19
	mem "vaesdeclast", ", %ymm18, %ymm19"
	form vaesdeclast %zmm29, %zmm8, %zmm19
	mem "vaesdeclast", ", %zmm18, %zmm19"
	form vpclmulqdq $16, %xmm29, %xmm8, %xmm19
	mem "vpclmulqdq $1,", ", %xmm18, %xmm19"
	form vpclmulqdq $16, %ymm29, %ymm8, %ymm19
	mem "vpclmulqdq $1,", ", %ymm18, %ymm19"
	form vpclmulqdq $16, %zmm29, %zmm8, %zmm19
	mem "vpclmulqdq $1,", ", %zmm18, %zmm19"
	form vpermd %ymm29, %ymm8, %ymm19
	form vpermd %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermd %zmm29, %zmm8, %zmm19
	form vpermd %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermd ", ", %zmm8, %zmm19"
	mem "vpermd ", ", %ymm17, %ymm30"
	mem "vpermd ", "{1to16}, %zmm8, %zmm19"
	mem "vpermd ", "{1to8}, %ymm8, %ymm19"
	form vpermq %ymm29, %ymm8, %ymm19
	form vpermq %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpermq %zmm29, %zmm8, %zmm19
	form vpermq %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpermq ", ", %zmm8, %zmm19"
	mem "vpermq ", ", %ymm17, %ymm30"
	mem "vpermq ", "{1to8}, %zmm8, %zmm19"
	mem "vpermq ", "{1to4}, %ymm8, %ymm19"
	form vpabsd %xmm29, %xmm19
	form vpabsd %xmm2, %xmm3{%k4}{z}
	form vpabsd %ymm29, %ymm19
	form vpabsd %ymm2, %ymm3{%k4}{z}
	form vpabsd %zmm29, %zmm19
	form vpabsd %zmm2, %zmm3{%k4}{z}
	mem "vpabsd ", ", %zmm19"
	mem "vpabsd ", "{1to16}, %zmm19"
	mem "vpabsd ", ", %xmm19"
	mem "vpabsd ", "{1to4}, %xmm19"
	form vpconflictd %xmm29, %xmm19
	form vpconflictd %xmm2, %xmm3{%k4}{z}
	form vpconflictd %ymm29, %ymm19
	form vpconflictd %ymm2, %ymm3{%k4}{z}
	form vpconflictd %zmm29, %zmm19
	form vpconflictd %zmm2, %zmm3{%k4}{z}
	mem "vpconflictd ", ", %zmm19"
	mem "vpconflictd ", "{1to16}, %zmm19"
	mem "vpconflictd ", ", %xmm19"
	mem "vpconflictd ", "{1to4}, %xmm19"
	form vplzcntd %xmm29, %xmm19
	form vplzcntd %xmm2, %xmm3{%k4}{z}
	form vplzcntd %ymm29, %ymm19
	form vplzcntd %ymm2, %ymm3{%k4}{z}
	form vplzcntd %zmm29, %zmm19
	form vplzcntd %zmm2, %zmm3{%k4}{z}
	mem "vplzcntd ", ", %zmm19"
	mem "vplzcntd ", "{1to16}, %zmm19"
	mem "vplzcntd ", ", %xmm19"
	mem "vplzcntd ", "{1to4}, %xmm19"
	form vpopcntd %xmm29, %xmm19
	form vpopcntd %xmm2, %xmm3{%k4}{z}
	form vpopcntd %ymm29, %ymm19
	form vpopcntd %ymm2, %ymm3{%k4}{z}
	form vpopcntd %zmm29, %zmm19
	form vpopcntd %zmm2, %zmm3{%k4}{z}
	mem "vpopcntd ", ", %zmm19"
	mem "vpopcntd ", "{1to16}, %zmm19"
	mem "vpopcntd ", ", %xmm19"
	mem "vpopcntd ", "{1to4}, %xmm19"
	form vpabsq %xmm29, %xmm19
	form vpabsq %xmm2, %xmm3{%k4}{z}
	form vpabsq %ymm29, %ymm19
	form vpabsq %ymm2, %ymm3{%k4}{z}
	form vpabsq %zmm29, %zmm19
	form vpabsq %zmm2, %zmm3{%k4}{z}
	mem "vpabsq ", ", %zmm19"
	mem "vpabsq ", "{1to8}, %zmm19"
	mem "vpabsq ", ", %xmm19"
	mem "vpabsq ", "{1to2}, %xmm19"
	form vpconflictq %xmm29, %xmm19
	form vpconflictq %xmm2, %xmm3{%k4}{z}
	form vpconflictq %ymm29, %ymm19
	form vpconflictq %ymm2, %ymm3{%k4}{z}
	form vpconflictq %zmm29, %zmm19
	form vpconflictq %zmm2, %zmm3{%k4}{z}
	mem "vpconflictq ", ", %zmm19"
	mem "vpconflictq ", "{1to8}, %zmm19"
	mem "vpconflictq ", ", %xmm19"
	mem "vpconflictq ", "{1to2}, %xmm19"
	form vplzcntq %xmm29, %xmm19
	form vplzcntq %xmm2, %xmm3{%k4}{z}
	form vplzcntq %ymm29, %ymm19
	form vplzcntq %ymm2, %ymm3{%k4}{z}
	form vplzcntq %zmm29, %zmm19
	form vplzcntq %zmm2, %zmm3{%k4}{z}
	mem "vplzcntq ", ", %zmm19"
	mem "vplzcntq ", "{1to8}, %zmm19"
	mem "vplzcntq ", ", %xmm19"
	mem "vplzcntq ", "{1to2}, %xmm19"
	form vpopcntq %xmm29, %xmm19
	form vpopcntq %xmm2, %xmm3{%k4}{z}
	form vpopcntq %ymm29, %ymm19
	form vpopcntq %ymm2, %ymm3{%k4}{z}
	form vpopcntq %zmm29, %zmm19
	form vpopcntq %zmm2, %zmm3{%k4}{z}
	mem "vpopcntq ", ", %zmm19"
	mem "vpopcntq ", "{1to8}, %zmm19"
	mem "vpopcntq ", ", %xmm19"
	mem "vpopcntq ", "{1to2}, %xmm19"
	form vpabsb %xmm29, %xmm19
	form vpabsb %xmm2, %xmm3{%k4}{z}
	form vpabsb %ymm29, %ymm19
	form vpabsb %ymm2, %ymm3{%k4}{z}
	form vpabsb %zmm29, %zmm19
	form vpabsb %zmm2, %zmm3{%k4}{z}
	mem "vpabsb ", ", %zmm19"
	mem "vpabsb ", ", %xmm19"
	form vpabsw %xmm29, %xmm19
	form vpabsw %xmm2, %xmm3{%k4}{z}
	form vpabsw %ymm29, %ymm19
	form vpabsw %ymm2, %ymm3{%k4}{z}
	form vpabsw %zmm29, %zmm19
	form vpabsw %zmm2, %zmm3{%k4}{z}
	mem "vpabsw ", ", %zmm19"
	mem "vpabsw ", ", %xmm19"
	form vpopcntb %xmm29, %xmm19
	form vpopcntb %xmm2, %xmm3{%k4}{z}
	form vpopcntb %ymm29, %ymm19
	form vpopcntb %ymm2, %ymm3{%k4}{z}
	form vpopcntb %zmm29, %zmm19
	form vpopcntb %zmm2, %zmm3{%k4}{z}
	mem "vpopcntb ", ", %zmm19"
	mem "vpopcntb ", ", %xmm19"
	form vpopcntw %xmm29, %xmm19
	form vpopcntw %xmm2, %xmm3{%k4}{z}
	form vpopcntw %ymm29, %ymm19
	form vpopcntw %ymm2, %ymm3{%k4}{z}
	form vpopcntw %zmm29, %zmm19
	form vpopcntw %zmm2, %zmm3{%k4}{z}
	mem "vpopcntw ", ", %zmm19"
	mem "vpopcntw ", ", %xmm19"
	form vpternlogd $202, %xmm29, %xmm8, %xmm19
	form vpternlogd $202, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpternlogd $202, %ymm29, %ymm8, %ymm19
	form vpternlogd $202, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpternlogd $202, %zmm29, %zmm8, %zmm19
	form vpternlogd $202, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpternlogd $202, ", ", %zmm8, %zmm19"
	mem "vpternlogd $202, ", ", %xmm17, %xmm30"
	mem "vpternlogd $202, ", "{1to16}, %zmm8, %zmm19"
	mem "vpternlogd $202, ", "{1to4}, %xmm8, %xmm19"
	form valignd $202, %xmm29, %xmm8, %xmm19
	form valignd $202, %xmm1, %xmm2, %xmm19{%k4}{z}
	form valignd $202, %ymm29, %ymm8, %ymm19
	form valignd $202, %ymm1, %ymm2, %ymm19{%k4}{z}
	form valignd $202, %zmm29, %zmm8, %zmm19
	form valignd $202, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "valignd $202, ", ", %zmm8, %zmm19"
	mem "valignd $202, ", ", %xmm17, %xmm30"
	mem "valignd $202, ", "{1to16}, %zmm8, %zmm19"
	mem "valignd $202, ", "{1to4}, %xmm8, %xmm19"
	form vpternlogq $202, %xmm29, %xmm8, %xmm19
	form vpternlogq $202, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpternlogq $202, %ymm29, %ymm8, %ymm19
	form vpternlogq $202, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpternlogq $202, %zmm29, %zmm8, %zmm19
	form vpternlogq $202, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpternlogq $202, ", ", %zmm8, %zmm19"
	mem "vpternlogq $202, ", ", %xmm17, %xmm30"
	mem "vpternlogq $202, ", "{1to8}, %zmm8, %zmm19"
	mem "vpternlogq $202, ", "{1to2}, %xmm8, %xmm19"
	form valignq $202, %xmm29, %xmm8, %xmm19
	form valignq $202, %xmm1, %xmm2, %xmm19{%k4}{z}
	form valignq $202, %ymm29, %ymm8, %ymm19
	form valignq $202, %ymm1, %ymm2, %ymm19{%k4}{z}
	form valignq $202, %zmm29, %zmm8, %zmm19
	form valignq $202, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "valignq $202, ", ", %zmm8, %zmm19"
	mem "valignq $202, ", ", %xmm17, %xmm30"
	mem "valignq $202, ", "{1to8}, %zmm8, %zmm19"
	mem "valignq $202, ", "{1to2}, %xmm8, %xmm19"
	form vpalignr $5, %xmm29, %xmm8, %xmm19
	form vpalignr $5, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpalignr $5, %ymm29, %ymm8, %ymm19
	form vpalignr $5, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpalignr $5, %zmm29, %zmm8, %zmm19
	form vpalignr $5, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpalignr $5, ", ", %zmm8, %zmm19"
	mem "vpalignr $5, ", ", %xmm17, %xmm30"
	form vdbpsadbw $5, %xmm29, %xmm8, %xmm19
	form vdbpsadbw $5, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vdbpsadbw $5, %ymm29, %ymm8, %ymm19
	form vdbpsadbw $5, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vdbpsadbw $5, %zmm29, %zmm8, %zmm19
	form vdbpsadbw $5, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vdbpsadbw $5, ", ", %zmm8, %zmm19"
	mem "vdbpsadbw $5, ", ", %xmm17, %xmm30"
	form vpshldd $3, %xmm29, %xmm8, %xmm19
	form vpshldd $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshldd $3, %ymm29, %ymm8, %ymm19
	form vpshldd $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshldd $3, %zmm29, %zmm8, %zmm19
	form vpshldd $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshldd $3, ", ", %zmm8, %zmm19"
	mem "vpshldd $3, ", ", %xmm17, %xmm30"
	mem "vpshldd $3, ", "{1to16}, %zmm8, %zmm19"
	mem "vpshldd $3, ", "{1to4}, %xmm8, %xmm19"
	form vpshrdd $3, %xmm29, %xmm8, %xmm19
	form vpshrdd $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshrdd $3, %ymm29, %ymm8, %ymm19
	form vpshrdd $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshrdd $3, %zmm29, %zmm8, %zmm19
	form vpshrdd $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshrdd $3, ", ", %zmm8, %zmm19"
	mem "vpshrdd $3, ", ", %xmm17, %xmm30"
	mem "vpshrdd $3, ", "{1to16}, %zmm8, %zmm19"
	mem "vpshrdd $3, ", "{1to4}, %xmm8, %xmm19"
	form vpshldq $3, %xmm29, %xmm8, %xmm19
	form vpshldq $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshldq $3, %ymm29, %ymm8, %ymm19
	form vpshldq $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshldq $3, %zmm29, %zmm8, %zmm19
	form vpshldq $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshldq $3, ", ", %zmm8, %zmm19"
	mem "vpshldq $3, ", ", %xmm17, %xmm30"
	mem "vpshldq $3, ", "{1to8}, %zmm8, %zmm19"
	mem "vpshldq $3, ", "{1to2}, %xmm8, %xmm19"
	form vpshrdq $3, %xmm29, %xmm8, %xmm19
	form vpshrdq $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshrdq $3, %ymm29, %ymm8, %ymm19
	form vpshrdq $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshrdq $3, %zmm29, %zmm8, %zmm19
	form vpshrdq $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshrdq $3, ", ", %zmm8, %zmm19"
	mem "vpshrdq $3, ", ", %xmm17, %xmm30"
	mem "vpshrdq $3, ", "{1to8}, %zmm8, %zmm19"
	mem "vpshrdq $3, ", "{1to2}, %xmm8, %xmm19"
	form vpshldw $3, %xmm29, %xmm8, %xmm19
	form vpshldw $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshldw $3, %ymm29, %ymm8, %ymm19
	form vpshldw $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshldw $3, %zmm29, %zmm8, %zmm19
	form vpshldw $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshldw $3, ", ", %zmm8, %zmm19"
	mem "vpshldw $3, ", ", %xmm17, %xmm30"
	form vpshrdw $3, %xmm29, %xmm8, %xmm19
	form vpshrdw $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vpshrdw $3, %ymm29, %ymm8, %ymm19
	form vpshrdw $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vpshrdw $3, %zmm29, %zmm8, %zmm19
	form vpshrdw $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vpshrdw $3, ", ", %zmm8, %zmm19"
	mem "vpshrdw $3, ", ", %xmm17, %xmm30"
	form vgf2p8affineqb $3, %xmm29, %xmm8, %xmm19
	form vgf2p8affineqb $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vgf2p8affineqb $3, %ymm29, %ymm8, %ymm19
	form vgf2p8affineqb $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vgf2p8affineqb $3, %zmm29, %zmm8, %zmm19
	form vgf2p8affineqb $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vgf2p8affineqb $3, ", ", %zmm8, %zmm19"
	mem "vgf2p8affineqb $3, ", ", %xmm17, %xmm30"
	mem "vgf2p8affineqb $3, ", "{1to8}, %zmm8, %zmm19"
	mem "vgf2p8affineqb $3, ", "{1to2}, %xmm8, %xmm19"
	form vgf2p8affineinvqb $3, %xmm29, %xmm8, %xmm19
	form vgf2p8affineinvqb $3, %xmm1, %xmm2, %xmm19{%k4}{z}
	form vgf2p8affineinvqb $3, %ymm29, %ymm8, %ymm19
	form vgf2p8affineinvqb $3, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vgf2p8affineinvqb $3, %zmm29, %zmm8, %zmm19
	form vgf2p8affineinvqb $3, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vgf2p8affineinvqb $3, ", ", %zmm8, %zmm19"
	mem "vgf2p8affineinvqb $3, ", ", %xmm17, %xmm30"
	mem "vgf2p8affineinvqb $3, ", "{1to8}, %zmm8, %zmm19"
	mem "vgf2p8affineinvqb $3, ", "{1to2}, %xmm8, %xmm19"
	form vshuff32x4 $2, %ymm29, %ymm8, %ymm19
	form vshuff32x4 $2, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vshuff32x4 $2, %zmm29, %zmm8, %zmm19
	form vshuff32x4 $2, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vshuff32x4 $2, ", ", %zmm8, %zmm19"
	mem "vshuff32x4 $2, ", ", %ymm17, %ymm30"
	mem "vshuff32x4 $2, ", "{1to16}, %zmm8, %zmm19"
	mem "vshuff32x4 $2, ", "{1to8}, %ymm8, %ymm19"
	form vshufi32x4 $2, %ymm29, %ymm8, %ymm19
	form vshufi32x4 $2, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vshufi32x4 $2, %zmm29, %zmm8, %zmm19
	form vshufi32x4 $2, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vshufi32x4 $2, ", ", %zmm8, %zmm19"
	mem "vshufi32x4 $2, ", ", %ymm17, %ymm30"
	mem "vshufi32x4 $2, ", "{1to16}, %zmm8, %zmm19"
	mem "vshufi32x4 $2, ", "{1to8}, %ymm8, %ymm19"
	form vshuff64x2 $2, %ymm29, %ymm8, %ymm19
	form vshuff64x2 $2, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vshuff64x2 $2, %zmm29, %zmm8, %zmm19
	form vshuff64x2 $2, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vshuff64x2 $2, ", ", %zmm8, %zmm19"
	mem "vshuff64x2 $2, ", ", %ymm17, %ymm30"
	mem "vshuff64x2 $2, ", "{1to8}, %zmm8, %zmm19"
	mem "vshuff64x2 $2, ", "{1to4}, %ymm8, %ymm19"
	form vshufi64x2 $2, %ymm29, %ymm8, %ymm19
	form vshufi64x2 $2, %ymm1, %ymm2, %ymm19{%k4}{z}
	form vshufi64x2 $2, %zmm29, %zmm8, %zmm19
	form vshufi64x2 $2, %zmm1, %zmm2, %zmm19{%k4}{z}
	mem "vshufi64x2 $2, ", ", %zmm8, %zmm19"
	mem "vshufi64x2 $2, ", ", %ymm17, %ymm30"
	mem "vshufi64x2 $2, ", "{1to8}, %zmm8, %zmm19"
	mem "vshufi64x2 $2, ", "{1to4}, %ymm8, %ymm19"
	form vpshufd $7, %xmm29, %xmm19
	form vpshufd $7, %xmm2, %xmm3{%k4}{z}
	form vpshufd $7, %ymm29, %ymm19
	form vpshufd $7, %ymm2, %ymm3{%k4}{z}
	form vpshufd $7, %zmm29, %zmm19
	form vpshufd $7, %zmm2, %zmm3{%k4}{z}
	mem "vpshufd $7, ", ", %zmm19"
	mem "vpshufd $7, ", "{1to16}, %zmm19"
	mem "vpshufd $7, ", ", %xmm19"
	mem "vpshufd $7, ", "{1to4}, %xmm19"
	form vprold $7, %xmm29, %xmm19
	form vprold $7, %xmm2, %xmm3{%k4}{z}
	form vprold $7, %ymm29, %ymm19
	form vprold $7, %ymm2, %ymm3{%k4}{z}
	form vprold $7, %zmm29, %zmm19
	form vprold $7, %zmm2, %zmm3{%k4}{z}
	mem "vprold $7, ", ", %zmm19"
	mem "vprold $7, ", "{1to16}, %zmm19"
	mem "vprold $7, ", ", %xmm19"
	mem "vprold $7, ", "{1to4}, %xmm19"
	form vprord $7, %xmm29, %xmm19
	form vprord $7, %xmm2, %xmm3{%k4}{z}
	form vprord $7, %ymm29, %ymm19
	form vprord $7, %ymm2, %ymm3{%k4}{z}
	form vprord $7, %zmm29, %zmm19
	form vprord $7, %zmm2, %zmm3{%k4}{z}
	mem "vprord $7, ", ", %zmm19"
	mem "vprord $7, ", "{1to16}, %zmm19"
	mem "vprord $7, ", ", %xmm19"
	mem "vprord $7, ", "{1to4}, %xmm19"
	form vpsrld $7, %xmm29, %xmm19
	form vpsrld $7, %xmm2, %xmm3{%k4}{z}
	form vpsrld $7, %ymm29, %ymm19
	form vpsrld $7, %ymm2, %ymm3{%k4}{z}
	form vpsrld $7, %zmm29, %zmm19
	form vpsrld $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsrld $7, ", ", %zmm19"
	mem "vpsrld $7, ", "{1to16}, %zmm19"
	mem "vpsrld $7, ", ", %xmm19"
	mem "vpsrld $7, ", "{1to4}, %xmm19"
	form vpsrad $7, %xmm29, %xmm19
	form vpsrad $7, %xmm2, %xmm3{%k4}{z}
	form vpsrad $7, %ymm29, %ymm19
	form vpsrad $7, %ymm2, %ymm3{%k4}{z}
	form vpsrad $7, %zmm29, %zmm19
	form vpsrad $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsrad $7, ", ", %zmm19"
	mem "vpsrad $7, ", "{1to16}, %zmm19"
	mem "vpsrad $7, ", ", %xmm19"
	mem "vpsrad $7, ", "{1to4}, %xmm19"
	form vpslld $7, %xmm29, %xmm19
	form vpslld $7, %xmm2, %xmm3{%k4}{z}
	form vpslld $7, %ymm29, %ymm19
	form vpslld $7, %ymm2, %ymm3{%k4}{z}
	form vpslld $7, %zmm29, %zmm19
	form vpslld $7, %zmm2, %zmm3{%k4}{z}
	mem "vpslld $7, ", ", %zmm19"
	mem "vpslld $7, ", "{1to16}, %zmm19"
	mem "vpslld $7, ", ", %xmm19"
	mem "vpslld $7, ", "{1to4}, %xmm19"
	form vprolq $7, %xmm29, %xmm19
	form vprolq $7, %xmm2, %xmm3{%k4}{z}
	form vprolq $7, %ymm29, %ymm19
	form vprolq $7, %ymm2, %ymm3{%k4}{z}
	form vprolq $7, %zmm29, %zmm19
	form vprolq $7, %zmm2, %zmm3{%k4}{z}
	mem "vprolq $7, ", ", %zmm19"
	mem "vprolq $7, ", "{1to8}, %zmm19"
	mem "vprolq $7, ", ", %xmm19"
	mem "vprolq $7, ", "{1to2}, %xmm19"
	form vprorq $7, %xmm29, %xmm19
	form vprorq $7, %xmm2, %xmm3{%k4}{z}
	form vprorq $7, %ymm29, %ymm19
	form vprorq $7, %ymm2, %ymm3{%k4}{z}
	form vprorq $7, %zmm29, %zmm19
	form vprorq $7, %zmm2, %zmm3{%k4}{z}
	mem "vprorq $7, ", ", %zmm19"
	mem "vprorq $7, ", "{1to8}, %zmm19"
	mem "vprorq $7, ", ", %xmm19"
	mem "vprorq $7, ", "{1to2}, %xmm19"
	form vpsrlq $7, %xmm29, %xmm19
	form vpsrlq $7, %xmm2, %xmm3{%k4}{z}
	form vpsrlq $7, %ymm29, %ymm19
	form vpsrlq $7, %ymm2, %ymm3{%k4}{z}
	form vpsrlq $7, %zmm29, %zmm19
	form vpsrlq $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsrlq $7, ", ", %zmm19"
	mem "vpsrlq $7, ", "{1to8}, %zmm19"
	mem "vpsrlq $7, ", ", %xmm19"
	mem "vpsrlq $7, ", "{1to2}, %xmm19"
	form vpsraq $7, %xmm29, %xmm19
	form vpsraq $7, %xmm2, %xmm3{%k4}{z}
	form vpsraq $7, %ymm29, %ymm19
	form vpsraq $7, %ymm2, %ymm3{%k4}{z}
	form vpsraq $7, %zmm29, %zmm19
	form vpsraq $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsraq $7, ", ", %zmm19"
	mem "vpsraq $7, ", "{1to8}, %zmm19"
	mem "vpsraq $7, ", ", %xmm19"
	mem "vpsraq $7, ", "{1to2}, %xmm19"
	form vpsllq $7, %xmm29, %xmm19
	form vpsllq $7, %xmm2, %xmm3{%k4}{z}
	form vpsllq $7, %ymm29, %ymm19
	form vpsllq $7, %ymm2, %ymm3{%k4}{z}
	form vpsllq $7, %zmm29, %zmm19
	form vpsllq $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsllq $7, ", ", %zmm19"
	mem "vpsllq $7, ", "{1to8}, %zmm19"
	mem "vpsllq $7, ", ", %xmm19"
	mem "vpsllq $7, ", "{1to2}, %xmm19"
	form vpshufhw $7, %xmm29, %xmm19
	form vpshufhw $7, %xmm2, %xmm3{%k4}{z}
	form vpshufhw $7, %ymm29, %ymm19
	form vpshufhw $7, %ymm2, %ymm3{%k4}{z}
	form vpshufhw $7, %zmm29, %zmm19
	form vpshufhw $7, %zmm2, %zmm3{%k4}{z}
	mem "vpshufhw $7, ", ", %zmm19"
	mem "vpshufhw $7, ", ", %xmm19"
	form vpshuflw $7, %xmm29, %xmm19
	form vpshuflw $7, %xmm2, %xmm3{%k4}{z}
	form vpshuflw $7, %ymm29, %ymm19
	form vpshuflw $7, %ymm2, %ymm3{%k4}{z}
	form vpshuflw $7, %zmm29, %zmm19
	form vpshuflw $7, %zmm2, %zmm3{%k4}{z}
	mem "vpshuflw $7, ", ", %zmm19"
	mem "vpshuflw $7, ", ", %xmm19"
	form vpsrlw $7, %xmm29, %xmm19
	form vpsrlw $7, %xmm2, %xmm3{%k4}{z}
	form vpsrlw $7, %ymm29, %ymm19
	form vpsrlw $7, %ymm2, %ymm3{%k4}{z}
	form vpsrlw $7, %zmm29, %zmm19
	form vpsrlw $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsrlw $7, ", ", %zmm19"
	mem "vpsrlw $7, ", ", %xmm19"
	form vpsraw $7, %xmm29, %xmm19
	form vpsraw $7, %xmm2, %xmm3{%k4}{z}
	form vpsraw $7, %ymm29, %ymm19
	form vpsraw $7, %ymm2, %ymm3{%k4}{z}
	form vpsraw $7, %zmm29, %zmm19
	form vpsraw $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsraw $7, ", ", %zmm19"
	mem "vpsraw $7, ", ", %xmm19"
	form vpsllw $7, %xmm29, %xmm19
	form vpsllw $7, %xmm2, %xmm3{%k4}{z}
	form vpsllw $7, %ymm29, %ymm19
	form vpsllw $7, %ymm2, %ymm3{%k4}{z}
	form vpsllw $7, %zmm29, %zmm19
	form vpsllw $7, %zmm2, %zmm3{%k4}{z}
	mem "vpsllw $7, ", ", %zmm19"
	mem "vpsllw $7, ", ", %xmm19"
	form vpermq $7, %ymm29, %ymm19
	form vpermq $7, %ymm2, %ymm3{%k4}{z}
	form vpermq $7, %zmm29, %zmm19
	form vpermq $7, %zmm2, %zmm3{%k4}{z}
	mem "vpermq $7, ", ", %zmm19"
	mem "vpermq $7, ", "{1to8}, %zmm19"
	mem "vpermq $7, ", ", %ymm19"
	mem "vpermq $7, ", "{1to4}, %ymm19"
	form vpermpd $7, %ymm29, %ymm19
	form vpermpd $7, %ymm2, %ymm3{%k4}{z}
	form vpermpd $7, %zmm29, %zmm19
	form vpermpd $7, %zmm2, %zmm3{%k4}{z}
	mem "vpermpd $7, ", ", %zmm19"
	mem "vpermpd $7, ", "{1to8}, %zmm19"
	mem "vpermpd $7, ", ", %ymm19"
	mem "vpermpd $7, ", "{1to4}, %ymm19"
	form vpslldq $3, %xmm18, %xmm2
	mem "vpslldq $3,", ", %xmm18"
	form vpslldq $3, %ymm18, %ymm2
	mem "vpslldq $3,", ", %ymm18"
	form vpslldq $3, %zmm18, %zmm2
	mem "vpslldq $3,", ", %zmm18"
	form vpsrldq $3, %xmm18, %xmm2
	mem "vpsrldq $3,", ", %xmm18"
	form vpsrldq $3, %ymm18, %ymm2
	mem "vpsrldq $3,", ", %ymm18"
	form vpsrldq $3, %zmm18, %zmm2
	mem "vpsrldq $3,", ", %zmm18"
	form vpsllw %xmm20, %xmm18, %xmm2
	mem "vpsllw", ", %xmm18, %xmm2"
	form vpsllw %xmm20, %zmm18, %zmm2
	mem "vpsllw", ", %zmm18, %zmm2"
	form vpslld %xmm20, %xmm18, %xmm2
	mem "vpslld", ", %xmm18, %xmm2"
	form vpslld %xmm20, %zmm18, %zmm2
	mem "vpslld", ", %zmm18, %zmm2"
	form vpsllq %xmm20, %xmm18, %xmm2
	mem "vpsllq", ", %xmm18, %xmm2"
	form vpsllq %xmm20, %zmm18, %zmm2
	mem "vpsllq", ", %zmm18, %zmm2"
	form vpsrlw %xmm20, %xmm18, %xmm2
	mem "vpsrlw", ", %xmm18, %xmm2"
	form vpsrlw %xmm20, %zmm18, %zmm2
	mem "vpsrlw", ", %zmm18, %zmm2"
	form vpsrld %xmm20, %xmm18, %xmm2
	mem "vpsrld", ", %xmm18, %xmm2"
	form vpsrld %xmm20, %zmm18, %zmm2
	mem "vpsrld", ", %zmm18, %zmm2"
	form vpsrlq %xmm20, %xmm18, %xmm2
	mem "vpsrlq", ", %xmm18, %xmm2"
	form vpsrlq %xmm20, %zmm18, %zmm2
	mem "vpsrlq", ", %zmm18, %zmm2"
	form vpsraw %xmm20, %xmm18, %xmm2
	mem "vpsraw", ", %xmm18, %xmm2"
	form vpsraw %xmm20, %zmm18, %zmm2
	mem "vpsraw", ", %zmm18, %zmm2"
	form vpsrad %xmm20, %xmm18, %xmm2
	mem "vpsrad", ", %xmm18, %xmm2"
	form vpsrad %xmm20, %zmm18, %zmm2
	mem "vpsrad", ", %zmm18, %zmm2"
	form vpsraq %xmm20, %xmm18, %xmm2
	mem "vpsraq", ", %xmm18, %xmm2"
	form vpsraq %xmm20, %zmm18, %zmm2
	mem "vpsraq", ", %zmm18, %zmm2"

	/* Compares and tests into masks */
	form vpcmpeqd %xmm29, %xmm8, %k3
	form vpcmpeqd %xmm1, %xmm2, %k3{%k4}
	form vpcmpeqd %ymm29, %ymm8, %k3
	form vpcmpeqd %ymm1, %ymm2, %k3{%k4}
	form vpcmpeqd %zmm29, %zmm8, %k3
	form vpcmpeqd %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpeqd ", ", %zmm8, %k3"
	mem "vpcmpeqd ", ", %xmm17, %k3"
	mem "vpcmpeqd ", "{1to16}, %zmm8, %k3"
	mem "vpcmpeqd ", "{1to4}, %xmm8, %k3"
	form vpcmpgtd %xmm29, %xmm8, %k3
	form vpcmpgtd %xmm1, %xmm2, %k3{%k4}
	form vpcmpgtd %ymm29, %ymm8, %k3
	form vpcmpgtd %ymm1, %ymm2, %k3{%k4}
	form vpcmpgtd %zmm29, %zmm8, %k3
	form vpcmpgtd %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpgtd ", ", %zmm8, %k3"
	mem "vpcmpgtd ", ", %xmm17, %k3"
	mem "vpcmpgtd ", "{1to16}, %zmm8, %k3"
	mem "vpcmpgtd ", "{1to4}, %xmm8, %k3"
	form vptestmd %xmm29, %xmm8, %k3
	form vptestmd %xmm1, %xmm2, %k3{%k4}
	form vptestmd %ymm29, %ymm8, %k3
	form vptestmd %ymm1, %ymm2, %k3{%k4}
	form vptestmd %zmm29, %zmm8, %k3
	form vptestmd %zmm1, %zmm2, %k3{%k4}
	mem "vptestmd ", ", %zmm8, %k3"
	mem "vptestmd ", ", %xmm17, %k3"
	mem "vptestmd ", "{1to16}, %zmm8, %k3"
	mem "vptestmd ", "{1to4}, %xmm8, %k3"
	form vptestnmd %xmm29, %xmm8, %k3
	form vptestnmd %xmm1, %xmm2, %k3{%k4}
	form vptestnmd %ymm29, %ymm8, %k3
	form vptestnmd %ymm1, %ymm2, %k3{%k4}
	form vptestnmd %zmm29, %zmm8, %k3
	form vptestnmd %zmm1, %zmm2, %k3{%k4}
	mem "vptestnmd ", ", %zmm8, %k3"
	mem "vptestnmd ", ", %xmm17, %k3"
	mem "vptestnmd ", "{1to16}, %zmm8, %k3"
	mem "vptestnmd ", "{1to4}, %xmm8, %k3"
	form vpcmpeqq %xmm29, %xmm8, %k3
	form vpcmpeqq %xmm1, %xmm2, %k3{%k4}
	form vpcmpeqq %ymm29, %ymm8, %k3
	form vpcmpeqq %ymm1, %ymm2, %k3{%k4}
	form vpcmpeqq %zmm29, %zmm8, %k3
	form vpcmpeqq %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpeqq ", ", %zmm8, %k3"
	mem "vpcmpeqq ", ", %xmm17, %k3"
	mem "vpcmpeqq ", "{1to8}, %zmm8, %k3"
	mem "vpcmpeqq ", "{1to2}, %xmm8, %k3"
	form vpcmpgtq %xmm29, %xmm8, %k3
	form vpcmpgtq %xmm1, %xmm2, %k3{%k4}
	form vpcmpgtq %ymm29, %ymm8, %k3
	form vpcmpgtq %ymm1, %ymm2, %k3{%k4}
	form vpcmpgtq %zmm29, %zmm8, %k3
	form vpcmpgtq %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpgtq ", ", %zmm8, %k3"
	mem "vpcmpgtq ", ", %xmm17, %k3"
	mem "vpcmpgtq ", "{1to8}, %zmm8, %k3"
	mem "vpcmpgtq ", "{1to2}, %xmm8, %k3"
	form vptestmq %xmm29, %xmm8, %k3
	form vptestmq %xmm1, %xmm2, %k3{%k4}
	form vptestmq %ymm29, %ymm8, %k3
	form vptestmq %ymm1, %ymm2, %k3{%k4}
	form vptestmq %zmm29, %zmm8, %k3
	form vptestmq %zmm1, %zmm2, %k3{%k4}
	mem "vptestmq ", ", %zmm8, %k3"
	mem "vptestmq ", ", %xmm17, %k3"
	mem "vptestmq ", "{1to8}, %zmm8, %k3"
	mem "vptestmq ", "{1to2}, %xmm8, %k3"
	form vptestnmq %xmm29, %xmm8, %k3
	form vptestnmq %xmm1, %xmm2, %k3{%k4}
	form vptestnmq %ymm29, %ymm8, %k3
	form vptestnmq %ymm1, %ymm2, %k3{%k4}
	form vptestnmq %zmm29, %zmm8, %k3
	form vptestnmq %zmm1, %zmm2, %k3{%k4}
	mem "vptestnmq ", ", %zmm8, %k3"
	mem "vptestnmq ", ", %xmm17, %k3"
	mem "vptestnmq ", "{1to8}, %zmm8, %k3"
	mem "vptestnmq ", "{1to2}, %xmm8, %k3"
	form vpcmpeqb %xmm29, %xmm8, %k3
	form vpcmpeqb %xmm1, %xmm2, %k3{%k4}
	form vpcmpeqb %ymm29, %ymm8, %k3
	form vpcmpeqb %ymm1, %ymm2, %k3{%k4}
	form vpcmpeqb %zmm29, %zmm8, %k3
	form vpcmpeqb %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpeqb ", ", %zmm8, %k3"
	mem "vpcmpeqb ", ", %xmm17, %k3"
	form vpcmpeqw %xmm29, %xmm8, %k3
	form vpcmpeqw %xmm1, %xmm2, %k3{%k4}
	form vpcmpeqw %ymm29, %ymm8, %k3
	form vpcmpeqw %ymm1, %ymm2, %k3{%k4}
	form vpcmpeqw %zmm29, %zmm8, %k3
	form vpcmpeqw %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpeqw ", ", %zmm8, %k3"
	mem "vpcmpeqw ", ", %xmm17, %k3"
	form vpcmpgtb %xmm29, %xmm8, %k3
	form vpcmpgtb %xmm1, %xmm2, %k3{%k4}
	form vpcmpgtb %ymm29, %ymm8, %k3
	form vpcmpgtb %ymm1, %ymm2, %k3{%k4}
	form vpcmpgtb %zmm29, %zmm8, %k3
	form vpcmpgtb %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpgtb ", ", %zmm8, %k3"
	mem "vpcmpgtb ", ", %xmm17, %k3"
	form vpcmpgtw %xmm29, %xmm8, %k3
	form vpcmpgtw %xmm1, %xmm2, %k3{%k4}
	form vpcmpgtw %ymm29, %ymm8, %k3
	form vpcmpgtw %ymm1, %ymm2, %k3{%k4}
	form vpcmpgtw %zmm29, %zmm8, %k3
	form vpcmpgtw %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpgtw ", ", %zmm8, %k3"
	mem "vpcmpgtw ", ", %xmm17, %k3"
	form vptestmb %xmm29, %xmm8, %k3
	form vptestmb %xmm1, %xmm2, %k3{%k4}
	form vptestmb %ymm29, %ymm8, %k3
	form vptestmb %ymm1, %ymm2, %k3{%k4}
	form vptestmb %zmm29, %zmm8, %k3
	form vptestmb %zmm1, %zmm2, %k3{%k4}
	mem "vptestmb ", ", %zmm8, %k3"
	mem "vptestmb ", ", %xmm17, %k3"
	form vptestmw %xmm29, %xmm8, %k3
	form vptestmw %xmm1, %xmm2, %k3{%k4}
	form vptestmw %ymm29, %ymm8, %k3
	form vptestmw %ymm1, %ymm2, %k3{%k4}
	form vptestmw %zmm29, %zmm8, %k3
	form vptestmw %zmm1, %zmm2, %k3{%k4}
	mem "vptestmw ", ", %zmm8, %k3"
	mem "vptestmw ", ", %xmm17, %k3"
	form vptestnmb %xmm29, %xmm8, %k3
	form vptestnmb %xmm1, %xmm2, %k3{%k4}
	form vptestnmb %ymm29, %ymm8, %k3
	form vptestnmb %ymm1, %ymm2, %k3{%k4}
	form vptestnmb %zmm29, %zmm8, %k3
	form vptestnmb %zmm1, %zmm2, %k3{%k4}
	mem "vptestnmb ", ", %zmm8, %k3"
	mem "vptestnmb ", ", %xmm17, %k3"
	form vptestnmw %xmm29, %xmm8, %k3
	form vptestnmw %xmm1, %xmm2, %k3{%k4}
	form vptestnmw %ymm29, %ymm8, %k3
	form vptestnmw %ymm1, %ymm2, %k3{%k4}
	form vptestnmw %zmm29, %zmm8, %k3
	form vptestnmw %zmm1, %zmm2, %k3{%k4}
	mem "vptestnmw ", ", %zmm8, %k3"
	mem "vptestnmw ", ", %xmm17, %k3"
	form vpshufbitqmb %xmm29, %xmm8, %k3
	form vpshufbitqmb %xmm1, %xmm2, %k3{%k4}
	form vpshufbitqmb %ymm29, %ymm8, %k3
	form vpshufbitqmb %ymm1, %ymm2, %k3{%k4}
	form vpshufbitqmb %zmm29, %zmm8, %k3
	form vpshufbitqmb %zmm1, %zmm2, %k3{%k4}
	mem "vpshufbitqmb ", ", %zmm8, %k3"
	mem "vpshufbitqmb ", ", %xmm17, %k3"
	form vpcmpd $5, %xmm29, %xmm8, %k3
	form vpcmpd $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpd $5, %ymm29, %ymm8, %k3
	form vpcmpd $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpd $5, %zmm29, %zmm8, %k3
	form vpcmpd $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpd $5, ", ", %zmm8, %k3"
	mem "vpcmpd $5, ", ", %xmm17, %k3"
	mem "vpcmpd $5, ", "{1to16}, %zmm8, %k3"
	mem "vpcmpd $5, ", "{1to4}, %xmm8, %k3"
	form vpcmpud $5, %xmm29, %xmm8, %k3
	form vpcmpud $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpud $5, %ymm29, %ymm8, %k3
	form vpcmpud $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpud $5, %zmm29, %zmm8, %k3
	form vpcmpud $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpud $5, ", ", %zmm8, %k3"
	mem "vpcmpud $5, ", ", %xmm17, %k3"
	mem "vpcmpud $5, ", "{1to16}, %zmm8, %k3"
	mem "vpcmpud $5, ", "{1to4}, %xmm8, %k3"
	form vpcmpq $5, %xmm29, %xmm8, %k3
	form vpcmpq $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpq $5, %ymm29, %ymm8, %k3
	form vpcmpq $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpq $5, %zmm29, %zmm8, %k3
	form vpcmpq $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpq $5, ", ", %zmm8, %k3"
	mem "vpcmpq $5, ", ", %xmm17, %k3"
	mem "vpcmpq $5, ", "{1to8}, %zmm8, %k3"
	mem "vpcmpq $5, ", "{1to2}, %xmm8, %k3"
	form vpcmpuq $5, %xmm29, %xmm8, %k3
	form vpcmpuq $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpuq $5, %ymm29, %ymm8, %k3
	form vpcmpuq $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpuq $5, %zmm29, %zmm8, %k3
	form vpcmpuq $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpuq $5, ", ", %zmm8, %k3"
	mem "vpcmpuq $5, ", ", %xmm17, %k3"
	mem "vpcmpuq $5, ", "{1to8}, %zmm8, %k3"
	mem "vpcmpuq $5, ", "{1to2}, %xmm8, %k3"
	form vpcmpb $5, %xmm29, %xmm8, %k3
	form vpcmpb $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpb $5, %ymm29, %ymm8, %k3
	form vpcmpb $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpb $5, %zmm29, %zmm8, %k3
	form vpcmpb $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpb $5, ", ", %zmm8, %k3"
	mem "vpcmpb $5, ", ", %xmm17, %k3"
	form vpcmpub $5, %xmm29, %xmm8, %k3
	form vpcmpub $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpub $5, %ymm29, %ymm8, %k3
	form vpcmpub $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpub $5, %zmm29, %zmm8, %k3
	form vpcmpub $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpub $5, ", ", %zmm8, %k3"
	mem "vpcmpub $5, ", ", %xmm17, %k3"
	form vpcmpw $5, %xmm29, %xmm8, %k3
	form vpcmpw $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpw $5, %ymm29, %ymm8, %k3
	form vpcmpw $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpw $5, %zmm29, %zmm8, %k3
	form vpcmpw $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpw $5, ", ", %zmm8, %k3"
	mem "vpcmpw $5, ", ", %xmm17, %k3"
	form vpcmpuw $5, %xmm29, %xmm8, %k3
	form vpcmpuw $5, %xmm1, %xmm2, %k3{%k4}
	form vpcmpuw $5, %ymm29, %ymm8, %k3
	form vpcmpuw $5, %ymm1, %ymm2, %k3{%k4}
	form vpcmpuw $5, %zmm29, %zmm8, %k3
	form vpcmpuw $5, %zmm1, %zmm2, %k3{%k4}
	mem "vpcmpuw $5, ", ", %zmm8, %k3"
	mem "vpcmpuw $5, ", ", %xmm17, %k3"
	form vp2intersectd %xmm1, %xmm2, %k2
	form vp2intersectq %xmm1, %xmm2, %k4
	mem "vp2intersectd", ", %xmm2, %k2"
	mem "vp2intersectq", "{1to2}, %xmm2, %k2"
	form vp2intersectd %ymm1, %ymm2, %k2
	form vp2intersectq %ymm1, %ymm2, %k4
	mem "vp2intersectd", ", %ymm2, %k2"
	mem "vp2intersectq", "{1to4}, %ymm2, %k2"
	form vp2intersectd %zmm1, %zmm2, %k2
	form vp2intersectq %zmm1, %zmm2, %k4
	mem "vp2intersectd", ", %zmm2, %k2"
	mem "vp2intersectq", "{1to8}, %zmm2, %k2"

	/* Extensions and truncations */
	form vpmovsxbw %xmm29, %xmm19
	form vpmovsxbw %xmm2, %xmm3{%k4}{z}
	form vpmovsxbw %xmm29, %ymm19
	form vpmovsxbw %xmm2, %ymm3{%k4}{z}
	form vpmovsxbw %ymm29, %zmm19
	form vpmovsxbw %ymm2, %zmm3{%k4}{z}
	mem "vpmovsxbw ", ", %zmm19"
	mem "vpmovsxbw ", ", %xmm19"
	form vpmovzxbw %xmm29, %xmm19
	form vpmovzxbw %xmm2, %xmm3{%k4}{z}
	form vpmovzxbw %xmm29, %ymm19
	form vpmovzxbw %xmm2, %ymm3{%k4}{z}
	form vpmovzxbw %ymm29, %zmm19
	form vpmovzxbw %ymm2, %zmm3{%k4}{z}
	mem "vpmovzxbw ", ", %zmm19"
	mem "vpmovzxbw ", ", %xmm19"
	form vpmovsxwd %xmm29, %xmm19
	form vpmovsxwd %xmm2, %xmm3{%k4}{z}
	form vpmovsxwd %xmm29, %ymm19
	form vpmovsxwd %xmm2, %ymm3{%k4}{z}
	form vpmovsxwd %ymm29, %zmm19
	form vpmovsxwd %ymm2, %zmm3{%k4}{z}
	mem "vpmovsxwd ", ", %zmm19"
	mem "vpmovsxwd ", ", %xmm19"
	form vpmovzxwd %xmm29, %xmm19
	form vpmovzxwd %xmm2, %xmm3{%k4}{z}
	form vpmovzxwd %xmm29, %ymm19
	form vpmovzxwd %xmm2, %ymm3{%k4}{z}
	form vpmovzxwd %ymm29, %zmm19
	form vpmovzxwd %ymm2, %zmm3{%k4}{z}
	mem "vpmovzxwd ", ", %zmm19"
	mem "vpmovzxwd ", ", %xmm19"
	form vpmovsxdq %xmm29, %xmm19
	form vpmovsxdq %xmm2, %xmm3{%k4}{z}
	form vpmovsxdq %xmm29, %ymm19
	form vpmovsxdq %xmm2, %ymm3{%k4}{z}
	form vpmovsxdq %ymm29, %zmm19
	form vpmovsxdq %ymm2, %zmm3{%k4}{z}
	mem "vpmovsxdq ", ", %zmm19"
	mem "vpmovsxdq ", ", %xmm19"
	form vpmovzxdq %xmm29, %xmm19
	form vpmovzxdq %xmm2, %xmm3{%k4}{z}
	form vpmovzxdq %xmm29, %ymm19
	form vpmovzxdq %xmm2, %ymm3{%k4}{z}
	form vpmovzxdq %ymm29, %zmm19
	form vpmovzxdq %ymm2, %zmm3{%k4}{z}
	mem "vpmovzxdq ", ", %zmm19"
	mem "vpmovzxdq ", ", %xmm19"
	form vpmovsxbd %xmm29, %xmm19
	form vpmovsxbd %xmm2, %xmm3{%k4}{z}
	form vpmovsxbd %xmm29, %ymm19
	form vpmovsxbd %xmm2, %ymm3{%k4}{z}
	form vpmovsxbd %xmm29, %zmm19
	form vpmovsxbd %xmm2, %zmm3{%k4}{z}
	mem "vpmovsxbd ", ", %zmm19"
	mem "vpmovsxbd ", ", %xmm19"
	form vpmovzxbd %xmm29, %xmm19
	form vpmovzxbd %xmm2, %xmm3{%k4}{z}
	form vpmovzxbd %xmm29, %ymm19
	form vpmovzxbd %xmm2, %ymm3{%k4}{z}
	form vpmovzxbd %xmm29, %zmm19
	form vpmovzxbd %xmm2, %zmm3{%k4}{z}
	mem "vpmovzxbd ", ", %zmm19"
	mem "vpmovzxbd ", ", %xmm19"
	form vpmovsxwq %xmm29, %xmm19
	form vpmovsxwq %xmm2, %xmm3{%k4}{z}
	form vpmovsxwq %xmm29, %ymm19
	form vpmovsxwq %xmm2, %ymm3{%k4}{z}
	form vpmovsxwq %xmm29, %zmm19
	form vpmovsxwq %xmm2, %zmm3{%k4}{z}
	mem "vpmovsxwq ", ", %zmm19"
	mem "vpmovsxwq ", ", %xmm19"
	form vpmovzxwq %xmm29, %xmm19
	form vpmovzxwq %xmm2, %xmm3{%k4}{z}
	form vpmovzxwq %xmm29, %ymm19
	form vpmovzxwq %xmm2, %ymm3{%k4}{z}
	form vpmovzxwq %xmm29, %zmm19
	form vpmovzxwq %xmm2, %zmm3{%k4}{z}
	mem "vpmovzxwq ", ", %zmm19"
	mem "vpmovzxwq ", ", %xmm19"
	form vpmovsxbq %xmm29, %xmm19
	form vpmovsxbq %xmm2, %xmm3{%k4}{z}
	form vpmovsxbq %xmm29, %ymm19
	form vpmovsxbq %xmm2, %ymm3{%k4}{z}
	form vpmovsxbq %xmm29, %zmm19
	form vpmovsxbq %xmm2, %zmm3{%k4}{z}
	mem "vpmovsxbq ", ", %zmm19"
	mem "vpmovsxbq ", ", %xmm19"
	form vpmovzxbq %xmm29, %xmm19
	form vpmovzxbq %xmm2, %xmm3{%k4}{z}
	form vpmovzxbq %xmm29, %ymm19
	form vpmovzxbq %xmm2, %ymm3{%k4}{z}
	form vpmovzxbq %xmm29, %zmm19
	form vpmovzxbq %xmm2, %zmm3{%k4}{z}
	mem "vpmovzxbq ", ", %zmm19"
	mem "vpmovzxbq ", ", %xmm19"
	form vpmovwb %xmm20, %xmm21{%k1}
	mem "vpmovwb %xmm20,", "{%k1}"
	form vpmovwb %ymm20, %xmm21{%k1}
	mem "vpmovwb %ymm20,", "{%k1}"
	form vpmovwb %zmm20, %ymm21{%k1}
	mem "vpmovwb %zmm20,", "{%k1}"
	form vpmovswb %xmm20, %xmm21{%k1}
	mem "vpmovswb %xmm20,", "{%k1}"
	form vpmovswb %ymm20, %xmm21{%k1}
	mem "vpmovswb %ymm20,", "{%k1}"
	form vpmovswb %zmm20, %ymm21{%k1}
	mem "vpmovswb %zmm20,", "{%k1}"
	form vpmovuswb %xmm20, %xmm21{%k1}
	mem "vpmovuswb %xmm20,", "{%k1}"
	form vpmovuswb %ymm20, %xmm21{%k1}
	mem "vpmovuswb %ymm20,", "{%k1}"
	form vpmovuswb %zmm20, %ymm21{%k1}
	mem "vpmovuswb %zmm20,", "{%k1}"
	form vpmovdw %xmm20, %xmm21{%k1}
	mem "vpmovdw %xmm20,", "{%k1}"
	form vpmovdw %ymm20, %xmm21{%k1}
	mem "vpmovdw %ymm20,", "{%k1}"
	form vpmovdw %zmm20, %ymm21{%k1}
	mem "vpmovdw %zmm20,", "{%k1}"
	form vpmovsdw %xmm20, %xmm21{%k1}
	mem "vpmovsdw %xmm20,", "{%k1}"
	form vpmovsdw %ymm20, %xmm21{%k1}
	mem "vpmovsdw %ymm20,", "{%k1}"
	form vpmovsdw %zmm20, %ymm21{%k1}
	mem "vpmovsdw %zmm20,", "{%k1}"
	form vpmovusdw %xmm20, %xmm21{%k1}
	mem "vpmovusdw %xmm20,", "{%k1}"
	form vpmovusdw %ymm20, %xmm21{%k1}
	mem "vpmovusdw %ymm20,", "{%k1}"
	form vpmovusdw %zmm20, %ymm21{%k1}
	mem "vpmovusdw %zmm20,", "{%k1}"
	form vpmovqd %xmm20, %xmm21{%k1}
	mem "vpmovqd %xmm20,", "{%k1}"
	form vpmovqd %ymm20, %xmm21{%k1}
	mem "vpmovqd %ymm20,", "{%k1}"
	form vpmovqd %zmm20, %ymm21{%k1}
	mem "vpmovqd %zmm20,", "{%k1}"
	form vpmovsqd %xmm20, %xmm21{%k1}
	mem "vpmovsqd %xmm20,", "{%k1}"
	form vpmovsqd %ymm20, %xmm21{%k1}
	mem "vpmovsqd %ymm20,", "{%k1}"
	form vpmovsqd %zmm20, %ymm21{%k1}
	mem "vpmovsqd %zmm20,", "{%k1}"
	form vpmovusqd %xmm20, %xmm21{%k1}
	mem "vpmovusqd %xmm20,", "{%k1}"
	form vpmovusqd %ymm20, %xmm21{%k1}
	mem "vpmovusqd %ymm20,", "{%k1}"
	form vpmovusqd %zmm20, %ymm21{%k1}
	mem "vpmovusqd %zmm20,", "{%k1}"
	form vpmovdb %xmm20, %xmm21{%k1}
	mem "vpmovdb %xmm20,", "{%k1}"
	form vpmovdb %ymm20, %xmm21{%k1}
	mem "vpmovdb %ymm20,", "{%k1}"
	form vpmovdb %zmm20, %xmm21{%k1}
	mem "vpmovdb %zmm20,", "{%k1}"
	form vpmovsdb %xmm20, %xmm21{%k1}
	mem "vpmovsdb %xmm20,", "{%k1}"
	form vpmovsdb %ymm20, %xmm21{%k1}
	mem "vpmovsdb %ymm20,", "{%k1}"
	form vpmovsdb %zmm20, %xmm21{%k1}
	mem "vpmovsdb %zmm20,", "{%k1}"
	form vpmovusdb %xmm20, %xmm21{%k1}
	mem "vpmovusdb %xmm20,", "{%k1}"
	form vpmovusdb %ymm20, %xmm21{%k1}
	mem "vpmovusdb %ymm20,", "{%k1}"
	form vpmovusdb %zmm20, %xmm21{%k1}
	mem "vpmovusdb %zmm20,", "{%k1}"
	form vpmovqw %xmm20, %xmm21{%k1}
	mem "vpmovqw %xmm20,", "{%k1}"
	form vpmovqw %ymm20, %xmm21{%k1}
	mem "vpmovqw %ymm20,", "{%k1}"
	form vpmovqw %zmm20, %xmm21{%k1}
	mem "vpmovqw %zmm20,", "{%k1}"
	form vpmovsqw %xmm20, %xmm21{%k1}
	mem "vpmovsqw %xmm20,", "{%k1}"
	form vpmovsqw %ymm20, %xmm21{%k1}
	mem "vpmovsqw %ymm20,", "{%k1}"
	form vpmovsqw %zmm20, %xmm21{%k1}
	mem "vpmovsqw %zmm20,", "{%k1}"
	form vpmovusqw %xmm20, %xmm21{%k1}
	mem "vpmovusqw %xmm20,", "{%k1}"
	form vpmovusqw %ymm20, %xmm21{%k1}
	mem "vpmovusqw %ymm20,", "{%k1}"
	form vpmovusqw %zmm20, %xmm21{%k1}
	mem "vpmovusqw %zmm20,", "{%k1}"
	form vpmovqb %xmm20, %xmm21{%k1}
	mem "vpmovqb %xmm20,", "{%k1}"
	form vpmovqb %ymm20, %xmm21{%k1}
	mem "vpmovqb %ymm20,", "{%k1}"
	form vpmovqb %zmm20, %xmm21{%k1}
	mem "vpmovqb %zmm20,", "{%k1}"
	form vpmovsqb %xmm20, %xmm21{%k1}
	mem "vpmovsqb %xmm20,", "{%k1}"
	form vpmovsqb %ymm20, %xmm21{%k1}
	mem "vpmovsqb %ymm20,", "{%k1}"
	form vpmovsqb %zmm20, %xmm21{%k1}
	mem "vpmovsqb %zmm20,", "{%k1}"
	form vpmovusqb %xmm20, %xmm21{%k1}
	mem "vpmovusqb %xmm20,", "{%k1}"
	form vpmovusqb %ymm20, %xmm21{%k1}
	mem "vpmovusqb %ymm20,", "{%k1}"
	form vpmovusqb %zmm20, %xmm21{%k1}
	mem "vpmovusqb %zmm20,", "{%k1}"
