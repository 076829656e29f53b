/* Moves, extensions, stack, byte order. */
#include "tests/decoders/oracle/corpus/corpus_macros.inc"

	.irp pair, "al, bl", "ah, bl", "cl, dh", "bh, ch", "sil, r9b", "r12b, al", "spl, bpl", "ax, bx", "r9w, si", "eax, ebx", "r9d, esi", "edx, edx", "rax, rbx", "r15, rsp", "rbp, r8"
	form mov \pair
	.endr
	form mov al, 0x80
	form mov ch, 0x7f
	form mov r11b, 0x11
	form mov bx, 0x8000
	form mov r12w, 0x1234
	form mov ecx, 0x80000000
	form mov r13d, 0x12345678
	form mov rdx, -0x80000000
	form mov r14, 0x12345678
	form movabs rsi, 0x8123456789abcdef
	form movabs r15, 0x123456789abcdef
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[r13]", "[r12 + r9*8 - 16]", "[rip + 0x7fffc00]", "[rbp + rdx]", "[rsp + 8]", "gs:[0x10]", "gs:[rbx*2 + 0x20]", "[rax]", "[r8 + r8]"
	form mov al, byte ptr \memory
	form mov bl, byte ptr \memory
	form mov r9b, byte ptr \memory
	form mov ax, word ptr \memory
	form mov r10w, word ptr \memory
	form mov eax, dword ptr \memory
	form mov r8d, dword ptr \memory
	form mov rax, qword ptr \memory
	form mov r11, qword ptr \memory
	form mov byte ptr \memory, dl
	form mov byte ptr \memory, dil
	form mov word ptr \memory, ax
	form mov dword ptr \memory, r11d
	form mov qword ptr \memory, r14
	form mov byte ptr \memory, 0x5a
	form mov word ptr \memory, 0x1234
	form mov dword ptr \memory, 0x81234567
	form mov qword ptr \memory, -5
	form movzx ax, byte ptr \memory
	form movzx eax, byte ptr \memory
	form movzx rax, byte ptr \memory
	form movzx r9d, word ptr \memory
	form movzx r9, word ptr \memory
	form movsx ax, byte ptr \memory
	form movsx eax, byte ptr \memory
	form movsx rax, byte ptr \memory
	form movsx r9d, word ptr \memory
	form movsx r9, word ptr \memory
	form movsxd rcx, dword ptr \memory
	form movbe ax, word ptr \memory
	form movbe r9d, dword ptr \memory
	form movbe rbx, qword ptr \memory
	form movbe word ptr \memory, ax
	form movbe dword ptr \memory, r10d
	form movbe qword ptr \memory, rbx
	form movnti dword ptr \memory, eax
	form movnti qword ptr \memory, r10
	form push qword ptr \memory
	form push word ptr \memory
	form prefetcht0 byte ptr \memory
	form prefetchw byte ptr \memory
	.endr
	form mov bh, byte ptr [rsi]
	form mov byte ptr [rdi + rcx*4 + 8], ah
	form mov byte ptr gs:[0x10], ch
	form mov rax, qword ptr [esi + 4]
	form mov dword ptr [edi + ecx*2 - 4], eax
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[rsp + 8]", "[rsp]", "[rsp - 8]", "[rip + 0x7fffc00]"
	form pop qword ptr \memory
	form pop word ptr \memory
	.endr
	form mov rax, qword ptr fs:[0]
	form mov eax, dword ptr fs:[0x28]
	form mov al, byte ptr fs:[0x10]

	.irp pair, "ax, bl", "ax, ah", "eax, bl", "eax, bh", "r9d, sil", "rax, bl", "r9, r15b", "rdx, r8b"
	form movzx \pair
	form movsx \pair
	.endr
	.irp pair, "eax, bx", "r9d, r10w", "rax, bx", "r9, r10w"
	form movzx \pair
	form movsx \pair
	.endr
	form movsxd rax, ebx
	form movsxd r9, r9d
	form bswap eax
	form bswap r9d
	form bswap rax
	form bswap r15

	.irp register, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r12, r15, ax, r9w, sp
	form push \register
	form pop \register
	.endr
	form push 0x7f
	form push -1
	form push 0x12345678
	form push -0x12345678
	form pushw 0x1234
	form leave
	form enter 0, 0
	form enter 32, 0

	form xlatb
	.irp memory, "[rsi]", "[rdi + rcx*4 + 8]", "[rip + 0x7fffc00]"
	form movzx ecx, byte ptr \memory
	.endr

	form rdfsbase rax
	form rdgsbase r9
	form rdfsbase ecx
	form lfence
	form mfence
	form sfence
	form clflush byte ptr [rsi]
	form clflushopt byte ptr [rsi]
	form clwb byte ptr [rdi + 64]
	form movdiri dword ptr [rsi], eax
	form movdiri qword ptr [rsi], r9
	form cldemote byte ptr [rsi]
	form popfq

	unmodelled
	form pushfq
	form rdtsc
	form rdtscp
	form cpuid
	form rdrand eax
	form rdrand r9
	form rdseed ax
	form rdpid rax
	form mov ax, ds
	form mov r9d, es
	form mov eax, fs
	form mov word ptr [rsi], ss
	form xgetbv
	form serialize
	form lsl eax, ebx
	form lar ecx, r9d
	form verr ax
	form verw r9w
	form sldt eax
	form smsw r9d
	form str rcx
	form movdir64b rdi, [rsi]
