/* Names of the context's general cells for AArch64; see cells_x86_64.h for who reads them. Plugin ABI. */
#ifndef SOFTLBR_RUNTIME_BASE_CELLS_AARCH64_H_
#define SOFTLBR_RUNTIME_BASE_CELLS_AARCH64_H_

enum {
  SOFTLBR_A64_X0 = 2, /* x0..x30: 2..32; xzr is SOFTLBR_CELL_ZERO */
  SOFTLBR_A64_X30 = 32,
  SOFTLBR_A64_SP = 33,
  SOFTLBR_A64_TPIDR = 34,
  SOFTLBR_A64_FPCR = 35,
  SOFTLBR_A64_GENERAL_END = 36,
  /* v register r: SOFTLBR_CELL_VECTOR + 8 * r, low 16 bytes. */
};

#endif  /* SOFTLBR_RUNTIME_BASE_CELLS_AARCH64_H_ */
