/* String operations, once and repeated; atomics. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.irp suffix, b, w, d, q
	form movs\suffix
	form stos\suffix
	form lods\suffix
	form scas\suffix
	form cmps\suffix
	form rep movs\suffix
	form rep stos\suffix
	form repe scas\suffix
	form repne scas\suffix
	form repe cmps\suffix
	form repne cmps\suffix
	.endr
	unmodelled
	.irp suffix, b, w, d, q
	form rep lods\suffix
	.endr

	/* No other thread takes part here: atomic operations are as exact as others (SOFTLBR_REG_ATOMIC). */
	modelled
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[rip + 0x7fffc00]"
	.irp op, add, adc, sbb, sub
	form lock \op byte ptr \memory, al
	form lock \op dword ptr \memory, 3
	form lock \op qword ptr \memory, r9
	.endr
	undefined_flags FA
	.irp op, or, and, xor
	form lock \op byte ptr \memory, al
	form lock \op dword ptr \memory, 3
	form lock \op qword ptr \memory, r9
	.endr
	undefined_flags 0
	.irp op, inc, dec, neg, not
	form lock \op byte ptr \memory
	form lock \op dword ptr \memory
	form lock \op qword ptr \memory
	.endr
	form xchg byte ptr \memory, ah
	form xchg byte ptr \memory, r9b
	form xchg word ptr \memory, ax
	form xchg dword ptr \memory, r9d
	form xchg qword ptr \memory, rbx
	form lock xadd word ptr \memory, bx
	form lock xadd dword ptr \memory, ebx
	form lock xadd qword ptr \memory, r9
	form lock cmpxchg byte ptr \memory, bh
	form lock cmpxchg word ptr \memory, bx
	form lock cmpxchg qword ptr \memory, r9
	unmodelled
	form lock cmpxchg dword ptr \memory, ebx
	form cmpxchg8b qword ptr \memory
	form lock cmpxchg8b qword ptr \memory
	.endr
	form cmpxchg16b xmmword ptr [rsi]
	form lock cmpxchg16b xmmword ptr [rsi]
	/* CPUs differ in whether a failed 32-bit cmpxchg clears the upper half of rax. */
	form cmpxchg dword ptr [rsi], ebx
	.irp pair, "al, bl", "ah, bl", "ax, bx", "eax, ebx", "cl, cl", "sil, r9b"
	form cmpxchg \pair
	.endr

	modelled
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[rip + 0x7fffc00]"
	form xadd byte ptr \memory, bl
	form xadd word ptr \memory, cx
	form xadd dword ptr \memory, eax
	form xadd qword ptr \memory, r9
	form cmpxchg byte ptr \memory, bl
	form cmpxchg word ptr \memory, bx
	form cmpxchg qword ptr \memory, r9
	.endr
	.irp pair, "al, bl", "ah, bl", "ax, bx", "r9, r10", "rcx, rcx", "cl, cl", "sil, r9b"
	form xadd \pair
	.endr
	form cmpxchg r9, r10
	form cmpxchg rcx, rcx
	form xadd eax, ebx
	form xadd r9d, r10d
