// Interposes sigaltstack: an alternate stack that is too small for a signal frame is not set.
//
// Why: the kernel accepts 2048 bytes on x86-64, but a frame takes 3.3 KiB with AVX-512. Such a stack works as long as no handler
//   runs on it, which ours would (SA_ONSTACK): the kernel then ends the program with SIGSEGV. Without an alternate stack, our
//   handler runs on the thread's own.
// What the program can notice: a later call reports that there is no alternate stack, and a handler of the program that asks for one runs
//   on the thread's stack, where without us the program would die.
// Not covered: raw system calls; a stack whose memory the program has freed or used for something else without a call.
#include <linux/auxvec.h>
#include <signal.h>
#include <sys/auxv.h>

#include "platform/base/attributes.h"
#include "platform/config.h"
#include "runtime/attach/next_function.h"
#include "runtime/attach/preload.h"
#include "runtime/attach/program_pointers.h"

namespace softlbr {
namespace {

// What our handler takes below the frame before it switches to a stack of the session.
constexpr uint64_t kHandlerEntryBytes = 512;
// The kernel's answer is for the largest frame that the CPU can have. With tile registers (AMX) that is 11 KiB, but only threads
// that use them get such frames: larger stacks than this are left alone.
constexpr uint64_t kSurelyEnoughBytes = 8192;
constexpr uint64_t kKernelLeastBytes = SOFTLBR_CPU_AARCH64 ? 5120 : 2048;  // it refuses smaller ones
constexpr uint32_t kAutoDisarm = 1u << 31;

SOFTLBR_CONSTINIT NextFunction<int(const stack_t*, stack_t*)> g_sigaltstack("sigaltstack");
SOFTLBR_CONSTINIT uint64_t g_least_bytes = 0;  // set before the program's main

}  // namespace

void LearnAlternateStacks() {
  g_sigaltstack.Learn();
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
  return set(wish, previous);  // also what the kernel refuses
}
