/* The block IR: the machine-independent form of code that decoder plugins produce. The evaluator knows an instruction
 * set only through it.
 *
 * Who writes: a decoder plugin's lift(). Who reads: runtime/lookahead (in signal handlers), tests, tools.
 * Memory: the caller's softlbr_block, which contains no pointers.
 * ABI: plain C structs. A change of any size, offset or value bumps SOFTLBR_DECODER_ABI_VERSION (plugin.h).
 *
 * Details:
 * MODEL
 * The context is an array of 8-byte register slots (SOFTLBR_REG_*) plus a flags record. Every byte of every register
 * slot is known or UNKNOWN. A block is a straight run of instructions. Each instruction has a sequence of
 * micro-operations ("uops", 16 bytes). The last instruction may be a terminator. To execute the block from instruction
 * i:
 *   1. run the uops of i, i+1, ... in order; of the terminator instruction only those before its last after_uops;
 *   2. evaluate the terminator: condition and target;
 *   3. run its last after_uops uops (a call's push, a return's pop);
 *   4. go to the target.
 * Decoders and the evaluator obey the exact-or-UNKNOWN rule: a value marked known is bit for bit what the CPU computes.
 *
 * WIDTH AND WRITES
 * `width` is in bytes. Scalar widths 1, 2, 4, 8: operands are the low `width` bytes of register slots a and b. With
 * SOFTLBR_UOP_A_HIGH / B_HIGH / DST_HIGH (width 1 only) the operand is byte 1 of the slot: ah, bh, ch, dh. The result
 * replaces the whole register slot, zero-extended, unless SOFTLBR_UOP_MERGE is set: then only the low `width` bytes (or
 * byte 1) of dst change. Vector widths 8, 16, 32, 64: operands are consecutive register slots starting at dst, a, b;
 * bytes of dst beyond `width` do not change (use SOFTLBR_OP_VZERO_ABOVE for zeroing forms). `lane` (in aux) is the
 * element size in bytes.
 * All operands are read before dst is written. Writes to SOFTLBR_REG_ZERO are ignored.
 * SOFTLBR_UOP_B_IMM: operand b is imm, sign-extended to 8 bytes then cut to width.
 * SOFTLBR_UOP_SET_FLAGS: the uop also replaces the flags record as its op states. */
#ifndef SOFTLBR_DECODERS_API_IR_H_
#define SOFTLBR_DECODERS_API_IR_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Register slots. platform/base/registers_<architecture>.h names the general ones. */
enum {
  SOFTLBR_REG_ZERO = 0,  /* reads as known 0 */
  SOFTLBR_REG_BLOCK = 1, /* address of the block's first byte: pc-relative operands are REG_BLOCK + imm */
  SOFTLBR_REG_GENERAL =
      2, /* 61 architecture-named register slots: integer registers, thread pointer, mask registers, ... */
  SOFTLBR_REG_ATOMIC =
      63, /* 0. Known where atomic operations are evaluated like others, UNKNOWN where other threads may take
                                    part. Decoders OR what an atomic operation loads with it */
  SOFTLBR_REG_TEMP = 64, /* 32 temporaries; their values end with the instruction */
  SOFTLBR_REG_VECTOR =
      96, /* 32 vector registers of 8 register slots (64 bytes) each; register r starts at VECTOR + 8 * r */
  SOFTLBR_REG_VECTOR_TEMP = 352, /* 4 temporary vectors of 8 register slots */
  SOFTLBR_REG_COUNT = 384,
};
#define SOFTLBR_GENERAL_SLOTS 62 /* with REG_ATOMIC */
#define SOFTLBR_TEMP_SLOTS 32
#define SOFTLBR_VECTOR_REGISTERS 32
#define SOFTLBR_SLOTS_PER_VECTOR 8

/* Flags record: six one-bit flags, each known or UNKNOWN. Bit numbers in packed form (GET_FLAGS / SET_FLAGS). */
enum {
  SOFTLBR_FLAG_C = 1 << 0, /* carry. x86: borrow on subtraction. A64: set with SOFTLBR_UOP_CARRY_NOT_BORROW */
  SOFTLBR_FLAG_P = 1 << 1, /* even parity of the result's low byte */
  SOFTLBR_FLAG_A = 1 << 2, /* carry out of bit 3 */
  SOFTLBR_FLAG_Z = 1 << 3, /* result == 0 */
  SOFTLBR_FLAG_S = 1 << 4, /* sign bit of the result (A64: N) */
  SOFTLBR_FLAG_V = 1 << 5, /* signed overflow (x86: OF) */
  SOFTLBR_FLAG_ALL = 63,
};

