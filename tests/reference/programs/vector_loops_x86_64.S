# Three loops whose vector instructions are known: 2 * 1000 scalar, 2 * 500 packed in 128 bits, 250 packed in 256 bits.
#
# Executed code is known from the target of one taken branch to the next taken branch, so one stands before the loops and one after.
.globl _start
_start:
  jmp first
first:
  mov $1000, %ecx
1:addsd %xmm1, %xmm0
  mulsd %xmm1, %xmm0
  dec %ecx
  jnz 1b
  mov $500, %ecx
2:addpd %xmm1, %xmm2
  mulpd %xmm1, %xmm2
  dec %ecx
  jnz 2b
  mov $250, %ecx
3:vaddpd %ymm1, %ymm2, %ymm2
  dec %ecx
  jnz 3b
  jmp last
last:
  mov $60, %eax
  xor %edi, %edi
  syscall
.section .note.GNU-stack, "", @progbits
