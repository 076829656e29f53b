/* Two-operand arithmetic and logic, unary operations, tests, exchanges, conditional moves and sets. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.macro two_operand op
	.irp pair, "al, bl", "ah, bl", "cl, dh", "bh, ch", "sil, r9b", "r12b, al", "dl, dl", "spl, bpl", "r8b, r15b"
	form \op \pair
	.endr
	.irp pair, "ax, bx", "r9w, si", "cx, cx", "dx, r15w", "bp, di"
	form \op \pair
	.endr
	.irp pair, "eax, ebx", "r9d, esi", "ecx, ecx", "edx, r15d", "r13d, r12d"
	form \op \pair
	.endr
	.irp pair, "rax, rbx", "r9, rsi", "rcx, rcx", "rdx, r15", "r13, r12", "rbp, rdi"
	form \op \pair
	.endr
	.irp size, 1, -1, 127, -128
	form \op bl, \size
	form \op dh, \size
	form \op r10b, \size
	form \op cx, \size
	form \op r11w, \size
	form \op edi, \size
	form \op r14d, \size
	form \op rdx, \size
	form \op r8, \size
	.endr
	form \op al, 0x5a
	form \op ax, 0x7fff
	form \op ax, 0x8000
	form \op eax, 0x7fffffff
	form \op eax, 0x80000000
	form \op rax, -0x80000000
	form \op rax, 0x7fffffff
	form \op r9, 0x12345678
	form \op r9d, 0xfedcba98
	form \op si, 0x1234
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[r13]", "[r12 + r9*8 - 16]", "[rip + 0x7fffc00]", "[rbp + rdx]", "[rsp + 8]", "gs:[0x10]", "gs:[rbx*2 + 0x20]", "gs:[rdi]"
	form \op al, byte ptr \memory
	form \op byte ptr \memory, dl
	form \op byte ptr \memory, 0x81
	form \op r10w, word ptr \memory
	form \op word ptr \memory, ax
	form \op word ptr \memory, 0x1234
	form \op word ptr \memory, -2
	form \op eax, dword ptr \memory
	form \op dword ptr \memory, r11d
	form \op dword ptr \memory, 0x12345678
	form \op dword ptr \memory, -2
	form \op rax, qword ptr \memory
	form \op qword ptr \memory, r14
	form \op qword ptr \memory, -0x12345678
	form \op qword ptr \memory, 3
	.endr
	form \op byte ptr [rdi + rcx*4 + 8], ah
	form \op bh, byte ptr [rsi]
	form \op eax, dword ptr [esi + 4]
	form \op qword ptr [edi + ecx*2 - 4], rax
	.endm

	undefined_flags 0
	.irp op, add, sub, adc, sbb, cmp
	two_operand \op
	.endr
	undefined_flags FA
	.irp op, and, or, xor
	two_operand \op
	.endr

	undefined_flags FA
	.irp pair, "al, bl", "ah, bl", "cl, cl", "sil, r9b", "ax, bx", "r9w, r9w", "eax, ebx", "r9d, r9d", "rax, rbx", "rcx, rcx", "r15, rdx"
	form test \pair
	.endr
	form test al, 0x80
	form test ah, 0x7f
	form test r9b, 1
	form test ax, 0x8001
	form test bx, 0x8001
	form test eax, 0x80000001
	form test r10d, 0x80000001
	form test rax, -0x7fffffff
	form test r11, 0x7fffffff
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[rip + 0x7fffc00]", "gs:[0x10]"
	form test byte ptr \memory, 0x11
	form test word ptr \memory, 0x1111
	form test dword ptr \memory, 0x11111111
	form test qword ptr \memory, 0x11111111
	form test byte ptr \memory, dh
	form test word ptr \memory, r9w
	form test dword ptr \memory, eax
	form test qword ptr \memory, r13
	.endr
	undefined_flags 0

	.irp op, inc, dec, neg, not
	.irp operand, al, ah, bh, sil, r9b, ax, r9w, eax, r10d, rax, rbp, r15
	form \op \operand
	.endr
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[r12 + r9*8 - 16]", "[rip + 0x7fffc00]", "gs:[0x10]"
	form \op byte ptr \memory
	form \op word ptr \memory
	form \op dword ptr \memory
	form \op qword ptr \memory
	.endr
	.endr

	.irp pair, "al, bl", "ah, bl", "bl, ah", "sil, r9b", "cl, cl", "ax, bx", "r9w, si", "eax, ebx", "eax, r8d", "r9d, esi", "rax, rbx", "rax, r8", "r15, rdx", "ebx, ebx"
	form xchg \pair
	.endr
	form nop
	form nop dword ptr [rax + rax + 8]
	form nop word ptr [rsi]
	form pause
	form endbr64
	form lea rax, [rbx]
	form lea rax, [rbx + rcx*8 - 5]
	form lea eax, [rbx + rcx*8 - 5]
	form lea ax, [rbx + rcx*8 - 5]
	form lea r9, [r10*4 + 0x12345678]
	form lea r13, [rip + 0x1234]
	form lea r13d, [rip - 0x1234]
	form lea rsp, [rsp - 0x80]
	form lea rcx, [ebx + ecx*2 + 7]
	form lea ecx, [r9d + r10d]
	form lea rdx, [r12 + rbp]

	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	form set\cc al
	form set\cc ah
	form set\cc r9b
	form set\cc dil
	form set\cc byte ptr [rsi]
	form set\cc byte ptr [r12 + r9*8 - 16]
	form cmov\cc ax, bx
	form cmov\cc eax, ebx
	form cmov\cc r9d, r9d
	form cmov\cc rax, r15
	form cmov\cc r8w, word ptr [rsi]
	form cmov\cc ecx, dword ptr [rdi + rcx*4 + 8]
	form cmov\cc rdx, qword ptr [rip + 0x7fffc00]
	.endr

	form clc
	form stc
	form cmc
	form cld
	form std
	form lahf
	form sahf
	form cbw
	form cwde
	form cdqe
	form cwd
	form cdq
	form cqo
