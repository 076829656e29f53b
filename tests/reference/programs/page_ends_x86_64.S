# Ten rounds through a jump, a call and two conditional branches (one never taken) that each cross a page boundary, behind other
# instructions: 124 instructions, 69 taken branches.
.globl _start
.macro at_page_end bytes  # the next instruction starts `bytes` before the end of a page
  .p2align 12, 0x90
  .skip 4096 - \bytes, 0x90
.endm
_start:
  mov $10, %ecx
round:
  jmp 1f
at_page_end 4
1:mov %eax, %eax
  jmp 2f
at_page_end 5
2:mov %eax, %eax
  call called
  jmp 3f
at_page_end 6
3:test %esp, %esp
  jz round
  jmp 4f
at_page_end 7
4:dec %ecx
  jnz round
  mov $60, %eax
  xor %edi, %edi
  syscall
called:
  ret
.section .note.GNU-stack, "", @progbits
