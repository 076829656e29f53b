/* Terminators. Targets are in the slot page, where an int3 reports the arrival, or at unmapped addresses. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	form j\cc . + 0x40
	form j\cc . + 0x240
	form j\cc . - 0x60
	form j\cc . - 0x160
	.endr
	form jrcxz . + 0x40
	form jecxz . + 0x40
	form loop . + 0x40
	form loope . + 0x40
	form loopne . - 0x40
	form addr32 loop . + 0x40
	form addr32 loope . + 0x40
	form addr32 loopne . + 0x40
	form jmp . + 0x40
	form jmp . + 0x240
	form jmp . - 0x160
	form call . + 0x100
	form call . - 0x160
	form ret
	form ret 8
	form ret 0x30
	form rep ret
	.irp register, rax, rcx, rbx, rsi, r9, r15
	form jmp \register
	form call \register
	form notrack jmp \register
	.endr
	.irp memory, "[rsi]", "[rdi + rcx*8 + 8]", "[rip + 0x7fffc00]", "[rsp + 8]", "[rsp]", "gs:[0x10]"
	form jmp qword ptr \memory
	form call qword ptr \memory
	.endr
	form bnd jmp rax
	form bnd call r9
	form bnd ret
