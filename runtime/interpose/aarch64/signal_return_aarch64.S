/* softlbr_signal_return: what a signal handler returns to that static_libc.cc has installed. Debuggers and unwinders
 * know it by its bytes, which are the vdso's. They look for the byte before it in their
 * tables, which the nop keeps from being another function's. */
#include <asm/unistd.h>

#include "platform/base/feature_marks_aarch64.h"

  .text
  nop
  .globl softlbr_signal_return
  .hidden softlbr_signal_return
  .type softlbr_signal_return, %function
softlbr_signal_return:
  mov x8, #__NR_rt_sigreturn
  svc #0
  .size softlbr_signal_return, . - softlbr_signal_return

  .section .note.GNU-stack, "", %progbits
