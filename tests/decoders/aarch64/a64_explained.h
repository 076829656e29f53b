// Where decoder and emulator may differ, and why.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_EXPLAINED_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_EXPLAINED_H_

#include <cstdint>

namespace softlbr::oracle {

// The emulator runs at a privileged level, where these change the machine itself: system registers and maintenance beyond
// user space's, exception returns.
inline bool IsHarmfulToEmulator(uint32_t word) {
  if ((word & 0xff800000) == 0xd5000000) {  // system
    const uint32_t op0 = word >> 19 & 3;
    const uint32_t op1 = word >> 16 & 7;
    return op0 == 0 ? (word >> 12 & 15) == 4 && op1 != 3 && (word >> 5 & 7) > 2 : op1 != 3;
  }
  // Reserved halves of half-precision operations make the emulator give up.
  if ((word & 0x8f7e0c00) == 0x0e780800 || (word & 0x8f60c400) == 0x0e400400) return true;
  return (word & 0xfe000000) == 0xd6000000 && (word >> 21 & 15) >= 4 && (word >> 21 & 15) < 8;  // eret, drps
}

// An instruction to the emulator that is none to user space, or none any more.
inline bool IsRefusalExplained(uint32_t) { return false; }

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_EXPLAINED_H_