/* Conditions over the flags record; also the value of `aux` in SETCC, SELECT, CCMP. Up to LS, each odd value negates
 * the even value before it. */
enum softlbr_condition {
  SOFTLBR_COND_ALWAYS = 0,
  SOFTLBR_COND_NEVER = 1,
  SOFTLBR_COND_Z = 2,   /* Z                    x86 e,  A64 eq */
  SOFTLBR_COND_NZ = 3,  /* !Z */
  SOFTLBR_COND_C = 4,   /* C                    x86 b,  A64 hs */
  SOFTLBR_COND_NC = 5,  /* !C */
  SOFTLBR_COND_S = 6,   /* S                    x86 s,  A64 mi */
  SOFTLBR_COND_NS = 7,  /* !S */
  SOFTLBR_COND_V = 8,   /* V */
  SOFTLBR_COND_NV = 9,  /* !V */
  SOFTLBR_COND_P = 10,  /* P */
  SOFTLBR_COND_NP = 11, /* !P */
  SOFTLBR_COND_BE = 12, /* C || Z               x86 be */
  SOFTLBR_COND_A = 13,  /* !C && !Z             x86 a */
  SOFTLBR_COND_LT = 14, /* S != V */
  SOFTLBR_COND_GE = 15, /* S == V */
  SOFTLBR_COND_LE = 16, /* Z || S != V */
  SOFTLBR_COND_GT = 17, /* !Z && S == V */
  SOFTLBR_COND_HI = 18, /* C && !Z              A64 hi */
  SOFTLBR_COND_LS = 19, /* !C || Z              A64 ls */
  /* Terminators only: conditions over the low cond_width bytes of register slot cond_reg, not the flags. */
  SOFTLBR_COND_REG_ZERO = 20,    /* == 0        x86 jrcxz, A64 cbz */
  SOFTLBR_COND_REG_NONZERO = 21, /* != 0        A64 cbnz */
  SOFTLBR_COND_BIT_ZERO = 22,    /* bit cond_bit is 0   A64 tbz */
  SOFTLBR_COND_BIT_ONE = 23,     /* bit cond_bit is 1   A64 tbnz */
  /* x86 loope / loopne: cond_reg != 0 && Z (or !Z). */
  SOFTLBR_COND_REG_NONZERO_AND_Z = 24,
  SOFTLBR_COND_REG_NONZERO_AND_NZ = 25,
  SOFTLBR_COND_UNKNOWN = 26, /* the decoder cannot express the condition (xbegin): only a breakpoint resolves it */
  SOFTLBR_COND_MAX_VALUE = SOFTLBR_COND_UNKNOWN,
};

/* uop flag bits. */
enum {
  SOFTLBR_UOP_SET_FLAGS = 1 << 0,
  SOFTLBR_UOP_B_IMM = 1 << 1,
  SOFTLBR_UOP_MERGE = 1 << 2,
  SOFTLBR_UOP_A_HIGH = 1 << 3,
  SOFTLBR_UOP_B_HIGH = 1 << 4,
  SOFTLBR_UOP_DST_HIGH = 1 << 5,
  SOFTLBR_UOP_CARRY_NOT_BORROW = 1 << 6, /* SUB, SBB: C means "no borrow" (A64), as result and as input */
  SOFTLBR_UOP_SIGNED = 1 << 7,           /* op has a signed form: see there */
  SOFTLBR_UOP_KEEP_C = 1 << 8,           /* SET_FLAGS leaves C as it was (inc, dec) */
  SOFTLBR_UOP_SCALAR = 1 << 9,  /* vector FP op acts on lane 0 only; other lanes of dst come from a up to 16 bytes */
  SOFTLBR_UOP_NEGATE = 1 << 10, /* op-specific */
  SOFTLBR_UOP_CLEAR_CV_AP = 1 << 11, /* reserved, must be 0 */
};

/* ops.def says what each op does. */
enum softlbr_op {
#define SOFTLBR_OP_ROW(name, value, family, operands, flags, text) SOFTLBR_OP_##name = value,
#include "decoders/api/ops.def"
  SOFTLBR_OP_MAX_VALUE = SOFTLBR_OP_VSTORE_MASKED,
};

struct softlbr_uop {
  uint16_t op;   /* enum softlbr_op */
  uint8_t width; /* bytes */
  uint8_t aux;   /* shift of b in an address, lane size, condition: see the op */
  uint16_t dst;  /* register slots */
  uint16_t a;
  uint16_t b;
  uint16_t flags; /* SOFTLBR_UOP_* */
  int32_t imm;
};

