// HostCpu() on x86-64: the vendor from cpuid; tzcnt and lzcnt by executing them.
#include <cpuid.h>

#include "decoders/x86_64/decode/cpu.h"

namespace softlbr::x86 {
namespace {

// cpuid leaf 0: the vendor string in ebx, edx, ecx.
struct Maker {
  uint32_t ebx;
  uint32_t edx;
  uint32_t ecx;
  uint8_t cpu;
};
// Other vendors (Zhaoxin, Centaur, ...) publish too little to rely on: not known.
constexpr Maker kMakers[] = {
    {0x756e6547, 0x49656e69, 0x6c65746e, kIntel},  // GenuineIntel
    {0x68747541, 0x69746e65, 0x444d4163, kAmd},    // AuthenticAMD
    {0x6f677948, 0x6e65476e, 0x656e6975, kAmd},    // HygonGenuine, AMD's Zen under licence
};

}  // namespace

uint8_t HostCpu() {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  __cpuid(0, eax, ebx, ecx, edx);
  uint32_t cpu = kUnknownCpu;
  for (const Maker& maker : kMakers) {
    if (ebx == maker.ebx && edx == maker.edx && ecx == maker.ecx) cpu = maker.cpu;
  }
  // Not by cpuid: a hypervisor may hide a feature that the CPU executes anyway. With source 0, tzcnt and lzcnt give 32,
  // while bsf and bsr leave the destination unchanged.
  constexpr uint32_t kLeftAlone = 1;
  uint32_t trailing = kLeftAlone;
  uint32_t leading = kLeftAlone;
  asm("rep bsfl %1, %0" : "+r"(trailing) : "r"(0) : "cc");
  asm("rep bsrl %1, %0" : "+r"(leading) : "r"(0) : "cc");
  cpu |= trailing == kLeftAlone ? kTzcntIsBsf : kTzcnt;
  cpu |= leading == kLeftAlone ? kLzcntIsBsr : kLzcnt;
  return static_cast<uint8_t>(cpu);
}

}  // namespace softlbr::x86
