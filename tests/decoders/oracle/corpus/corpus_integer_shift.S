/* Shifts, rotates, double shifts, bit tests and scans, BMI, population counts, checksums. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.macro shift op
	.irp operand, al, ah, bh, r9b, sil, ax, r10w, eax, ecx, r11d, rax, rcx, r15
	undefined_flags FA
	form \op \operand, 1
	.irp count, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 0, 255
	undefined_flags FA | FV | FC
	form \op \operand, \count
	.endr
	form \op \operand, cl
	.endr
	.irp memory, "[rsi]", "[rdi + rdx*4 + 8]", "[r12 + r9*8 - 16]", "[rip + 0x7fffc00]"
	.irp size, byte, word, dword, qword
	form \op \size ptr \memory, cl
	form \op \size ptr \memory, 5
	undefined_flags FA
	form \op \size ptr \memory, 1
	undefined_flags FA | FV | FC
	.endr
	.endr
	.endm
	.irp op, shl, shr, sar, rol, ror, rcl, rcr
	shift \op
	.endr

	/* Counts above the operand size (16-bit forms) leave even the result undefined. */
	.irp op, shld, shrd
	.irp pair, "eax, ebx", "r9d, esi", "ecx, edx", "rax, rbx", "r15, rcx", "rdx, rdx"
	.irp count, 1, 2, 5, 31, 32, 33, 63, 0
	undefined_flags FA | FV
	form \op \pair, \count
	.endr
	form \op \pair, cl
	.endr
	form \op dword ptr [rsi], eax, 7
	form \op qword ptr [rsi], r9, 7
	form \op dword ptr [rsi], eax, cl
	form \op qword ptr [rdi + rdx*4 + 8], r9, cl
	.irp count, 1, 3, 15, 16
	undefined_flags FA | FV
	form \op ax, bx, \count
	form \op word ptr [rsi], r9w, \count
	.endr
	unmodelled
	form \op ax, bx, cl
	form \op ax, bx, 17
	form \op word ptr [rsi], bx, cl
	modelled
	.endr

	undefined_flags FA | FV | FS | FP | FZ
	.irp op, bt, bts, btr, btc
	.irp pair, "ax, bx", "r9w, si", "eax, ebx", "r9d, ecx", "rax, rbx", "r15, rcx", "rcx, rcx"
	form \op \pair
	.endr
	.irp operand, ax, r9w, eax, r10d, rax, r15
	.irp bit, 0, 1, 7, 15, 16, 31, 32, 63, 200
	form \op \operand, \bit
	.endr
	.endr
	.irp bit, 0, 5, 15, 31, 63
	form \op word ptr [rsi], \bit
	form \op dword ptr [rdi + rcx*4 + 8], \bit
	form \op qword ptr [rip + 0x7fffc00], \bit
	.endr
	.endr
	.irp op, bt, bts, btr, btc
	form \op word ptr [rsi], bx
	form \op dword ptr [rsi], ecx
	form \op qword ptr [rsi], rbx
	form \op qword ptr [rdi + rcx*4 + 8], rax
	.endr
	form lock bts qword ptr [rsi], rbx
	form lock bts dword ptr [rsi], 3
	form lock btr dword ptr [rsi], 3
	form lock btc qword ptr [rsi], 40

	undefined_flags FA | FV | FS | FP | FC
	.irp op, bsf, bsr
	.irp pair, "ax, bx", "r9w, r9w", "rax, rbx", "r15, rcx"
	form \op \pair
	.endr
	/* CPUs differ in the upper half of the destination after a zero source. */
	unmodelled
	.irp pair, "eax, ebx", "r9d, ecx"
	form \op \pair
	.endr
	form \op ecx, dword ptr [rsi]
	modelled
	form \op cx, word ptr [rsi]
	form \op r9, qword ptr [rdi + rcx*4 + 8]
	.endr
	undefined_flags FA | FV | FS | FP
	.irp op, tzcnt, lzcnt
	.irp pair, "ax, bx", "r9w, r9w", "eax, ebx", "r9d, ecx", "rax, rbx", "r15, rcx"
	form \op \pair
	.endr
	form \op cx, word ptr [rsi]
	form \op ecx, dword ptr [rsi]
	form \op r9, qword ptr [rdi + rcx*4 + 8]
	.endr
	undefined_flags 0
	.irp pair, "ax, bx", "r9w, r9w", "eax, ebx", "r9d, ecx", "rax, rbx", "r15, rcx"
	form popcnt \pair
	.endr
	form popcnt cx, word ptr [rsi]
	form popcnt ecx, dword ptr [rsi]
	form popcnt r9, qword ptr [rdi + rcx*4 + 8]

	undefined_flags FA | FP
	.irp triple, "eax, ebx, ecx", "r9d, esi, r9d", "rax, rbx, rcx", "r15, r15, rdx"
	form andn \triple
	form bzhi \triple
	.endr
	form andn eax, ebx, dword ptr [rsi]
	form andn rax, r9, qword ptr [rdi + rcx*4 + 8]
	form bzhi eax, dword ptr [rsi], ebx
	form bzhi rax, qword ptr [rdi + rcx*4 + 8], r9
	.irp op, blsi, blsr, blsmsk
	form \op eax, ebx
	form \op r9d, r9d
	form \op rax, r15
	form \op rcx, rcx
	form \op eax, dword ptr [rsi]
	form \op r9, qword ptr [rdi + rcx*4 + 8]
	.endr
	undefined_flags FA | FP | FS
	.irp triple, "eax, ebx, ecx", "r9d, esi, r9d", "rax, rbx, rcx", "r15, r15, rdx"
	form bextr \triple
	.endr
	form bextr eax, dword ptr [rsi], ebx
	form bextr rax, qword ptr [rdi + rcx*4 + 8], r9
	undefined_flags 0
	.irp op, pdep, pext
	.irp triple, "eax, ebx, ecx", "r9d, esi, r9d", "rax, rbx, rcx", "r15, r15, rdx"
	form \op \triple
	.endr
	form \op eax, ebx, dword ptr [rsi]
	form \op rax, r9, qword ptr [rdi + rcx*4 + 8]
	.endr
	.irp op, shlx, shrx, sarx
	.irp triple, "eax, ebx, ecx", "r9d, esi, r9d", "rax, rbx, rcx", "r15, r15, rdx"
	form \op \triple
	.endr
	form \op eax, dword ptr [rsi], ebx
	form \op rax, qword ptr [rdi + rcx*4 + 8], r9
	.endr
	.irp count, 0, 1, 13, 31, 32, 63
	form rorx eax, ebx, \count
	form rorx r9, rdx, \count
	form rorx eax, dword ptr [rsi], \count
	form rorx rcx, qword ptr [rsi], \count
	.endr
	form crc32 eax, bl
	form crc32 eax, bh
	form crc32 r9d, r10b
	form crc32 eax, bx
	form crc32 eax, ebx
	form crc32 rax, bl
	form crc32 rax, r9
	form crc32 eax, byte ptr [rsi]
	form crc32 eax, dword ptr [rsi]
	form crc32 r9, qword ptr [rsi]
	.irp pair, "eax, ebx", "r9d, r9d", "rax, rbx", "r15, rcx"
	form adcx \pair
	form adox \pair
	.endr
	form adcx eax, dword ptr [rsi]
	form adox r9, qword ptr [rsi]
