// Values of e_machine in ELF headers and profiles: EM_* of <elf.h>, a header that not every system has.
#ifndef SOFTLBR_PLATFORM_BASE_ELF_MACHINE_H_
#define SOFTLBR_PLATFORM_BASE_ELF_MACHINE_H_

#include <cstdint>

namespace softlbr {

inline constexpr uint16_t kMachineNone = 0;
inline constexpr uint16_t kMachineI386 = 3;
inline constexpr uint16_t kMachineArm = 40;
inline constexpr uint16_t kMachineX86_64 = 62;
inline constexpr uint16_t kMachineAarch64 = 183;
inline constexpr uint16_t kMachineRiscv = 243;

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_ELF_MACHINE_H_
