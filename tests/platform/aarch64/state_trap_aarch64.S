/* See state_trap_aarch64.h. void softlbr_test_state_trap(const A64TrapState* x0) */
  .text
  .globl softlbr_test_state_trap
  .globl softlbr_test_state_trap_pc
  .type softlbr_test_state_trap, %function
softlbr_test_state_trap:
  stp x29, x30, [sp, #-176]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x1, fpcr
  str x1, [sp, #160]
  adrp x1, softlbr_test_state_trap_sp
  mov x2, sp
  str x2, [x1, #:lo12:softlbr_test_state_trap_sp]

  add x1, x0, #272
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  ldr q\n, [x1], #16
  .endr
  ldr x1, [x0, #256]
  msr fpcr, x1
  ldr x1, [x0, #248]
  msr nzcv, x1
  .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
  ldr x\n, [x0, #8*\n]
  .endr
  ldr x0, [x0]
softlbr_test_state_trap_pc:
  brk #0

  ldr x1, [sp, #160]
  msr fpcr, x1
  ldp d14, d15, [sp, #144]
  ldp d12, d13, [sp, #128]
  ldp d10, d11, [sp, #112]
  ldp d8, d9, [sp, #96]
  ldp x27, x28, [sp, #80]
  ldp x25, x26, [sp, #64]
  ldp x23, x24, [sp, #48]
  ldp x21, x22, [sp, #32]
  ldp x19, x20, [sp, #16]
  ldp x29, x30, [sp], #176
  ret
  .size softlbr_test_state_trap, .-softlbr_test_state_trap

  .bss
  .balign 8
  .globl softlbr_test_state_trap_sp
softlbr_test_state_trap_sp:
  .skip 8
  .section .note.GNU-stack, "", %progbits
