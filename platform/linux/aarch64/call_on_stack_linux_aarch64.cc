// Calls a function on another stack (AArch64). The frame pointer holds the old stack pointer, for the return and for
// debuggers.
#include "platform/base/config.h"
#include "platform/call_on_stack.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

// void softlbr_call_on_stack(stack_end, function, argument)
__asm__(
    ".pushsection .text.softlbr_call_on_stack,\"ax\",%progbits\n"
    ".balign 4\n"
    ".hidden softlbr_call_on_stack\n"
    ".globl softlbr_call_on_stack\n"
    ".type softlbr_call_on_stack,%function\n"
    "softlbr_call_on_stack:\n"
    ".cfi_startproc\n"
    "  hint #34\n"  // bti c
    "  stp x29, x30, [sp, #-16]!\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset 29, -16\n"
    ".cfi_offset 30, -8\n"
    "  mov x29, sp\n"
    ".cfi_def_cfa_register 29\n"
    "  mov sp, x0\n"
    "  mov x0, x2\n"
    "  blr x1\n"
    "  mov sp, x29\n"
    "  ldp x29, x30, [sp], #16\n"
    ".cfi_def_cfa 31, 0\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size softlbr_call_on_stack,.-softlbr_call_on_stack\n"
    ".popsection\n");
