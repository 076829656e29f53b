// The signal frame of the AArch64 kernel: ucontext, general registers, then tagged records.
//
// Declared here because the kernel's headers and libc's cannot be included together. tests/platform compares the
// offsets with libc's ucontext_t.
#ifndef SOFTLBR_PLATFORM_LINUX_AARCH64_SIGNAL_FRAME_AARCH64_H_
#define SOFTLBR_PLATFORM_LINUX_AARCH64_SIGNAL_FRAME_AARCH64_H_

#include <cstddef>
#include <cstdint>

namespace softlbr::platform {

struct A64Record {
  uint32_t magic;
  uint32_t bytes;  // including this header; 0 ends the list
};

struct A64FloatRecord {
  A64Record header;
  uint32_t fpsr;
  uint32_t fpcr;
  uint64_t vectors[32][2];
};

// SVE. Where the registers are live they follow: 32 vectors of vector_bytes, then 16 predicates and the first-fault
// register of vector_bytes / 8 each.
struct A64ScalableRecord {
  A64Record header;
  uint16_t vector_bytes;
  uint16_t flags;  // 1: in streaming mode
  uint32_t reserved;
  // registers, if live
};
static_assert(sizeof(A64ScalableRecord) == 16);

inline constexpr uint32_t kScalableRecordMagic = 0x53564501;  // SVE_MAGIC
inline constexpr uint32_t kFloatRecordMagic = 0x46508001;     // FPSIMD_MAGIC
inline constexpr uint64_t kRecordAreaBytes = 4096;

struct A64SignalFrame {
  uint64_t uc_flags;
  uint64_t uc_link;
  uint64_t stack_sp;
  uint64_t stack_flags;
  uint64_t stack_bytes;
  uint64_t signal_mask;
  uint8_t unused[120];
  uint64_t alignment;
  uint64_t fault_address;
  uint64_t x[31];
  uint64_t sp;
  uint64_t pc;
  uint64_t pstate;
  uint64_t alignment2;
  uint8_t records[kRecordAreaBytes];
};
static_assert(offsetof(A64SignalFrame, signal_mask) == 40);
static_assert(offsetof(A64SignalFrame, fault_address) == 176);
static_assert(offsetof(A64SignalFrame, x) == 184);
static_assert(offsetof(A64SignalFrame, pc) == 440);
static_assert(offsetof(A64SignalFrame, records) == 464);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_AARCH64_SIGNAL_FRAME_AARCH64_H_
