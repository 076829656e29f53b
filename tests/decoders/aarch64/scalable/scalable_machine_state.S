/* softlbr_run_case: loads all registers from *softlbr_case, runs its code, stores all registers. Called as a C
 * function. */
#define SP_AT 248
#define NZCV_AT 256
#define Z_AT 288
#define P_AT 2336

  .arch armv8.2-a+sve
  .text
  .balign 16
  .globl softlbr_run_case
  .type softlbr_run_case, %function
softlbr_run_case:
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
  mrs x1, tpidr_el0
  str x1, [sp, #160]
  adrp x2, saved_sp
  mov x1, sp
  str x1, [x2, #:lo12:saved_sp]
  adrp x0, softlbr_case
  ldr x0, [x0, #:lo12:softlbr_case]
  adrp x30, softlbr_code
  ldr x30, [x30, #:lo12:softlbr_code]

  add x1, x0, #P_AT
  add x2, x1, #128
  ldr p0, [x2]
  wrffr p0.b
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  ldr p\n, [x1]
  add x1, x1, #8
  .endr
  add x1, x0, #Z_AT
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  ldr z\n, [x1]
  add x1, x1, #64
  .endr
  ldr x1, [x0, #NZCV_AT]
  msr nzcv, x1
  ldr x1, [x0, #SP_AT]
  mov sp, x1
  .irp pair, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
  ldr x\pair, [x0, #8 * \pair]
  .endr
  .irp odd, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29
  ldr x\odd, [x0, #8 * \odd]
  .endr
  ldr x0, [x0]
  br x30

  .globl softlbr_case_back
softlbr_case_back: /* x0 is in tpidr_el0 */
  adrp x0, softlbr_case
  ldr x0, [x0, #:lo12:softlbr_case]
  .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  str x\n, [x0, #8 * \n]
  .endr
  mrs x1, tpidr_el0
  str x1, [x0]
  mov x1, sp
  str x1, [x0, #SP_AT]
  mrs x1, nzcv
  str x1, [x0, #NZCV_AT]
  add x1, x0, #Z_AT
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  str z\n, [x1]
  add x1, x1, #64
  .endr
  add x1, x0, #P_AT
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  str p\n, [x1]
  add x1, x1, #8
  .endr
  rdffr p0.b
  str p0, [x1]

  adrp x2, saved_sp
  ldr x1, [x2, #:lo12:saved_sp]
  mov sp, x1
  ldr x1, [sp, #160]
  msr tpidr_el0, x1
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp x29, x30, [sp], #176
  ret
  .size softlbr_run_case, . - softlbr_run_case

  .bss
  .balign 8
saved_sp:
  .skip 8
  .section .note.GNU-stack, "", %progbits
