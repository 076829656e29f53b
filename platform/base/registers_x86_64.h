/* Names of the context's general register slots for x86-64. Used by the decoder plugin (in uops), the platform (fills a
 * context from a signal frame) and tests. Values are register slot numbers of decoders/api/ir.h. Plugin ABI. */
#ifndef SOFTLBR_PLATFORM_BASE_REGISTERS_X86_64_H_
#define SOFTLBR_PLATFORM_BASE_REGISTERS_X86_64_H_

enum {
  SOFTLBR_X86_RAX = 2, /* general registers in encoding order: rax rcx rdx rbx rsp rbp rsi rdi r8..r15 */
  SOFTLBR_X86_RCX = 3,
  SOFTLBR_X86_RDX = 4,
  SOFTLBR_X86_RBX = 5,
  SOFTLBR_X86_RSP = 6,
  SOFTLBR_X86_RBP = 7,
  SOFTLBR_X86_RSI = 8,
  SOFTLBR_X86_RDI = 9,
  SOFTLBR_X86_R8 = 10,
  SOFTLBR_X86_R15 = 17,
  SOFTLBR_X86_FS_BASE = 18,
  SOFTLBR_X86_GS_BASE = 19,
  SOFTLBR_X86_K0 = 20, /* k0..k7: 20..27 */
  SOFTLBR_X86_K7 = 27,
  SOFTLBR_X86_MXCSR = 28,
  SOFTLBR_X86_MM0 = 29, /* mm0..mm7 / x87 significands: 29..36; x87 semantics are UNKNOWN */
  SOFTLBR_X86_MM7 = 36,
  SOFTLBR_X86_DF = 37, /* direction flag, 0 or 1 */
  SOFTLBR_X86_GENERAL_END = 38,
  /* zmm register r: SOFTLBR_REG_VECTOR + 8 * r. */
};

#endif /* SOFTLBR_PLATFORM_BASE_REGISTERS_X86_64_H_ */
