// Clocks by system call, and calibration of the CPU's tick counter.
#include <asm/unistd.h>
#include <linux/prctl.h>

#include <atomic>

#include "platform/base/config.h"
#include "platform/linux/kernel_abi.h"
#include "platform/syscall.h"
#include "platform/thread.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr uint64_t kCalibrationNs = 1000000;
constexpr int kPairTries = 8;

// Nanoseconds per tick, with 32 fraction bits. 0: not measured yet.
SOFTLBR_CONSTINIT std::atomic<uint64_t> g_ns_per_tick{0};

struct TickPair {
  uint64_t ticks;
  uint64_t ns;
};

// Reads both clocks. Keeps the attempt whose clock call took the fewest ticks.
TickPair ReadPair() {
  TickPair best = {};
  uint64_t best_width = ~uint64_t{0};
  for (int i = 0; i < kPairTries; ++i) {
    const uint64_t before = Ticks();
    const uint64_t ns = MonotonicNs();
    const uint64_t width = Ticks() - before;
    if (width < best_width) {
      best_width = width;
      best = TickPair{before + width / 2, ns};
    }
  }
  return best;
}

uint64_t ReadClock(long clock, bool whole_seconds) {
  KernelTimespec time = {};
  SysCall(__NR_clock_gettime, clock, reinterpret_cast<long>(&time));
  return whole_seconds ? static_cast<uint64_t>(time.seconds) : NsOf(time);
}

}  // namespace

uint64_t MonotonicNs() { return ReadClock(kClockMonotonic, false); }
uint64_t UnixSeconds() { return ReadClock(kClockRealtime, true); }

// The kernel knows PR_GET_TSC on x86-64, and on AArch64 since Linux 6.12; elsewhere it refuses the call.
bool AllowTicks() {
  int32_t mode = PR_TSC_ENABLE;
  SysCall(__NR_prctl, PR_GET_TSC, reinterpret_cast<long>(&mode));
  if (SOFTLBR_LIKELY(mode != PR_TSC_SIGSEGV)) return false;
  SysCall(__NR_prctl, PR_SET_TSC, PR_TSC_ENABLE);
  return true;
}
void ForbidTicks() { SysCall(__NR_prctl, PR_SET_TSC, PR_TSC_SIGSEGV); }

void CalibrateTicks() {
  if (g_ns_per_tick.load(std::memory_order_relaxed) != 0) return;
  const TickPair first = ReadPair();
  SleepNs(kCalibrationNs);
  const TickPair last = ReadPair();
  const uint64_t ticks = last.ticks - first.ticks;
  if (ticks == 0 || last.ticks < first.ticks) return;
  g_ns_per_tick.store(((last.ns - first.ns) << 32) / ticks, std::memory_order_relaxed);
}

uint64_t TicksToNs(uint64_t ticks) {
  return static_cast<uint64_t>(static_cast<Wide>(ticks) * g_ns_per_tick.load(std::memory_order_relaxed) >> 32);
}

}  // namespace softlbr::platform
