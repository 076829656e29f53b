// Interposes sigaltstack and munmap. An alternate stack that is too small for a signal frame is not set; one whose
// memory is unmapped is turned off.
//
// Why: the kernel accepts 2048 bytes on x86-64, but a frame takes 3.3 KiB with AVX-512. Such a stack works as long as
//   no handler runs on it, and so does a stack without memory. Our handler would run there (SA_ONSTACK), and the kernel
//   would end the program with SIGSEGV. Without an alternate stack, our handler runs on the thread's own.
// What the program can notice: a later call reports that there is no alternate stack, and a handler of the program that
//   asks for one runs on the thread's stack, where without us the program would die.
// Cost of munmap: one more system call (0.1 us) in programs that set alternate stacks.
// Not covered: raw system calls; a stack that another thread unmaps, or whose memory the program frees or uses for
//   something else; munmap under a seccomp filter, which may refuse our call.
#include <errno.h>
#include <linux/auxvec.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/base/config.h"
#include "platform/syscall.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/libc/program_pointers.h"
#include "runtime/process_tree/process_state.h"

namespace softlbr {
namespace {

// What our handler takes below the frame before it switches to a stack of the session.
constexpr uint64_t kHandlerEntryBytes = 512;
// The kernel's answer is for the largest frame that the CPU can have. With tile registers (AMX) that is 11 KiB, but
// only threads that use them get such frames: larger stacks than this are left alone.
constexpr uint64_t kSurelyEnoughBytes = 8192;
constexpr uint64_t kKernelLeastBytes = SOFTLBR_CPU_AARCH64 ? 5120 : 2048;  // it refuses smaller ones
constexpr uint32_t kAutoDisarm = 1u << 31;

SOFTLBR_CONSTINIT NextFunction<int(const stack_t*, stack_t*)> g_sigaltstack("sigaltstack");
SOFTLBR_CONSTINIT NextFunction<int(void*, size_t)> g_munmap("munmap");
SOFTLBR_CONSTINIT uint64_t g_least_bytes = 0;          // set before the program's main
SOFTLBR_CONSTINIT uint64_t g_page_bytes = 4096;        // likewise
SOFTLBR_CONSTINIT std::atomic<bool> g_is_used{false};  // some thread has set an alternate stack

long KernelStack(const stack_t* wish, stack_t* previous) {
  return platform::SysCall(SYS_sigaltstack, reinterpret_cast<long>(wish), reinterpret_cast<long>(previous));
}

bool IsWithin(const stack_t& stack, const void* begin, size_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(stack.ss_sp);
  const auto from = reinterpret_cast<uint64_t>(begin);
  const uint64_t end = (from + bytes + g_page_bytes - 1) & ~(g_page_bytes - 1);  // the kernel unmaps whole pages
  return (stack.ss_flags & SS_DISABLE) == 0 && first < end && from < first + stack.ss_size;
}

int Unmap(void* begin, size_t bytes) {
  // Allocators call this under their lock, which a look-up could take, too.
  if (g_munmap.Known() != nullptr) return g_munmap.Known()(begin, bytes);
  const long result = platform::SysCall(SYS_munmap, reinterpret_cast<long>(begin), static_cast<long>(bytes));
  if (result >= 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

void LearnAlternateStacks() {
  g_sigaltstack.Learn();
  g_munmap.Learn();
  g_page_bytes = getauxval(AT_PAGESZ);
  const uint64_t frame_bytes = getauxval(AT_MINSIGSTKSZ);
  if (frame_bytes == 0) return;  // Linux before 5.14 on x86-64
  const uint64_t least = frame_bytes + kHandlerEntryBytes;
  g_least_bytes = least < kSurelyEnoughBytes ? least : kSurelyEnoughBytes;
}

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int sigaltstack(const stack_t* wish, stack_t* previous) SOFTLBR_LIBC_NOTHROW {
  const auto set = softlbr::g_sigaltstack.Get();
  const bool is_readable = wish != nullptr && (softlbr::IsSandboxed() || softlbr::CanRead(wish, sizeof *wish));
  if (is_readable && wish->ss_size >= softlbr::kKernelLeastBytes && wish->ss_size < softlbr::g_least_bytes &&
      (static_cast<uint32_t>(wish->ss_flags) & ~softlbr::kAutoDisarm & ~uint32_t{SS_ONSTACK}) == 0) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    return set(&none, previous);
  }
  if (wish != nullptr) softlbr::g_is_used.store(true, std::memory_order_relaxed);
  return set(wish, previous);  // also what the kernel refuses
}

extern "C" SOFTLBR_EXPORT int munmap(void* begin, size_t bytes) SOFTLBR_LIBC_NOTHROW {
  stack_t stack;
  const bool is_stack = softlbr::g_is_used.load(std::memory_order_relaxed) && !softlbr::HasSeccompFilter() &&
                        softlbr::KernelStack(nullptr, &stack) == 0 && softlbr::IsWithin(stack, begin, bytes);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (is_stack) (void)softlbr::KernelStack(&none, nullptr);  // first: a signal may come as soon as the memory is gone
  const int result = softlbr::Unmap(begin, bytes);
  if (is_stack && result != 0) (void)softlbr::KernelStack(&stack, nullptr);
  return result;
}
