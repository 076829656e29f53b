/* A ring of 16 blocks, each in a line 1024 bytes behind the last, gone round 100 times. In a cache of 8 KiB and 8 ways
 * all of them
   share one set, so each misses in every round, unless hints bring it. Static, no libc.
   HINTS: each block names the block after the next. */
        .globl _start
        .text
        .balign 4096
_start:
        movl    $100, %ecx
        jmp     block0
        .macro  ring_block number, next, after
        .balign 1024
block\number:
#ifdef HINTS
        prefetcht1 block\after(%rip)
#endif
        incl    %eax
        jmp     block\next
        .endm
        ring_block 0, 1, 2
        ring_block 1, 2, 3
        ring_block 2, 3, 4
        ring_block 3, 4, 5
        ring_block 4, 5, 6
        ring_block 5, 6, 7
        ring_block 6, 7, 8
        ring_block 7, 8, 9
        ring_block 8, 9, 10
        ring_block 9, 10, 11
        ring_block 10, 11, 12
        ring_block 11, 12, 13
        ring_block 12, 13, 14
        ring_block 13, 14, 15
        ring_block 14, 15, 0
        .balign 1024
block15:
#ifdef HINTS
        prefetcht1 block1(%rip)
        prefetcht1 datum(%rip)   /* data: no code prefetch */
#endif
        decl    %ecx
        jnz     block0
        movl    $60, %eax
        xorl    %edi, %edi
        syscall
        .data
datum:   .long   0
        .section .note.GNU-stack, "", @progbits
