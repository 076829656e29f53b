// Runs instructions on the CPU itself, from a state we choose, and reports the state they leave.
//
// Who calls: the oracle's tests and tools; host code, x86-64 only, one runner per process (it owns signal handlers and the
// gs base). Memory: one mapping of a few pages, between unmapped ones.
// How: trampoline_x86_64.S loads every register, jumps to the instruction slot and stores every register. What does not
// come out at the slot's end (a fault, a taken branch: the rest of the slot page is int3) comes back through a signal
// handler that continues at the trampoline's exit, so the state is complete in every case.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_RUNNER_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_RUNNER_H_

#include <cstddef>
#include <cstdint>

#include "tests/decoders/oracle/native_layout_asm.h"

namespace softlbr::oracle {

struct NativeState {
  uint8_t fxsave[512];  // x87/MMX registers and MXCSR are taken from here, xmm from zmm below
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
  int signal;        // 0: control left the slot by falling through or by a branch; else what the instruction raised
  uint64_t landing;  // where control went; meaningless if signal != 0
};

class NativeRunner {
 public:
  // Maps the pages and installs the handlers; aborts the program if it cannot. At most one exists at a time.
  NativeRunner();
  ~NativeRunner();
  NativeRunner(const NativeRunner&) = delete;
  NativeRunner& operator=(const NativeRunner&) = delete;

  VectorLevel vector_level() const { return level_; }
  // What a fresh state must hold so that loading it is legal: control words, everything else zero.
  void InitState(NativeState* state) const;

  NativeState* in() { return reinterpret_cast<NativeState*>(base_ + ORACLE_IN_PAGE); }
  const NativeState& out() const { return *reinterpret_cast<const NativeState*>(base_ + ORACLE_OUT_PAGE); }
  uint8_t* scratch() { return base_ + ORACLE_SCRATCH; }
  uint64_t scratch_address() const { return reinterpret_cast<uint64_t>(base_) + ORACLE_SCRATCH; }
  uint64_t base_address() const { return reinterpret_cast<uint64_t>(base_); }
  // Where code of this size runs.
  uint64_t SlotAddress(size_t size) const { return base_address() + ORACLE_SLOT_END - size; }
  bool IsInSlotPage(uint64_t address) const { return address - (reinterpret_cast<uint64_t>(base_) + ORACLE_SLOT_PAGE) < 0x1000; }
  // The region lies below 4 GiB, so that 32-bit addresses reach the scratch memory.
  bool is_low() const { return (reinterpret_cast<uint64_t>(base_) >> 32) == 0; }
  uint64_t gs_base() const { return scratch_address() + ORACLE_SCRATCH_BYTES / 2; }
  uint64_t fs_base() const { return fs_base_; }

  // Puts code into the slot; the caller keeps it below 512 bytes.
  void SetCode(const uint8_t* code, size_t size);
  // One run from *in(). Costs about 0.3 us, 3 us when a signal brings it back.
  NativeResult Run();

 private:
  uint8_t* base_;
  VectorLevel level_;
  uint64_t fs_base_;
  size_t code_size_ = 0;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_RUNNER_H_
