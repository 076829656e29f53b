// By vfmadd231. An x86-64 CPU may lack it, or may have it under a kernel that does not save its registers.
#include <cpuid.h>

#include <atomic>

#include "platform/base/config.h"
#include "platform/fused_multiply_add.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {
namespace {

enum class Answer : uint8_t { kNotAsked = 0, kNo = 1, kYes = 2 };
SOFTLBR_CONSTINIT std::atomic<Answer> g_answer{Answer::kNotAsked};

bool AskCpu() {
  constexpr uint32_t kFmaAndXsave = 1u << 12 | 1u << 27;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kFmaAndXsave) != kFmaAndXsave) return false;
  constexpr uint32_t kXmmAndYmm = 6;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kXmmAndYmm) == kXmmAndYmm;
}

}  // namespace

void LearnFusedMultiplyAdd() {
  if (g_answer.load(std::memory_order_relaxed) != Answer::kNotAsked) return;
  g_answer.store(AskCpu() ? Answer::kYes : Answer::kNo, std::memory_order_relaxed);
}

bool FusedMultiplyAdd(double a, double b, double* c) {
  if (g_answer.load(std::memory_order_relaxed) != Answer::kYes) return false;
  double sum = *c;
  __asm__("vfmadd231sd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  *c = sum;
  return true;
}

bool FusedMultiplyAdd(float a, float b, float* c) {
  if (g_answer.load(std::memory_order_relaxed) != Answer::kYes) return false;
  float sum = *c;
  __asm__("vfmadd231ss %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  *c = sum;
  return true;
}

}  // namespace softlbr::platform
