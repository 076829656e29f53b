/* vfork() of the preload library. Parent and child return from it with the same stack, so the return address is kept in
 * a register, as the libc does it. Where the CPU keeps a shadow stack, which only the libc knows how to treat, its own
 * vfork is called. */
#include <asm/errno.h>
#include <asm/unistd.h>

  .text
  .globl vfork
  .type vfork, @function
vfork:
  .cfi_startproc
  endbr64
  xorl %eax, %eax
  rdsspq %rax
  testq %rax, %rax
  jnz 4f
1:
  popq %rdi
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %rdi
  movl $__NR_vfork, %eax
  syscall
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rip, 0
  testl %eax, %eax
  js 2f
  ret
2:
  cmpl $-EAGAIN, %eax
  jne 3f
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call softlbr_give_entries_back
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  testb %al, %al
  jnz 1b
  movl $-EAGAIN, %eax
3:
  negl %eax
  movl %eax, %edi
  jmp softlbr_fail_vfork
4:
  jmp *softlbr_next_vfork(%rip)
  .cfi_endproc
  .size vfork, . - vfork

  .section .note.GNU-stack, "", @progbits
