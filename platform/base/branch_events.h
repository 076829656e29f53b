// The raw events that count taken branches, by CPU. A pure choice, for the runtime and for `softlbr doctor`.
//
// Kernels and hypervisors do not check raw events: if the CPU, or a guest's PMU, lacks one, it can be opened and stays
// at 0. A user must therefore first try whether it counts.
#ifndef SOFTLBR_PLATFORM_BASE_BRANCH_EVENTS_H_
#define SOFTLBR_PLATFORM_BASE_BRANCH_EVENTS_H_

#include <cstdint>

namespace softlbr::platform {

inline constexpr uint64_t kNoBranchEvent = 0;

// What CPUID says about an x86-64 CPU.
struct X86Identity {
  uint32_t ebx, ecx, edx;  // leaf 0: the vendor
  uint32_t signature;      // leaf 1, eax: family, model, stepping
};

// The family, which is the sum of two fields if the first is full.
constexpr uint32_t FamilyOf(uint32_t signature) {
  constexpr uint32_t kFull = 15;
  const uint32_t base = signature >> 8 & 15;
  return base == kFull ? base + (signature >> 20 & 0xff) : base;
}

constexpr uint64_t TakenBranchEventOf(const X86Identity& cpu) {
  constexpr uint64_t kIntelNearTaken = 0x20c4;  // BR_INST_RETIRED.NEAR_TAKEN
  constexpr uint64_t kAmdTaken = 0xc4;          // PMCx0C4, Retired Taken Branch Instructions
  constexpr uint32_t kAmdFirstFamily = 0x15;    // and 16h, 17h, 19h, 1Ah, whose manuals have it all
  const bool is_intel = cpu.ebx == 0x756e6547 && cpu.edx == 0x49656e69 && cpu.ecx == 0x6c65746e;  // "GenuineIntel"
  const bool is_amd = cpu.ebx == 0x68747541 && cpu.edx == 0x69746e65 && cpu.ecx == 0x444d4163;    // "AuthenticAMD"
  if (is_intel) return kIntelNearTaken;
  return is_amd && FamilyOf(cpu.signature) >= kAmdFirstFamily ? kAmdTaken : kNoBranchEvent;
}

// AArch64: PC_WRITE_RETIRED, taken branches by definition of the architecture. A CPU need not have it.
inline constexpr uint64_t kTakenBranchEventOfA64 = 0x0c;

// TakeBranches executes at least this many taken branches, to try an event.
inline constexpr uint32_t kTriedBranches = 1000;
inline void TakeBranches() {
  for (uint32_t i = 0; i < kTriedBranches; ++i) __asm__ volatile("" ::: "memory");
}

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_BASE_BRANCH_EVENTS_H_
