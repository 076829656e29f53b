/* Names of the context's general cells for AArch64; see cells_x86_64.h for who reads them. Plugin ABI. */
#ifndef SOFTLBR_RUNTIME_BASE_CELLS_AARCH64_H_
#define SOFTLBR_RUNTIME_BASE_CELLS_AARCH64_H_

enum {
  SOFTLBR_A64_X0 = 2, /* x0..x30: 2..32; xzr is SOFTLBR_CELL_ZERO */
  SOFTLBR_A64_X30 = 32,
  SOFTLBR_A64_SP = 33,
  SOFTLBR_A64_TPIDR = 34,
  SOFTLBR_A64_FPCR = 35,
  SOFTLBR_A64_DCZID = 36, /* dczid_el0: constant, bits 3:0 the size of what dc zva zeroes (4 << n), bit 4 that it may not */
  SOFTLBR_A64_GENERAL_END = 37,
  /* v register r: SOFTLBR_CELL_VECTOR + 8 * r, low 16 bytes. */
};

#endif  /* SOFTLBR_RUNTIME_BASE_CELLS_AARCH64_H_ */
