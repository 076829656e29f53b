/* The block IR: the machine-independent form of code that decoder plugins produce. The evaluator knows an instruction set only
 * through it.
 *
 * Who writes: a decoder plugin's lift(). Who reads: runtime/lookahead (in signal handlers), tests, tools.
 * Memory: the caller's softlbr_block, which contains no pointers.
 * ABI: plain C structs. A change of any size, offset or value bumps SOFTLBR_DECODER_ABI_VERSION (plugin.h).
 *
 * MODEL
 * The context is an array of 8-byte register slots (SOFTLBR_REG_*) plus a flags record. Every byte of every register slot is known
 * or UNKNOWN. A block is a straight run of instructions. Each instruction has a sequence of micro-operations ("uops", 16 bytes).
 * The last instruction may be a terminator. To execute the block from instruction i:
 *   1. run the uops of i, i+1, ... in order; of the terminator instruction only those before its last after_uops;
 *   2. evaluate the terminator: condition and target;
 *   3. run its last after_uops uops (a call's push, a return's pop);
 *   4. go to the target.
 * Decoders and the evaluator obey the exact-or-UNKNOWN rule: a value marked known is bit for bit what the CPU computes.
 *
 * WIDTH AND WRITES
 * `width` is in bytes. Scalar widths 1, 2, 4, 8: operands are the low `width` bytes of register slots a and b. With
 * SOFTLBR_UOP_A_HIGH / B_HIGH / DST_HIGH (width 1 only) the operand is byte 1 of the slot: ah, bh, ch, dh. The result replaces the
 * whole register slot, zero-extended, unless SOFTLBR_UOP_MERGE is set: then only the low `width` bytes (or byte 1) of dst change.
 * Vector widths 8, 16, 32, 64: operands are consecutive register slots starting at dst, a, b; bytes of dst beyond `width` do not
 * change (use SOFTLBR_OP_VZERO_ABOVE for zeroing forms). `lane` (in aux) is the element size in bytes.
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
  SOFTLBR_REG_ZERO = 0,          /* reads as known 0 */
  SOFTLBR_REG_BLOCK = 1,         /* address of the block's first byte: pc-relative operands are REG_BLOCK + imm */
  SOFTLBR_REG_GENERAL = 2,       /* 61 architecture-named register slots: integer registers, thread pointer, mask registers, ... */
  SOFTLBR_REG_ATOMIC = 63,       /* 0. Known where atomic operations are evaluated like others, UNKNOWN where other threads may take
                                    part. Decoders OR what an atomic operation loads with it */
  SOFTLBR_REG_TEMP = 64,         /* 32 temporaries; their values end with the instruction */
  SOFTLBR_REG_VECTOR = 96,       /* 32 vector registers of 8 register slots (64 bytes) each; register r starts at VECTOR + 8 * r */
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

/* Conditions over the flags record; also the value of `aux` in SETCC, SELECT, CCMP. Up to LS, each odd value negates the even value
 * before it. */
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
  SOFTLBR_UOP_SCALAR = 1 << 9,           /* vector FP op acts on lane 0 only; other lanes of dst come from a up to 16 bytes */
  SOFTLBR_UOP_NEGATE = 1 << 10,          /* op-specific */
  SOFTLBR_UOP_CLEAR_CV_AP = 1 << 11,     /* reserved, must be 0 */
};

