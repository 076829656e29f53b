// Contract: capstone_memory.h.
#include "decoders/x86_64/clobber/capstone_memory.h"

#include <atomic>

namespace softlbr::x86 {
namespace {

struct Lender {
  std::atomic<uintptr_t> frame;  // 0: free
  LentMemory* memory;            // accessed by the lender's thread only
};
SOFTLBR_CONSTINIT Lender g_lenders[kMaxLenders] = {};

}  // namespace

uint32_t Lend(const void* frame, LentMemory* memory) {
  for (uint32_t i = 0; i < kMaxLenders; ++i) {
    uintptr_t expected = 0;
    if (g_lenders[i].frame.load(std::memory_order_relaxed) != 0) continue;
    // Acquire: the previous lender has finished with the entry.
    if (!g_lenders[i].frame.compare_exchange_strong(expected, reinterpret_cast<uintptr_t>(frame),
                                                    std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    g_lenders[i].memory = memory;
    return i;
  }
  return kMaxLenders;
}

void TakeBack(uint32_t entry) { g_lenders[entry].frame.store(0, std::memory_order_release); }

LentMemory* LentTo(const void* frame) {
  const uintptr_t here = reinterpret_cast<uintptr_t>(frame);
  uintptr_t nearest = UINTPTR_MAX;
  const Lender* found = nullptr;
  for (const Lender& lender : g_lenders) {
    const uintptr_t at = lender.frame.load(std::memory_order_relaxed);
    if (at <= here || at >= nearest) continue;
    nearest = at;
    found = &lender;
  }
  return found != nullptr ? found->memory : nullptr;
}

}  // namespace softlbr::x86
