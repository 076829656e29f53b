// clone on x86-64, and the thread area that glibc and bionic address through fs.
#include <asm/unistd.h>

#include "platform/base/config.h"
#include "platform/linux/threads/clone_thread.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

// long softlbr_clone_thread(flags, stack_end, parent_tid, child_tid, thread_pointer, start)
// start = {entry, argument}, which is stored above the new stack.
__asm__(
    ".pushsection .text.softlbr_clone_thread,\"ax\",@progbits\n"
    ".balign 16\n"
    ".hidden softlbr_clone_thread\n"
    ".globl softlbr_clone_thread\n"
    ".type softlbr_clone_thread,@function\n"
    "softlbr_clone_thread:\n"
    ".cfi_startproc\n"
    "  endbr64\n"
    "  movq %rcx, %r10\n"
    "  movl $56, %eax\n"
    "  syscall\n"
    "  testq %rax, %rax\n"
    "  jz 1f\n"
    "  ret\n"
    "1:\n"
    ".cfi_undefined %rip\n"  // the bottom of the new stack
    "  xorl %ebp, %ebp\n"
    "  movq 8(%r9), %rdi\n"
    "  call *(%r9)\n"
    "  movl $60, %eax\n"  // exit this thread only
    "  xorl %edi, %edi\n"
    "  syscall\n"
    "  hlt\n"
    ".cfi_endproc\n"
    ".size softlbr_clone_thread,.-softlbr_clone_thread\n"
    ".popsection\n");
static_assert(__NR_clone == 56 && __NR_exit == 60, "numbers in the assembly above");

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
namespace {

// Offsets from the thread pointer, fixed by the psABI and by compilers and C libraries.
constexpr uint64_t kSelfOffset = 0x00;
constexpr uint64_t kSelfOffset2 = 0x10;
constexpr uint64_t kStackGuardOffset = 0x28;
constexpr uint64_t kPointerGuardOffset = 0x30;

}  // namespace

uint64_t PrepareThreadArea(void* area) {
  // The half below the thread pointer replaces the libraries' static thread-local variables, the half above the C
  // library's own record. Both are zero, so a stray access reads zeros and does no harm.
  char* pointer = static_cast<char*>(area) + kThreadAreaBytes / 2;
  uint64_t stack_guard = 0;
  uint64_t pointer_guard = 0;
  __asm__("movq %%fs:0x28, %0" : "=r"(stack_guard));
  __asm__("movq %%fs:0x30, %0" : "=r"(pointer_guard));
  const auto self = reinterpret_cast<uint64_t>(pointer);
  *reinterpret_cast<uint64_t*>(pointer + kSelfOffset) = self;
  *reinterpret_cast<uint64_t*>(pointer + kSelfOffset2) = self;
  *reinterpret_cast<uint64_t*>(pointer + kStackGuardOffset) = stack_guard;
  *reinterpret_cast<uint64_t*>(pointer + kPointerGuardOffset) = pointer_guard;
  return self;
}

long CloneThread(uint64_t flags, void* stack_end, std::atomic<int32_t>* tid, uint64_t thread_pointer,
                 void (*entry)(void*), void* argument) {
  // The start record must outlive this call's frame, so it is stored at the end of the new stack.
  auto* start = reinterpret_cast<Start*>(static_cast<char*>(stack_end) - 16);
  *start = Start{entry, argument};
  return softlbr_clone_thread(flags, start, tid, tid, thread_pointer, start);
}

}  // namespace softlbr::platform
