/* See state_trap_x86_64.h. void softlbr_test_state_trap(const TrapState* rdi) */
  .text
  .globl softlbr_test_state_trap
  .globl softlbr_test_state_trap_pc
  .type softlbr_test_state_trap, @function
softlbr_test_state_trap:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  movq %rsp, softlbr_test_state_trap_sp(%rip)
  movq 144(%rdi), %rax
  movq %rax, level(%rip)

  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  movq 2304+8*\n(%rdi), %mm\n
  .endr

  cmpq $1, %rax
  jb 1f
  je 2f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  vmovdqu64 192+64*\n(%rdi), %zmm\n
  .endr
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  kmovq 2240+8*\n(%rdi), %k\n
  .endr
  jmp 3f
2:
  vzeroall
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  vmovdqu 192+64*\n(%rdi), %ymm\n
  .endr
  jmp 3f
1:
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  movdqu 192+64*\n(%rdi), %xmm\n
  .endr
3:
  ldmxcsr 136(%rdi)
  pushq 128(%rdi)
  popfq
  movq 0(%rdi), %rax
  movq 8(%rdi), %rcx
  movq 16(%rdi), %rdx
  movq 24(%rdi), %rbx
  movq 40(%rdi), %rbp
  movq 48(%rdi), %rsi
  movq 64(%rdi), %r8
  movq 72(%rdi), %r9
  movq 80(%rdi), %r10
  movq 88(%rdi), %r11
  movq 96(%rdi), %r12
  movq 104(%rdi), %r13
  movq 112(%rdi), %r14
  movq 120(%rdi), %r15
  movq 56(%rdi), %rdi
  int3
softlbr_test_state_trap_pc:
  cld
  emms
  cmpq $1, level(%rip)
  jb 4f
  vzeroupper
4:
  ldmxcsr (%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
  .size softlbr_test_state_trap, .-softlbr_test_state_trap

  .bss
  .balign 8
level:
  .skip 8
  .globl softlbr_test_state_trap_sp
softlbr_test_state_trap_sp:
  .skip 8
  .section .note.GNU-stack, "", @progbits
