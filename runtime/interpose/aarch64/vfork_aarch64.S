/* vfork() of the preload library. Parent and child return from it with the same stack, so nothing is kept there. */
#include <asm/errno.h>
#include <asm/unistd.h>

  .text
  .globl vfork
  .type vfork, %function
vfork:
  .cfi_startproc
  hint #34 /* bti c */
1:
  mov x0, #0x4111 /* CLONE_VM | CLONE_VFORK | SIGCHLD */
  mov x1, #0
  mov x8, #__NR_clone
  svc #0
  tbnz w0, #31, 2f
  ret
2:
  cmn w0, #EAGAIN
  b.ne 3f
  stp x29, x30, [sp, #-16]!
  .cfi_adjust_cfa_offset 16
  .cfi_rel_offset x30, 8
  bl softlbr_give_entries_back
  ldp x29, x30, [sp], #16
  .cfi_adjust_cfa_offset -16
  .cfi_restore x30
  tbnz w0, #0, 1b
  mov w0, #-EAGAIN
3:
  neg w0, w0
  b softlbr_fail_vfork
  .cfi_endproc
  .size vfork, . - vfork

  .section .note.GNU-stack, "", %progbits
