// Where decoder and emulator may differ, and why.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_EXPLAINED_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_EXPLAINED_H_

#include <cstdint>

namespace softlbr::oracle {

// Instructions that user space may not execute: the decoder refuses them.
inline bool IsPrivileged(uint32_t word) {
  if ((word & 0xff000000) == 0xd5000000) {
    if ((word & 0xffc00000) != 0xd5000000) return true;  // 128-bit system registers
    const uint32_t op0 = word >> 19 & 3;
    const uint32_t op1 = word >> 16 & 7;
    return op0 != 0 ? op1 != 3 : op1 != 3 || (word >> 12 & 15) != 2;
  }
  if ((word & 0xffe0001c) == 0xd4000000) return (word & 3) >= 2;                                  // hvc, smc
  if ((word & 0xffe0001c) == 0xd4a00000) return (word & 3) != 0;                                  // dcps
  if ((word & 0xfe000000) == 0xd6000000) return (word >> 21 & 15) >= 4 && (word >> 21 & 15) < 8;  // eret, drps
  return (word & 0xff200c00) == 0xd9200000 && (word >> 22 & 3) != 1;                              // ldgm, stgm, stzgm
}

// Words that the emulator must not run. It runs at a privileged level, where system registers and maintenance beyond
// user space and exception returns change the machine itself. It aborts on reserved half-precision operations, and its
// scalar fcvtzs to a half-sized fixed-point number gives 32 bits.
inline bool IsHarmfulToEmulator(uint32_t word) {
  if ((word & 0xff800000) == 0xd5000000) {  // system
    const uint32_t op0 = word >> 19 & 3;
    const uint32_t op1 = word >> 16 & 7;
    return op0 == 0 ? (word >> 12 & 15) == 4 && op1 != 3 && (word >> 5 & 7) > 2 : op1 != 3;
  }
  if ((word & 0xfe000000) == 0xd6000000) return (word >> 21 & 15) >= 4 && (word >> 21 & 15) < 8;  // eret, drps
  const uint32_t key = (word >> 28 & 2) | (word >> 23 & 1);                                       // U : a
  // half precision, two registers
  if ((word & 0x8f7e0c00) == 0x0e780800) {
    static constexpr uint32_t kAllocated[4] = {0x3f000000, 0x2f00f000, 0x3f000000, 0xae00b000};
    static constexpr uint32_t kScalar[4] = {0x3c000000, 0xac007000, 0x3c000000, 0x2c003000};
    return (((word >> 28 & 1) != 0 ? kScalar : kAllocated)[key] >> (word >> 12 & 31) & 1) == 0;
  }
  if ((word & 0xdff0fc00) == 0x5f10fc00) return true;
  if ((word & 0x8f60c400) == 0x0e400400) {  // three registers
    static constexpr uint32_t kAllocated[4] = {0xdf, 0xc7, 0xfd, 0x75};
    static constexpr uint32_t kScalar[4] = {0x98, 0x80, 0x30, 0x34};
    return (((word >> 28 & 1) != 0 ? kScalar : kAllocated)[key] >> (word >> 11 & 7) & 1) == 0;
  }
  return false;
}

// Reserved words that the emulator executes as similar instructions.
inline bool IsRefusalExplained(uint32_t word) {
  if ((word & 0xaf7e0c00) == 0x0e700800) return true;  // half-precision reductions with bit 22
  if ((word & 0xbff8fc00) == 0x2f00fc00) return true;  // a half-precision immediate with bit 29
  return false;
}

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_EXPLAINED_H_
