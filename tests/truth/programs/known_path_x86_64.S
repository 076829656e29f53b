// A program that lists its own true path, branch by branch, and prints it on standard output: pairs of 8-byte link-time
// addresses. Static, no libc, loaded at its link-time addresses.
        .globl _start
        .text
_start:
        mov     $3, %ecx
again:  dec     %ecx
back:   jnz     again                   // taken, taken, not taken
        jz      nowhere                 // taken to its own end
nowhere:
        xor     %eax, %eax
        jnz     nowhere2                // not taken to its own end
nowhere2:
        mov     $2, %ecx
spin:   loop    spin                    // taken to itself, once
        lea     bytes(%rip), %rsi
        lea     buffer(%rip), %rdi
        mov     $40, %ecx
        rep movsb                       // no branch
call1:  call    function
        lea     function(%rip), %rax
call2:  call    *%rax
        // SIGUSR1 with a handler that has branches of its own.
        mov     $13, %eax               // rt_sigaction
        mov     $10, %edi
        lea     action(%rip), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall
        mov     $39, %eax               // getpid
        syscall
        mov     %eax, %edi
        mov     $62, %eax               // kill(self, SIGUSR1)
        mov     $10, %esi
        syscall
after:  jmp     done
        ud2
done:   mov     $1, %eax                // write
        mov     $1, %edi
        lea     expected(%rip), %rsi
        mov     $(expected_end - expected), %edx
        syscall
        mov     $60, %eax               // exit(0)
        xor     %edi, %edi
        syscall

function:
        nop
ret1:   ret

handler:
        mov     $2, %edx
twice:  dec     %edx
htwice: jnz     twice
hret:   ret
restorer:
        mov     $15, %eax               // rt_sigreturn
        syscall

        .data
bytes:  .fill   40, 1, 7
buffer: .fill   40, 1, 0
        .balign 8
action: .quad   handler, 0x04000000, restorer, 0

expected:
        .quad   back, again, back, again
        .quad   nowhere - 2, nowhere
        .quad   spin, spin
        .quad   call1, function, ret1, call1 + 5
        .quad   call2, function, ret1, call2 + 2
        .quad   after, done
        // The handler's chunk, after a separator.
        .quad   0, 0
        .quad   htwice, twice, hret, restorer
expected_end:
        .section .note.GNU-stack, "", @progbits
