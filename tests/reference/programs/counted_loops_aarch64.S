// Loops with known counts: outer (5 times round), inner (7 times each), a call in each inner round. Static, no libc.
        .globl _start
        .text
_start:
        mov     x19, #5
outer:  mov     x20, #7
inner:  bl      function
        sub     x20, x20, #1
        cbnz    x20, inner              // taken 5 * 6 times
        subs    x19, x19, #1
        b.ne    outer                   // taken 4 times
        mov     x8, #93                 // exit(0)
        mov     x0, #0
        svc     #0
function:
        nop
        ret
        .section .note.GNU-stack, "", @progbits
