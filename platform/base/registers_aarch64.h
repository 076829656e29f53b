/* Names of the context's general register slots for AArch64; see registers_x86_64.h for who reads them. Plugin ABI. */
#ifndef SOFTLBR_PLATFORM_BASE_REGISTERS_AARCH64_H_
#define SOFTLBR_PLATFORM_BASE_REGISTERS_AARCH64_H_

enum {
  SOFTLBR_A64_X0 = 2, /* x0..x30: 2..32; xzr is SOFTLBR_REG_ZERO */
  SOFTLBR_A64_X30 = 32,
  SOFTLBR_A64_SP = 33,
  SOFTLBR_A64_TPIDR = 34,
  SOFTLBR_A64_FPCR = 35,
  SOFTLBR_A64_DCZID =
      36, /* dczid_el0, constant: bits 3:0 give the block size of dc zva (4 << n); bit 4 prohibits dc zva */
  /* SVE state. All of it is UNKNOWN if a vector has more than 64 bytes. */
  SOFTLBR_A64_SVE_LENGTH = 37, /* vector length in bytes */
  SOFTLBR_A64_SVE_BYTES = 38,  /* mask: one bit set for each byte of a vector */
  SOFTLBR_A64_P0 = 39,         /* p0..p15: 39..54, one bit for each byte of a vector, 0 above */
  SOFTLBR_A64_FFR = 55,
  SOFTLBR_A64_GENERAL_END = 56,
  /* z register r: SOFTLBR_REG_VECTOR + 8 * r; its low 16 bytes are v register r, bytes from SVE_LENGTH on are 0. */
};

#endif /* SOFTLBR_PLATFORM_BASE_REGISTERS_AARCH64_H_ */