/* Address of memory ops: register slot a + (register slot b << aux) + imm, modulo 2^64. An absent a or b is REG_ZERO. */
/* clang-format off */
enum softlbr_op {
  SOFTLBR_OP_NOP = 0,
  /* --- moves and constants --- */
  SOFTLBR_OP_CONST = 1,      /* dst = sign_extend64(imm), then write by width/MERGE */
  SOFTLBR_OP_CONST_HIGH = 2, /* dst[63:32] = imm; dst[31:0] kept */
  SOFTLBR_OP_MOV = 3,        /* dst = a  (scalar widths) */
  SOFTLBR_OP_UNKNOWN = 4,    /* dst = UNKNOWN; any width 1..64: bytes of consecutive register slots; scalar widths 1,2,4,8 obey
                                zero-extension/MERGE */
  SOFTLBR_OP_SIGN_EXTEND = 5, /* dst = sign_extend(low aux bytes of a (A_HIGH: byte 1)) to width */
  SOFTLBR_OP_ZERO_EXTEND = 6, /* dst = zero_extend(low aux bytes of a (A_HIGH: byte 1)) to width */
  SOFTLBR_OP_ADDRESS = 7,    /* dst = a + (b << aux) + imm, cut to width (lea) */
  /* --- memory --- */
  SOFTLBR_OP_LOAD = 8,  /* dst = mem[address], `width` bytes; 1..8 scalar. SIGNED: sign-extended to 8 bytes. MERGE ok */
  SOFTLBR_OP_STORE = 9, /* mem[address] = low `width` bytes of dst (DST_HIGH: byte 1); dst is read, not written */
  SOFTLBR_OP_STORE_UNKNOWN = 10, /* `width` bytes (1..64) at address become UNKNOWN: atomics, unmodelled stores. Larger areas:
                                    width 0, register slot dst holds the length in bytes */
  SOFTLBR_OP_VLOAD = 11,  /* vector load of `width` bytes (4, 8, 16, 32, 64) into consecutive register slots; no other byte
                             changes */
  SOFTLBR_OP_VSTORE = 12, /* vector store of `width` bytes (1..64) from consecutive register slots at dst */
  SOFTLBR_OP_CLOBBER_MEMORY = 13, /* all memory is UNKNOWN from here on (until the true state is known again) */
  /* String ops. dst = slot of the destination pointer, a = slot of the source pointer, b = slot of the count (REG_ZERO: once, no
   * rep). aux bit 0: direction down. aux bits 7..2, if not 0: the slot that holds the direction instead (x86 DF): known 0 is up,
   * known 1 is down; otherwise everything the op writes is UNKNOWN. width = element bytes. */
  SOFTLBR_OP_STRING_MOVE = 14,  /* while count-- { mem[dst] = mem[a]; dst += width; a += width } */
  SOFTLBR_OP_STRING_STORE = 15, /* while count-- { mem[dst] = register slot imm; dst += width } */
  SOFTLBR_OP_STRING_SCAN = 16,  /* scas: while count-- { flags = register slot imm - mem[dst]; dst += width; stop if Z != aux bit
                                   1 }; SET_FLAGS */
  SOFTLBR_OP_STRING_COMPARE = 17, /* cmps: while count-- { flags = mem[a] - mem[dst]; both += width; stop if Z != aux bit 1 };
                                     SET_FLAGS */
  /* --- integer arithmetic. The right column gives the flags that SET_FLAGS writes --- */
  SOFTLBR_OP_ADD = 18,  /* dst = a + b             C P A Z S V */
  SOFTLBR_OP_SUB = 19,  /* dst = a - b             C P A Z S V */
  SOFTLBR_OP_ADC = 20,  /* dst = a + b + C         C P A Z S V */
  SOFTLBR_OP_SBB = 21,  /* dst = a - b - C (CARRY_NOT_BORROW: a - b - !C)   C P A Z S V */
  SOFTLBR_OP_AND = 22,  /* dst = a & b             C=0 V=0 P Z S, A UNKNOWN */
  SOFTLBR_OP_OR = 23,   /* dst = a | b             same */
  SOFTLBR_OP_XOR = 24,  /* dst = a ^ b             same. a == b (same register slot): known 0 even if UNKNOWN */
  SOFTLBR_OP_ANDN = 25, /* dst = ~a & b            same, P UNKNOWN (NEGATE: ~b & a, A64 bic) */
  SOFTLBR_OP_ORN = 26,  /* dst = a | ~b            same, P UNKNOWN */
  SOFTLBR_OP_NOT = 27,  /* dst = ~a                no flags */
  SOFTLBR_OP_NEG = 28,  /* dst = 0 - a             flags as SUB */
  SOFTLBR_OP_MUL = 29,  /* dst = low(a * b). SET_FLAGS: C = V = signed result does not fit (SIGNED) / high half != 0 (unsigned);
                           P A Z S UNKNOWN */
  SOFTLBR_OP_MUL_HIGH = 30, /* dst = high `width` bytes of a * b; SIGNED or not. no flags */
  SOFTLBR_OP_DIV = 31,  /* dst = (register slot imm : a) / b; register slot imm holds the dividend's high part; SIGNED or not.
                           Traps (ends the trace) if the fault is known; UNKNOWN if b is UNKNOWN. SET_FLAGS: all UNKNOWN. NEGATE:
                           A64 rules (no trap, x/0 = 0; high part ignored) */
  SOFTLBR_OP_REM = 32,  /* remainder of that division */
  /* Shifts. Count = b masked as on x86 (width 8: 63, else 31). Count 0: dst = a by the usual write, flags unchanged.
   * SET_FLAGS by x86 rules: C = last bit shifted out, V defined for count 1 only (else UNKNOWN), P Z S by result, A UNKNOWN. */
  SOFTLBR_OP_SHL = 33,
  SOFTLBR_OP_SHR = 34,
  SOFTLBR_OP_SAR = 35,
  SOFTLBR_OP_ROL = 36,  /* SET_FLAGS: C (low bit of result), V for count 1 else UNKNOWN; P A Z S unchanged */
  SOFTLBR_OP_ROR = 37,  /* SET_FLAGS: C (top bit of result), V for count 1 else UNKNOWN; P A Z S unchanged */
  SOFTLBR_OP_RCL = 38,  /* rotate through C; SET_FLAGS as ROL */
  SOFTLBR_OP_RCR = 39,
  SOFTLBR_OP_SHLD = 40, /* dst = high `width` of (dst_in : b) << count; a = first operand, b = filler, count = register slot imm
                           (>= 0) or ~imm constant (imm < 0: count = -imm - 1) */
  SOFTLBR_OP_SHRD = 41,
  SOFTLBR_OP_EXTRACT = 42, /* A64 extr: dst = low width of (a : b) >> aux bits */
  SOFTLBR_OP_BIT_TEST = 43,   /* C = bit (b mod bits) of a; other flags unchanged. SET_FLAGS required. dst ignored */
  SOFTLBR_OP_BIT_SET = 44,    /* as BIT_TEST, and dst = a with the bit set */
  SOFTLBR_OP_BIT_CLEAR = 45,
  SOFTLBR_OP_BIT_FLIP = 46,
  SOFTLBR_OP_BSF = 47,    /* dst = index of lowest one bit of a. a == 0: dst = b by the usual write, Z = 1. SET_FLAGS: Z = (a ==
                             0), others UNKNOWN */
  SOFTLBR_OP_BSR = 48,    /* dst = index of highest one bit; otherwise as BSF */
  SOFTLBR_OP_CTZ = 49,    /* dst = trailing zeros (bits if a == 0). SET_FLAGS (tzcnt): C = (a == 0), Z = (dst == 0), others
                             UNKNOWN */
  SOFTLBR_OP_CLZ = 50,    /* dst = leading zeros; otherwise as CTZ (lzcnt) */
  SOFTLBR_OP_POPCOUNT = 51, /* dst = number of one bits. SET_FLAGS: Z = (a == 0), C P A S V = 0 */
  SOFTLBR_OP_BYTE_SWAP = 52,
  SOFTLBR_OP_BIT_REVERSE = 53, /* A64 rbit */
  SOFTLBR_OP_BYTE_SWAP_LANES = 54, /* reverses bytes within each aux-byte group (A64 rev16, rev32) */
  SOFTLBR_OP_PDEP = 55,  /* dst = deposit(a, mask b) */
  SOFTLBR_OP_PEXT = 56,
  SOFTLBR_OP_BLSI = 57,   /* dst = a & -a.       SET_FLAGS: C = (a != 0), Z S by result, V = 0, A P UNKNOWN */
  SOFTLBR_OP_BLSR = 58,   /* dst = a & (a - 1).  SET_FLAGS: C = (a == 0), Z S by result, V = 0, A P UNKNOWN */
  SOFTLBR_OP_BLSMSK = 59, /* dst = a ^ (a - 1).  SET_FLAGS: C = (a == 0), Z S by result (Z = 0), V = 0, A P UNKNOWN */
  SOFTLBR_OP_BEXTR = 60,  /* dst = (a >> b[7:0]) & ones(b[15:8]). SET_FLAGS: Z by result, C = V = 0, A S P UNKNOWN */
  SOFTLBR_OP_BZHI = 61,   /* dst = a & ones(min(b[7:0], bits)). SET_FLAGS: C = (b[7:0] >= bits), Z S by result, V = 0, A P
                             UNKNOWN */
  SOFTLBR_OP_CRC32C = 62, /* dst = crc32c(low 4 bytes of a, low aux bytes of b). NEGATE: with the Ethernet polynomial (A64 crc32) */
  SOFTLBR_OP_BITFIELD = 63, /* A64 ubfm/sbfm/bfm: lsb = imm[5:0], len = imm[13:8] (0: 64), position = imm[21:16]: dst = (MERGE ?
                               dst : 0) with the field (b >> lsb) & ones(len) inserted at position; SIGNED: sign-extended from
                               the field's top bit. The write is always full and zero-extended */
  SOFTLBR_OP_MADD = 64,     /* dst = register slot imm + a * b (NEGATE: register slot imm - a * b) */
  SOFTLBR_OP_MADD_LONG = 65, /* dst(8) = register slot imm + extend(a.w) * extend(b.w), SIGNED or not; NEGATE subtracts */
  /* --- flags --- */
  SOFTLBR_OP_SETCC = 66,    /* dst = condition aux ? 1 : 0 (NEGATE: ? all ones : 0) */
  SOFTLBR_OP_SELECT = 67,   /* dst = condition aux ? a : b (both read; UNKNOWN condition: bytes equal and known in both stay
                               known) */
  SOFTLBR_OP_GET_FLAGS = 68, /* dst = packed flags (8 bytes, unknown flags make the byte UNKNOWN) */
  SOFTLBR_OP_SET_FLAGS_FROM = 69, /* flags in mask imm = packed bits of a */
  SOFTLBR_OP_CLOBBER_FLAGS = 70,  /* flags in mask imm become UNKNOWN */
  SOFTLBR_OP_FLAGS_CONST = 71,    /* flags in mask imm take the packed value aux (known) */
  SOFTLBR_OP_FLIP_CARRY = 72,     /* C = !C */
  SOFTLBR_OP_CCMP = 73, /* A64: if condition aux, flags of a - b (CARRY_NOT_BORROW), with NEGATE flags of a + b; else N Z C V =
                           packed imm[21:16]. With B_IMM, b is imm[4:0] */
  /* --- vectors: integer. aux is the lane size unless stated otherwise. A "16-byte chunk" has 8 bytes if width is 8 (MMX).
   * Ops whose source and destination lanes differ in size (VEXTEND, VTRUNCATE, packed FLOAT_TO_FLOAT, INTS_TO_FLOATS,
   * FLOATS_TO_INTS): width = bytes of the wider side; (width / wider lane size) lanes are converted; only the bytes of the result's
   * lanes change. --- */
  SOFTLBR_OP_VMOV = 74,        /* dst = a, width bytes */
  SOFTLBR_OP_VZERO_ABOVE = 75, /* bytes [width, 64) of the register at dst = 0 (width 0: all of it); also of the imm registers
                                  after it (vzeroupper: imm 15) */
  SOFTLBR_OP_VBROADCAST = 76,  /* every aux-byte lane of dst = lane 0 of a (a may be a scalar register slot) */
  SOFTLBR_OP_VINSERT = 77,     /* lane imm of dst (size aux, 1..32) = low aux bytes of a; other lanes kept */
  SOFTLBR_OP_VEXTRACT = 78,    /* scalar dst = zero-extended lane imm (size aux <= 8) of a; SIGNED: sign-extended to width */
  SOFTLBR_OP_VEXTRACT_WIDE = 79, /* dst low `width` (16, 32) bytes = chunk imm of a (chunks of `width`) */
  SOFTLBR_OP_VAND = 80,
  SOFTLBR_OP_VOR = 81,
  SOFTLBR_OP_VXOR = 82, /* same register: known 0 */
  SOFTLBR_OP_VANDN = 83, /* ~a & b */
  SOFTLBR_OP_VTERNARY = 84, /* bitwise: imm[7:0] = truth table index (dst_in << 2 | a << 1 | b) */
  SOFTLBR_OP_VADD = 85,
  SOFTLBR_OP_VSUB = 86,
  SOFTLBR_OP_VADD_SAT = 87, /* SIGNED or unsigned saturation */
  SOFTLBR_OP_VSUB_SAT = 88,
  SOFTLBR_OP_VMUL_LOW = 89,
  SOFTLBR_OP_VMUL_HIGH = 90,  /* SIGNED or not */
  SOFTLBR_OP_VMUL_EVEN = 91,  /* pmuludq/pmuldq: dst lane (8) = even 4-byte lanes multiplied; SIGNED or not */
  SOFTLBR_OP_VMUL_ADD_PAIRS = 92, /* pmaddwd */
  SOFTLBR_OP_VMUL_ADD_UBSB = 93,  /* pmaddubsw */
  SOFTLBR_OP_VSUM_ABS_DIFF = 94,  /* psadbw */
  SOFTLBR_OP_VAVERAGE = 95,       /* pavg */
  SOFTLBR_OP_VABS = 96, /* of a */
  SOFTLBR_OP_VMIN = 97, /* SIGNED or not */
  SOFTLBR_OP_VMAX = 98,
  SOFTLBR_OP_VCMP_EQ = 99,  /* lane = all ones or 0; NEGATE: inverted */
  SOFTLBR_OP_VCMP_GT = 100, /* SIGNED or not; NEGATE: inverted (<=) */
  SOFTLBR_OP_VSHL = 101, /* count = b's low 8 bytes, or B_IMM; count >= bits: 0 (SAR: sign) */
  SOFTLBR_OP_VSHR = 102,
  SOFTLBR_OP_VSAR = 103,
  SOFTLBR_OP_VSHL_LANES = 104, /* per-lane counts in b (vpsllv) */
  SOFTLBR_OP_VSHR_LANES = 105,
  SOFTLBR_OP_VSAR_LANES = 106,
  SOFTLBR_OP_VBYTE_SHL = 107, /* within each 16-byte chunk, by imm bytes (pslldq) */
  SOFTLBR_OP_VBYTE_SHR = 108,
  SOFTLBR_OP_VALIGN = 109,    /* palignr: each chunk of 16: low of (a:b) >> imm bytes */
  SOFTLBR_OP_VSHUFFLE = 110,  /* pshufd: in each 16-byte chunk, lane i = a[imm >> 2i & 3], aux = 4; aux 2: low four words
                                 (pshuflw), NEGATE high four (pshufhw) */
  SOFTLBR_OP_VSHUFFLE2 = 111, /* shufps (aux 4) / shufpd (aux 8): from a, then b */
  SOFTLBR_OP_VSHUFFLE_BYTES = 112, /* pshufb: table a, control b, 16-byte chunks */
  SOFTLBR_OP_VPERMUTE = 113,  /* vpermd/q/b across the register: lane i = a[b[i] mod lanes]; B_IMM: 8-byte lanes, imm 2 bits
                                 each, per 32 bytes */
  SOFTLBR_OP_VPERM2_128 = 114, /* vperm2i128/f128: imm */
  SOFTLBR_OP_VUNPACK_LOW = 115,  /* interleave low halves of each 16-byte chunk: a first */
  SOFTLBR_OP_VUNPACK_HIGH = 116,
  SOFTLBR_OP_VPACK = 117,   /* packss (SIGNED) / packus: aux = source lane */
  SOFTLBR_OP_VEXTEND = 118, /* pmovzx / pmovsx (SIGNED): aux = source lane, imm = destination lane */
  SOFTLBR_OP_VTRUNCATE = 119, /* vpmov*: aux = source lane, imm = destination lane, no saturation */
  SOFTLBR_OP_VBLEND = 120,     /* lane i of dst = imm bit i ? b : a (bit i & 7 for words of 32 bytes) */
  SOFTLBR_OP_VBLEND_VAR = 121, /* top bit of each lane of register slot imm's vector ? b : a */
  SOFTLBR_OP_VMASK_BITS = 122, /* scalar dst = top bit of each lane (pmovmskb, movmskps), zero-extended */
  SOFTLBR_OP_VTEST = 123,      /* ptest: Z = (a & b) == 0, C = (~a & b) == 0, P A S V = 0 */
  SOFTLBR_OP_VCMP_MASK = 124,  /* scalar dst bit i = lane compare; imm = predicate 0 eq 1 lt 2 le 3 false 4 ne 5 ge 6 gt 7 true;
                                  SIGNED or not */
  SOFTLBR_OP_VTEST_MASK = 125, /* scalar dst bit i = (a & b) != 0 in lane; NEGATE: == 0 */
  SOFTLBR_OP_VMASK_TO_LANES = 126, /* vpmovm2b: lane = bit of scalar a ? ones : 0 */
  SOFTLBR_OP_VSELECT_MASK = 127, /* lane i = bit i of scalar register slot imm ? a : b */
  SOFTLBR_OP_STRING_INDEX = 128, /* pcmpistri: scalar dst = index (whole register slot); a first, b second operand; imm = control
                                    byte; SET_FLAGS all six */
  SOFTLBR_OP_CARRYLESS_MUL = 129, /* pclmulqdq per 16-byte chunk: imm bit 0 picks a's half, bit 4 b's */
  /* --- floating point. lane = 4 or 8. Round to nearest even; if MXCSR/FPCR selects another mode, the result is UNKNOWN.
   * A NaN result is UNKNOWN; comparisons with NaN are exact. SCALAR: lane 0 only. --- */
  SOFTLBR_OP_FADD = 130,
  SOFTLBR_OP_FSUB = 131,
  SOFTLBR_OP_FMUL = 132,
  SOFTLBR_OP_FDIV = 133,
  SOFTLBR_OP_FSQRT = 134, /* of b; SCALAR other lanes from a */
  SOFTLBR_OP_FMIN = 135,  /* x86: a < b ? a : b */
  SOFTLBR_OP_FMAX = 136,  /* x86: a > b ? a : b */
  SOFTLBR_OP_FMADD = 137, /* a * b + register slot imm's vector, one rounding; NEGATE: -(a*b) + c; SIGNED: subtracts c; SCALAR:
                             other lanes kept */
  SOFTLBR_OP_FCMP_FLAGS = 138, /* comis/ucomis: unordered Z=P=C=1; > 000; < C=1; == Z=1; V A S = 0. CARRY_NOT_BORROW: A64 fcmp
                                  NZCV */
  SOFTLBR_OP_FCMP = 139,       /* cmpps: lane mask, predicate imm (VEX 0..31) */
  SOFTLBR_OP_FCMP_MASK = 140,  /* as FCMP, result in a scalar mask register */
  SOFTLBR_OP_INT_TO_FLOAT = 141, /* scalar a (width = source bytes, SIGNED or not) -> lane 0 of dst (aux = lane) ; other lanes
                                    kept */
  SOFTLBR_OP_FLOAT_TO_INT = 142, /* lane 0 of a (aux) -> scalar dst (width); imm 1: truncate, 0: nearest even. x86 integer
                                    indefinite if out of range; CARRY_NOT_BORROW: A64 saturation; SIGNED or not */
  SOFTLBR_OP_FLOAT_TO_FLOAT = 143, /* aux = source lane, imm = destination lane; SCALAR: lane 0, others kept; else packed low
                                      lanes */
  SOFTLBR_OP_INTS_TO_FLOATS = 144, /* packed: 4-byte signed ints to aux-byte floats (cvtdq2ps/pd) */
  SOFTLBR_OP_FLOATS_TO_INTS = 145, /* packed: aux-byte floats to 4-byte ints, imm 1 truncates */
  SOFTLBR_OP_FROUND = 146,     /* roundss..: imm = x86 rounding immediate; of b, SCALAR other lanes from a */
  SOFTLBR_OP_FHADD = 147,      /* haddps/pd */
  SOFTLBR_OP_FADDSUB = 148,
  SOFTLBR_OP_ROUNDING = 149, /* FP mode was written: rounding is the default iff the low 4 bytes of a are known and ((a ^ imm) as
                                32 bits) >> aux == 0. x86 ldmxcsr: imm 0x1f80, aux 6; A64 msr fpcr: imm 0, aux 0. dst ignored */
  /* --- pointer authentication (A64 PAC). a = pointer, b = modifier, aux = key: 0 IA, 1 IB, 2 DA, 3 DB. width 8. Only the CPU that
   * runs the program has the keys: on any other, the bits that hold the signature are UNKNOWN --- */
  SOFTLBR_OP_POINTER_SIGN = 150,  /* dst = a with its signature inserted */
  SOFTLBR_OP_POINTER_CHECK = 151, /* dst = a without its signature if the signature is correct, else UNKNOWN (or the CPU traps) */
  SOFTLBR_OP_POINTER_STRIP = 152, /* dst = a without its signature; b, aux ignored */
  /* --- masked memory accesses: bit i of register slot b enables byte i of `width` (8, 16, 32, 64). Address: a + imm. Disabled
   * bytes are not accessed. If the mask or the address is not fully known, a load gives UNKNOWN and a store makes all memory
   * UNKNOWN --- */
  SOFTLBR_OP_VLOAD_MASKED = 153,  /* byte i of dst = bit i ? mem[address + i] : 0; no other byte changes */
  SOFTLBR_OP_VSTORE_MASKED = 154, /* if bit i: mem[address + i] = byte i of dst; dst is read, not written */
  SOFTLBR_OP_MAX_VALUE = SOFTLBR_OP_VSTORE_MASKED,
};
/* clang-format on */

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
  SOFTLBR_END_FLAG_EXCLUSIVE_OPEN = 1 << 0,   /* a load-exclusive of this block is open at its end (A64): no breakpoint may be
                                                 armed from that instruction until a block closes it or kExclusiveInstructions
                                                 have passed */
  SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED = 1 << 2, /* no exclusive is open at the block's end: this block has a store-exclusive or
                                               clrex. With neither flag, an exclusive that was open before the block stays so */
  SOFTLBR_END_FLAG_CUT_BY_WINDOW =
      1 << 1, /* FALLTHROUGH/UNDECODABLE because the window ended: lift again from the block's end with more code bytes */
};

