/* Loads every register from the in state, jumps to the instruction slot, and stores every register to the out state.
 *
 * Copied to the start of the runner's mapping. It addresses its data rip-relative to oracle_trampoline_begin, at the
 * offsets of native_layout_asm.h, so it needs no register for an address. Called as void(void). */
#include "tests/decoders/oracle/native_layout_asm.h"

#define IN(offset) (oracle_trampoline_begin + ORACLE_IN_PAGE + (offset))(%rip)
#define OUT(offset) (oracle_trampoline_begin + ORACLE_OUT_PAGE + (offset))(%rip)

	.text
	.globl oracle_trampoline_begin
	.globl oracle_trampoline_exit
	.globl oracle_trampoline_end
	.balign 64
oracle_trampoline_begin:
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, IN(ORACLE_SAVED_RSP)
	fxrstor64 IN(ORACLE_FXSAVE)
	movl IN(ORACLE_VECTOR_LEVEL), %eax
	cmpl $1, %eax
	jb 1f
	je 2f
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64 IN(ORACLE_ZMM + 64 * \r), %zmm\r
	.endr
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq IN(ORACLE_K + 8 * \r), %k\r
	.endr
	jmp 3f
2:
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu IN(ORACLE_ZMM + 64 * \r), %ymm\r
	.endr
	jmp 3f
1:
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu IN(ORACLE_ZMM + 64 * \r), %xmm\r
	.endr
3:
	pushq IN(ORACLE_RFLAGS)
	popfq
	movq IN(ORACLE_GPR + 0), %rax
	movq IN(ORACLE_GPR + 8), %rcx
	movq IN(ORACLE_GPR + 16), %rdx
	movq IN(ORACLE_GPR + 24), %rbx
	movq IN(ORACLE_GPR + 32), %rsp
	movq IN(ORACLE_GPR + 40), %rbp
	movq IN(ORACLE_GPR + 48), %rsi
	movq IN(ORACLE_GPR + 56), %rdi
	movq IN(ORACLE_GPR + 64), %r8
	movq IN(ORACLE_GPR + 72), %r9
	movq IN(ORACLE_GPR + 80), %r10
	movq IN(ORACLE_GPR + 88), %r11
	movq IN(ORACLE_GPR + 96), %r12
	movq IN(ORACLE_GPR + 104), %r13
	movq IN(ORACLE_GPR + 112), %r14
	movq IN(ORACLE_GPR + 120), %r15
	jmp *IN(ORACLE_ENTRY)

oracle_trampoline_exit:
	movq %rax, OUT(ORACLE_GPR + 0)
	movq %rcx, OUT(ORACLE_GPR + 8)
	movq %rdx, OUT(ORACLE_GPR + 16)
	movq %rbx, OUT(ORACLE_GPR + 24)
	movq %rsp, OUT(ORACLE_GPR + 32)
	movq %rbp, OUT(ORACLE_GPR + 40)
	movq %rsi, OUT(ORACLE_GPR + 48)
	movq %rdi, OUT(ORACLE_GPR + 56)
	movq %r8, OUT(ORACLE_GPR + 64)
	movq %r9, OUT(ORACLE_GPR + 72)
	movq %r10, OUT(ORACLE_GPR + 80)
	movq %r11, OUT(ORACLE_GPR + 88)
	movq %r12, OUT(ORACLE_GPR + 96)
	movq %r13, OUT(ORACLE_GPR + 104)
	movq %r14, OUT(ORACLE_GPR + 112)
	movq %r15, OUT(ORACLE_GPR + 120)
	movq IN(ORACLE_SAVED_RSP), %rsp
	pushfq
	popq OUT(ORACLE_RFLAGS)
	pushq $0x202
	popfq
	fxsave64 OUT(ORACLE_FXSAVE)
	movl IN(ORACLE_VECTOR_LEVEL), %eax
	cmpl $1, %eax
	jb 1f
	je 2f
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64 %zmm\r, OUT(ORACLE_ZMM + 64 * \r)
	.endr
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq %k\r, OUT(ORACLE_K + 8 * \r)
	.endr
	vzeroupper
	jmp 3f
2:
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu %ymm\r, OUT(ORACLE_ZMM + 64 * \r)
	.endr
	vzeroupper
	jmp 3f
1:
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu %xmm\r, OUT(ORACLE_ZMM + 64 * \r)
	.endr
3:
	pushq $0x1f80
	ldmxcsr (%rsp)
	popq %rax
	fninit
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	ret
oracle_trampoline_end:
	.section .note.GNU-stack, "", @progbits
