// Calls a function on another stack (x86-64). The frame pointer holds the old stack pointer, for the return and for
// debuggers.
#include "platform/base/config.h"
#include "platform/call_on_stack.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
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
    "  endbr64\n"
    "  pushq %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n"
    ".cfi_def_cfa_register %rbp\n"
    "  movq %rdi, %rsp\n"
    "  movq %rdx, %rdi\n"
    "  call *%rsi\n"
    "  leave\n"
    ".cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size softlbr_call_on_stack,.-softlbr_call_on_stack\n"
    ".popsection\n");
