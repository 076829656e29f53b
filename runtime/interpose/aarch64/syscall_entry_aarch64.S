/* syscall() of the preload library: jumps to the libc's, with every argument register and the stack as they were,
 * because a system call may return on another stack or twice (clone). Calls that syscall_function.cc handles go there.
 * */
#include <asm/unistd.h>

#include "platform/base/feature_marks_aarch64.h"

  .text
  .globl syscall
  .type syscall, %function
syscall:
  .cfi_startproc
  hint #34 /* bti c */
  cmp x0, #__NR_rt_sigprocmask
  b.eq 1f
  cmp x0, #__NR_rt_sigaction
  b.eq 1f
  cmp x0, #__NR_rt_sigpending
  b.eq 1f
  cmp x0, #__NR_rt_sigtimedwait
  b.eq 1f
  cmp x0, #__NR_perf_event_open
  b.eq 1f
  cmp x0, #__NR_mlockall
  b.eq 1f
  cmp x0, #__NR_prctl
  b.eq 1f
  cmp x0, #__NR_seccomp
  b.eq 1f
  cmp x0, #__NR_setns
  b.eq 1f
  cmp x0, #__NR_unshare
  b.eq 1f
  cmp x0, #__NR_execve
  b.eq 1f
  cmp x0, #__NR_execveat
  b.eq 1f
  adrp x16, softlbr_next_syscall
  ldr x16, [x16, :lo12:softlbr_next_syscall]
  cbz x16, 1f
  br x16
1:
  b softlbr_handled_syscall
  .cfi_endproc
  .size syscall, . - syscall

  .section .note.GNU-stack, "", %progbits
