// Runs instructions on the CPU from a given state, and returns the resulting state.
//
// Who calls: the oracle's tests and tools. x86-64 only, one runner per process, because it owns signal handlers and the
// gs base. Memory: one mapping of a few pages, between unmapped ones.
// How: trampoline_x86_64.S loads every register, jumps to the instruction slot and stores every register. If control
// does not leave at the slot's end (a fault, or a taken branch, since the rest of the slot page is int3), a signal
// handler continues at the trampoline's exit. So the state is complete in every case.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_RUNNER_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_RUNNER_H_

#include <cstddef>
#include <cstdint>

#include "tests/decoders/oracle/native_layout_asm.h"

namespace softlbr::oracle {

struct NativeState {
  uint8_t fxsave[512];  // the source of x87/MMX registers and MXCSR; xmm comes from zmm below
  uint64_t gpr[16];     // encoding order
  uint64_t rflags;
  uint64_t k[8];
  uint64_t unused[7];
  uint8_t zmm[32][64];

  uint32_t mxcsr() const;
  void set_mxcsr(uint32_t value);
  uint64_t mm(uint32_t index) const;  // physical register
  void set_mm(uint32_t index, uint64_t value);
};
static_assert(offsetof(NativeState, gpr) == ORACLE_GPR && offsetof(NativeState, rflags) == ORACLE_RFLAGS &&
                  offsetof(NativeState, k) == ORACLE_K && offsetof(NativeState, zmm) == ORACLE_ZMM &&
                  sizeof(NativeState) == ORACLE_STATE_BYTES,
              "trampoline_x86_64.S reads this layout: update native_layout_asm.h");

enum class VectorLevel : uint32_t { kSse = 0, kAvx = 1, kAvx512 = 2 };

struct NativeResult {
  // 0: control left the slot by falling through or by a branch; else the signal raised by the instruction
  int signal;
  uint64_t landing;  // the address that control went to; meaningless if signal != 0
};

class NativeRunner {
 public:
  // Maps the pages and installs the handlers; aborts the program on failure. At most one object exists at a time.
  NativeRunner();
  ~NativeRunner();
  NativeRunner(const NativeRunner&) = delete;
  NativeRunner& operator=(const NativeRunner&) = delete;

  VectorLevel vector_level() const { return level_; }
  // Values that a fresh state needs to be loadable: control words; everything else is zero.
  void InitState(NativeState* state) const;

  NativeState* in() { return reinterpret_cast<NativeState*>(base_ + ORACLE_IN_PAGE); }
  const NativeState& out() const { return *reinterpret_cast<const NativeState*>(base_ + ORACLE_OUT_PAGE); }
  uint8_t* scratch() { return base_ + ORACLE_SCRATCH; }
  uint64_t scratch_address() const { return reinterpret_cast<uint64_t>(base_) + ORACLE_SCRATCH; }
  uint64_t base_address() const { return reinterpret_cast<uint64_t>(base_); }
  // The address at which code of this size runs.
  uint64_t SlotAddress(size_t size) const { return base_address() + ORACLE_SLOT_END - size; }
  bool IsInSlotPage(uint64_t address) const {
    return address - (reinterpret_cast<uint64_t>(base_) + ORACLE_SLOT_PAGE) < 0x1000;
  }
  // The region is below 4 GiB, so that 32-bit addresses reach the scratch memory.
  bool is_low() const { return (reinterpret_cast<uint64_t>(base_) >> 32) == 0; }
  uint64_t gs_base() const { return scratch_address() + ORACLE_SCRATCH_BYTES / 2; }
  uint64_t fs_base() const { return fs_base_; }

  // Copies code into the slot; the caller keeps it below 512 bytes.
  void SetCode(const uint8_t* code, size_t size);
  // Runs once from *in(). Costs about 0.3 us, or 3 us if a signal ends the run.
  NativeResult Run();

 private:
  uint8_t* base_;
  VectorLevel level_;
  uint64_t fs_base_;
  size_t code_size_ = 0;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_RUNNER_H_
