// The properties of the CPU that runs the code: the points where x86-64 processors differ in what user code can observe
// (table in decoders/x86_64/README.md).
//
// Who fills it: open(), from its variant (plugin_x86_64.h: the same bits, shifted left by 8). Who reads it: Decode()
// and the semantics, as Instruction::cpu. If no bit of a group is set, that property is not known, and results that
// depend on it are UNKNOWN.
#ifndef SOFTLBR_DECODERS_X86_64_DECODE_CPU_H_
#define SOFTLBR_DECODERS_X86_64_DECODE_CPU_H_

#include <cstdint>

namespace softlbr::x86 {

enum CpuBit : uint8_t {
  kIntel = 1 << 0,  // near branches ignore 66
  kAmd = 1 << 1,    // near branches obey 66
  // Processors without tzcnt and lzcnt execute the same bytes as bsf and bsr.
  kTzcnt = 1 << 2,
  kTzcntIsBsf = 1 << 3,
  kLzcnt = 1 << 4,
  kLzcntIsBsr = 1 << 5,
};
inline constexpr uint8_t kUnknownCpu = 0;

// CpuBits of the CPU that executes this function; kUnknownCpu if it is not x86-64. host_cpu_x86_64.cc or
// host_cpu_none.cc. Control: cpuid traps in virtual machines, which takes ten microseconds or more.
uint8_t HostCpu();

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_DECODE_CPU_H_
