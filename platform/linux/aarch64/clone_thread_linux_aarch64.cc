// clone on AArch64, and the thread area that tpidr_el0 points to.
#include <asm/unistd.h>

#include "platform/base/config.h"
#include "platform/linux/threads/clone_thread.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

// long softlbr_clone_thread(flags, stack_end, parent_tid, child_tid, thread_pointer, start)
// start = {entry, argument}, which is stored above the new stack.
__asm__(
    ".pushsection .text.softlbr_clone_thread,\"ax\",%progbits\n"
    ".balign 16\n"
    ".hidden softlbr_clone_thread\n"
    ".globl softlbr_clone_thread\n"
    ".type softlbr_clone_thread,%function\n"
    "softlbr_clone_thread:\n"
    ".cfi_startproc\n"
    "  hint #34\n"    // bti c
    "  mov x6, x3\n"  // the kernel takes the thread pointer before child_tid
    "  mov x3, x4\n"
    "  mov x4, x6\n"
    "  mov x8, #220\n"
    "  svc #0\n"
    "  cbz x0, 1f\n"
    "  ret\n"
    "1:\n"
    ".cfi_undefined x30\n"  // the bottom of the new stack
    "  mov x29, xzr\n"
    "  mov x30, xzr\n"
    "  ldp x6, x0, [x5]\n"
    "  blr x6\n"
    "  mov x8, #93\n"  // exit this thread only
    "  mov x0, xzr\n"
    "  svc #0\n"
    "  brk #1\n"
    ".cfi_endproc\n"
    ".size softlbr_clone_thread,.-softlbr_clone_thread\n"
    ".popsection\n");
static_assert(__NR_clone == 220 && __NR_exit == 93, "numbers in the assembly above");

namespace {

struct Start {
  void (*entry)(void*);
  void* argument;
};

}  // namespace

extern "C" __attribute__((visibility("hidden"))) long softlbr_clone_thread(uint64_t flags, void* stack_end,
                                                                           void* parent_tid, void* child_tid,
                                                                           uint64_t thread_pointer, const Start* start);

namespace softlbr::platform {

uint64_t PrepareThreadArea(void* area) {
  // The C library's record is below the thread pointer, static thread-local variables are above it. glibc's stack guard
  // is a global variable. bionic's is a slot in this area and reads zero, consistently.
  return reinterpret_cast<uint64_t>(static_cast<char*>(area) + kThreadAreaBytes / 2);
}

long CloneThread(uint64_t flags, void* stack_end, std::atomic<int32_t>* tid, uint64_t thread_pointer,
                 void (*entry)(void*), void* argument) {
  // The start record must outlive this call's frame, so it is stored at the end of the new stack.
  auto* start = reinterpret_cast<Start*>(static_cast<char*>(stack_end) - 16);
  *start = Start{entry, argument};
  return softlbr_clone_thread(flags, start, tid, tid, thread_pointer, start);
}

}  // namespace softlbr::platform
