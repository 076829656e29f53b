// What the decoder asks of the CPU that the code runs on: the points where x86-64 processors differ in what user code
// can see (the table in decoders/x86_64/README.md).
//
// Who fills it: open(), from its variant (plugin_x86_64.h: the same bits, 8 higher). Who reads it: Decode() and the
// semantics, as Instruction::cpu. No bit of a group: not known; then nothing that depends on it is called known.
#ifndef SOFTLBR_DECODERS_X86_64_DECODE_CPU_H_
#define SOFTLBR_DECODERS_X86_64_DECODE_CPU_H_

#include <cstdint>

namespace softlbr::x86 {

enum CpuBit : uint8_t {
  kIntel = 1 << 0,  // near branches ignore 66
  kAmd = 1 << 1,    // near branches obey 66
  // Processors without tzcnt and lzcnt run the same bytes as bsf and bsr.
  kTzcnt = 1 << 2,
  kTzcntIsBsf = 1 << 3,
  kLzcnt = 1 << 4,
  kLzcntIsBsr = 1 << 5,
};
inline constexpr uint8_t kUnknownCpu = 0;

// CpuBits of the CPU this runs on; kUnknownCpu if that is no x86-64. host_cpu_x86_64.cc or host_cpu_none.cc.
// Control: cpuid traps in virtual machines, which takes up to some ten microseconds.
uint8_t HostCpu();

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_DECODE_CPU_H_
