/* syscall() of the preload library: jumps to the libc's, with every register and the stack as they were, because a
 * system call may return on another stack or twice (clone). Calls that syscall_function.cc handles go there. */
#include <asm/unistd.h>

#include "platform/base/feature_marks_x86_64.h"

  .text
  .globl syscall
  .type syscall, @function
syscall:
  .cfi_startproc
  endbr64
  cmpq $__NR_rt_sigprocmask, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_rt_sigaction, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_rt_sigpending, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_rt_sigtimedwait, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_perf_event_open, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_mlockall, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_prctl, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_seccomp, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_setns, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_unshare, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_execve, %rdi
  je softlbr_handled_syscall
  cmpq $__NR_execveat, %rdi
  je softlbr_handled_syscall
  movq softlbr_next_syscall(%rip), %r11
  testq %r11, %r11
  je softlbr_handled_syscall
  jmp *%r11
  .cfi_endproc
  .size syscall, . - syscall

  .section .note.GNU-stack, "", @progbits
