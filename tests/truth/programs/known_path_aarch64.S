// A program that lists its own true path, branch by branch, and prints it on standard output: pairs of 8-byte link-time
// addresses. Static, no libc, loaded at its link-time addresses.
        .globl _start
        .text
_start:
        mov     w1, #3
again:  subs    w1, w1, #1
back:   b.ne    again                   // taken, taken, not taken
own:    b.eq    nowhere                 // taken to its own end
nowhere:
        cbnz    w1, nowhere2            // not taken to its own end
nowhere2:
        mov     w2, #8
bit:    tbnz    w2, #3, bitset          // taken
        udf     #0
bitset: tbz     w2, #3, bit             // not taken
call1:  bl      function
        adr     x3, function
call2:  blr     x3
        adr     x3, next
jump:   br      x3
        udf     #0
next:
        // An exclusive pair: the branch inside it is not taken, and the loop ends at once.
        ldr     x4, =word
        mov     x5, #7
        str     x5, [x4]                // maps the page in: a fault later would make the store-exclusive fail
loop:   ldaxr   x5, [x4]
        cmp     x5, #7
        b.ne    out
        add     x5, x5, #1
        stlxr   w6, x5, [x4]
        cbnz    w6, loop
        // An exclusive pair that is left by its branch.
again2: ldaxr   x5, [x4]
        cmp     x5, #7
leave:  b.ne    out
        stlxr   w6, x5, [x4]
        cbnz    w6, again2
        udf     #0
out:    clrex
        // SIGUSR1 with a handler that has branches of its own.
        mov     x8, #134                // rt_sigaction
        mov     x0, #10
        ldr     x1, =action
        mov     x2, #0
        mov     x3, #8
        svc     #0
        mov     x8, #172                // getpid
        svc     #0
        mov     x8, #129                // kill(self, SIGUSR1)
        mov     x1, #10
        svc     #0
after:  b       done
        udf     #0
done:   mov     x8, #64                 // write
        mov     x0, #1
        ldr     x1, =expected
        mov     x2, #(expected_end - expected)
        svc     #0
        mov     x8, #93                 // exit(0)
        mov     x0, #0
        svc     #0

function:
        nop
ret1:   ret

handler:
        mov     w2, #2
twice:  subs    w2, w2, #1
htwice: b.ne    twice
hret:   ret
restorer:
        mov     x8, #139                // rt_sigreturn
        svc     #0

        .data
        .balign 8
word:   .quad   7
action: .quad   handler, 0x04000000, restorer, 0

expected:
        .quad   back, again, back, again
        .quad   own, nowhere
        .quad   bit, bitset
        .quad   call1, function, ret1, call1 + 4
        .quad   call2, function, ret1, call2 + 4
        .quad   jump, next
        .quad   leave, out
        .quad   after, done
        // The handler's chunk, after a separator.
        .quad   0, 0
        .quad   htwice, twice, hret, restorer
expected_end:
        .section .note.GNU-stack, "", @progbits
