/* Offsets shared by trampoline_x86_64.S and native_runner.cc. Macros only.
 *
 * One mapping, from its start: */
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_LAYOUT_ASM_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_LAYOUT_ASM_H_

#define ORACLE_TRAMPOLINE_PAGE 0x0000 /* entry and exit code, copied here */
#define ORACLE_SLOT_PAGE 0x1000       /* int3, except the instructions under test and the jump after them */
#define ORACLE_SLOT_END 0x1600        /* the code under test ends here: rip-relative operands are aligned */
#define ORACLE_IN_PAGE 0x2000         /* NativeState before */
#define ORACLE_OUT_PAGE 0x3000        /* NativeState after */
#define ORACLE_OWN_BYTES 0x4000       /* size of the pages above */
/* Two pages between unmapped ones, for memory operands and the stack. They are far from the other pages, so that an
 * address with some wrong bits faults instead of overwriting the runner. */
#define ORACLE_SCRATCH 0x8000000
#define ORACLE_SCRATCH_BYTES 0x2000
#define ORACLE_REGION_BYTES 0x8004000

/* NativeState. */
#define ORACLE_FXSAVE 0 /* 512 bytes as fxsave64 writes them */
#define ORACLE_GPR 512
#define ORACLE_RFLAGS 640
#define ORACLE_K 648
#define ORACLE_ZMM 768
#define ORACLE_STATE_BYTES 2816

/* In the in page, after the state: the trampoline's own data. */
#define ORACLE_SAVED_RSP 2816
#define ORACLE_VECTOR_LEVEL 2824 /* 0 SSE, 1 AVX, 2 AVX-512BW */
#define ORACLE_ENTRY 2832        /* first byte of the code under test */

#endif /* SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_LAYOUT_ASM_H_ */
