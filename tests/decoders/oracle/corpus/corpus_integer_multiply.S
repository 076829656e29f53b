/* Multiplication and division. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	undefined_flags FA | FP | FZ | FS
	.irp op, mul, imul
	.irp operand, al, bl, ah, bh, r9b, ax, bx, r9w, eax, ebx, edx, r9d, rax, rbx, rdx, r15
	form \op \operand
	.endr
	.irp size, byte, word, dword, qword
	form \op \size ptr [rsi]
	form \op \size ptr [rdi + rcx*4 + 8]
	form \op \size ptr [rip + 0x7fffc00]
	.endr
	.endr
	.irp pair, "ax, bx", "r9w, r9w", "eax, ebx", "r9d, ecx", "rax, rbx", "r15, rcx", "rdx, rdx"
	form imul \pair
	.endr
	form imul cx, word ptr [rsi]
	form imul ecx, dword ptr [rsi]
	form imul r9, qword ptr [rdi + rcx*4 + 8]
	.irp value, 1, -1, 100, 0x1234, 0x7fff
	form imul ax, bx, \value
	form imul eax, ebx, \value
	form imul r9d, dword ptr [rsi], \value
	form imul rax, r15, \value
	form imul rcx, qword ptr [rsi], \value
	.endr
	form imul eax, ebx, 0x12345678
	form imul rax, rbx, -0x12345678
	undefined_flags 0
	form mulx eax, ebx, ecx
	form mulx r9d, esi, r10d
	form mulx rax, rbx, rcx
	form mulx rax, rax, rcx
	form mulx r9, r15, qword ptr [rsi]
	form mulx r9d, r15d, dword ptr [rsi]

	undefined_flags FC | FP | FA | FZ | FS | FV
	may_trap 1
	.irp op, div, idiv
	.irp operand, bl, ah, bh, r9b, al, bx, r9w, ax, dx, ebx, r9d, edx, eax, rbx, r15, rdx, rcx
	form \op \operand
	.endr
	.irp size, byte, word, dword, qword
	form \op \size ptr [rsi]
	form \op \size ptr [rdi + rcx*4 + 8]
	.endr
	.endr
	may_trap 0
