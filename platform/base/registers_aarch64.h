/* Names of the context's general register slots for AArch64; see cells_x86_64.h for who reads them. Plugin ABI. */
#ifndef SOFTLBR_PLATFORM_BASE_REGISTERS_AARCH64_H_
#define SOFTLBR_PLATFORM_BASE_REGISTERS_AARCH64_H_

enum {
  SOFTLBR_A64_X0 = 2, /* x0..x30: 2..32; xzr is SOFTLBR_REG_ZERO */
  SOFTLBR_A64_X30 = 32,
  SOFTLBR_A64_SP = 33,
  SOFTLBR_A64_TPIDR = 34,
  SOFTLBR_A64_FPCR = 35,
  SOFTLBR_A64_DCZID = 36, /* dczid_el0: constant, bits 3:0 the size of what dc zva zeroes (4 << n), bit 4 that it may not */
  /* SVE, where a vector has at most 64 bytes; else UNKNOWN, all of it. */
  SOFTLBR_A64_SVE_LENGTH = 37, /* bytes of a vector */
  SOFTLBR_A64_SVE_BYTES = 38,  /* a one for each of them */
  SOFTLBR_A64_P0 = 39,         /* p0..p15: 39..54, a bit for each byte of a vector, zeroes above */
  SOFTLBR_A64_FFR = 55,
  SOFTLBR_A64_GENERAL_END = 56,
  /* z register r: SOFTLBR_REG_VECTOR + 8 * r; its low 16 bytes are v register r, bytes beyond SVE_LENGTH are 0. */
};

#endif /* SOFTLBR_PLATFORM_BASE_REGISTERS_AARCH64_H_ */
