// A block that is entered 10 times and names a line ahead by a hint each time. Static, no libc.
        .globl _start
        .text
        .balign 64
_start:
        mov     x19, #10
loop:   prfm    pldl1keep, datum         // a load hint: none for code
        prfm    plil1keep, far
        subs    x19, x19, #1
        b.ne    loop
        b       far
        .balign 1024
far:    mov     x8, #93                 // exit(0)
        mov     x0, #0
        svc     #0
        .data
datum:   .word   0
        .section .note.GNU-stack, "", @progbits