/* Target: base + (index << scale) + disp, modulo 2^64; if load_bytes != 0, the zero-extended value of that many bytes loaded from
 * there. A64: the bits above a user-space address are ignored: a tag, or bits that must be 0 because the branch faults otherwise. A
 * direct target has REG_BLOCK as base, or a temporary computed from it. Evaluated before the last after_uops uops.
 * SYSCALL: if the low 4 bytes of cond_reg are disp, and disp is not 0, the call never returns to the block's end (rt_sigreturn). */
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

/* One lifted block. Instruction i starts at pc + sum(length[0..i)). The last instruction is the terminator, unless `end` is
 * FALLTHROUGH or UNDECODABLE. */
struct softlbr_block {
  uint64_t pc;
  uint32_t byte_length; /* of all instructions, terminator included */
  uint16_t instruction_count;
  uint16_t uop_count;
  struct softlbr_terminator end;
  uint8_t length[SOFTLBR_BLOCK_MAX_INSTRUCTIONS];  /* exact, in bytes */
  uint8_t uops_of[SOFTLBR_BLOCK_MAX_INSTRUCTIONS]; /* number of uops of instruction i; the terminator's include after_uops */
  struct softlbr_uop uops[SOFTLBR_BLOCK_MAX_UOPS];
};

#ifdef __cplusplus
}  // extern "C"
static_assert(sizeof(softlbr_uop) == 16, "uop layout is plugin ABI: bump SOFTLBR_DECODER_ABI_VERSION");
static_assert(sizeof(softlbr_terminator) == 32, "terminator layout is plugin ABI: bump SOFTLBR_DECODER_ABI_VERSION");
#endif

#endif /* SOFTLBR_DECODERS_API_IR_H_ */
