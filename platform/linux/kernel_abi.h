// Structures and constants of the kernel's interface whose kernel headers conflict with libc's.
#ifndef SOFTLBR_PLATFORM_LINUX_KERNEL_ABI_H_
#define SOFTLBR_PLATFORM_LINUX_KERNEL_ABI_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/trap_code.h"
#include "platform/trap_signal.h"

namespace softlbr::platform {

inline constexpr int kSigTrap = 5;
inline constexpr uint64_t kSigTrapBit = 1u << (kSigTrap - 1);
inline constexpr int kSigContinue = 18;
inline constexpr uint64_t kAllSignals = ~uint64_t{0};
inline constexpr int kSigBlock = 0;
inline constexpr int kSigSetMask = 2;
inline constexpr long kSignalSetBytes = 8;

// Clock ids. <linux/time.h> conflicts with libc's <time.h>, which <atomic> may include.
inline constexpr long kClockRealtime = 0;
inline constexpr long kClockMonotonic = 1;
inline constexpr long kClockProcessCpu = 2;
inline constexpr long kClockThreadCpu = 3;

struct KernelTimespec {
  int64_t seconds;
  int64_t nanoseconds;
};

inline constexpr uint64_t kNsPerSecond = 1000000000;

SOFTLBR_HANDLER_SAFE constexpr KernelTimespec TimespecOf(uint64_t ns) {
  return KernelTimespec{static_cast<int64_t>(ns / kNsPerSecond), static_cast<int64_t>(ns % kNsPerSecond)};
}

SOFTLBR_HANDLER_SAFE constexpr uint64_t NsOf(const KernelTimespec& time) {
  return static_cast<uint64_t>(time.seconds) * kNsPerSecond + static_cast<uint64_t>(time.nanoseconds);
}

// struct sigaction of rt_sigaction, on x86-64 and AArch64.
using KernelSigaction = TrapAction;

inline constexpr uint64_t kSigDefault = 0;
inline constexpr uint64_t kSigIgnore = 1;
inline constexpr uint64_t kSaNoChildStop = 0x00000001;
inline constexpr uint64_t kSaNoChildWait = 0x00000002;
inline constexpr uint64_t kSaSigInfo = 0x00000004;
inline constexpr uint64_t kSaRestorer = 0x04000000;
inline constexpr uint64_t kSaOnStack = 0x08000000;
inline constexpr uint64_t kSaRestart = 0x10000000;
inline constexpr uint64_t kSaNoDefer = 0x40000000;
inline constexpr uint64_t kSaResetHand = 0x80000000;

// siginfo of a SIGTRAP on 64-bit kernels. tests/platform compares the offsets with libc's.
struct KernelTrapInfo {
  int32_t signal;
  int32_t error;
  int32_t code;
  int32_t padding;
  uint64_t address;  // for a timer signal: the kernel's timer id and the overrun count
  uint64_t data;     // TRAP_PERF: sig_data; SI_TIMER: sigev_value
  uint32_t perf_type;
  uint32_t perf_flags;
};

inline constexpr int32_t kTrapTrace = 2;    // TRAP_TRACE
inline constexpr int32_t kSiKernel = 0x80;  // SI_KERNEL
inline constexpr int32_t kSiTimer = -2;     // SI_TIMER
inline constexpr uint32_t kTrapPerfFlagAsync = 1;

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_KERNEL_ABI_H_