enum softlbr_terminator_kind {
  SOFTLBR_END_FALLTHROUGH = 0, /* the block was cut (full, or end of the window): continue at its end; not a branch */
  SOFTLBR_END_CONDITIONAL = 1, /* taken to target if condition, else to the block's end */
  SOFTLBR_END_JUMP = 2,        /* direct */
  SOFTLBR_END_CALL = 3,        /* direct */
  SOFTLBR_END_RETURN = 4,
  SOFTLBR_END_INDIRECT_JUMP = 5,
  SOFTLBR_END_INDIRECT_CALL = 6,
  SOFTLBR_END_SYSCALL = 7,      /* enters the kernel, which usually returns to the block's end */
  SOFTLBR_END_TRAP = 8,         /* int3, ud2, hlt, brk, permanently undefined: the path continues in the kernel */
  SOFTLBR_END_FAR = 9,          /* far transfers, iret, sysret ..., system calls that never return to the block's end */
  SOFTLBR_END_UNDECODABLE = 10, /* the bytes at the block's end are no known instruction */
  SOFTLBR_END_MAX_VALUE = SOFTLBR_END_UNDECODABLE,
};

enum {
  SOFTLBR_END_FLAG_EXCLUSIVE_OPEN =
      1 << 0, /* a load-exclusive of this block is open at its end (A64): no breakpoint may be
                                                 armed from that instruction until a block closes it or
                                                 kExclusiveInstructions have passed */
  SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED =
      1 << 2, /* no exclusive is open at the block's end: this block has a store-exclusive or
                                               clrex. With neither flag, an exclusive that was open before the block
                                               stays so */
  SOFTLBR_END_FLAG_CUT_BY_WINDOW =
      1
      << 1, /* FALLTHROUGH/UNDECODABLE because the window ended: lift again from the block's end with more code bytes */
};

/* Target: base + (index << scale) + disp, modulo 2^64; if load_bytes != 0, the zero-extended value of that many bytes
 * loaded from there. A64: the bits above a user-space address are ignored: a tag, or bits that must be 0 because the
 * branch faults otherwise. A direct target has REG_BLOCK as base, or a temporary computed from it. Evaluated before the
 * last after_uops uops.
 * SYSCALL: if the low 4 bytes of cond_reg are disp, and disp is not 0, the call never returns to the block's end
 * (rt_sigreturn). */
struct softlbr_terminator {
  uint8_t kind;       /* enum softlbr_terminator_kind */
  uint8_t condition;  /* enum softlbr_condition; ALWAYS unless CONDITIONAL */
  uint8_t cond_width; /* bytes of cond_reg; SYSCALL: unused */
  uint8_t cond_bit;
  uint16_t cond_reg;
  uint16_t base;
  uint16_t index;
  uint8_t scale;
  uint8_t load_bytes;
  int64_t disp;
  uint16_t after_uops; /* the last after_uops uops of the block run after the target is known */
  uint8_t flags;       /* SOFTLBR_END_FLAG_* */
  uint8_t reserved;
  uint32_t reserved2;
};

#define SOFTLBR_BLOCK_MAX_INSTRUCTIONS 64
#define SOFTLBR_BLOCK_MAX_UOPS 192

/* One lifted block. Instruction i starts at pc + sum(length[0..i)). The last instruction is the terminator, unless
 * `end` is FALLTHROUGH or UNDECODABLE. */
struct softlbr_block {
  uint64_t pc;
  uint32_t byte_length; /* of all instructions, terminator included */
  uint16_t instruction_count;
  uint16_t uop_count;
  struct softlbr_terminator end;
  uint8_t length[SOFTLBR_BLOCK_MAX_INSTRUCTIONS]; /* exact, in bytes */
  uint8_t uops_of
      [SOFTLBR_BLOCK_MAX_INSTRUCTIONS]; /* number of uops of instruction i; the terminator's include after_uops */
  struct softlbr_uop uops[SOFTLBR_BLOCK_MAX_UOPS];
};

#ifdef __cplusplus
}  // extern "C"
static_assert(sizeof(softlbr_uop) == 16, "uop layout is plugin ABI: bump SOFTLBR_DECODER_ABI_VERSION");
static_assert(sizeof(softlbr_terminator) == 32, "terminator layout is plugin ABI: bump SOFTLBR_DECODER_ABI_VERSION");
#endif

#endif /* SOFTLBR_DECODERS_API_IR_H_ */
