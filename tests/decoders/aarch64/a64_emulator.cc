// Contract: a64_emulator.h.
#include "tests/decoders/aarch64/a64_emulator.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace softlbr::oracle {
namespace {

// The registers that one batch reads or writes: x0..x30, sp, nzcv, fpcr, tpidr, q0..q31.
constexpr int kRegisters = 31 + 4 + 32;

struct Registers {
  int ids[kRegisters];
  void* places[kRegisters];
  int count = 0;

  void Add(int id, void* place) {
    ids[count] = id;
    places[count++] = place;
  }
  explicit Registers(A64State* state) {
    for (int i = 0; i < 29; ++i) Add(UC_ARM64_REG_X0 + i, &state->x[i]);
    Add(UC_ARM64_REG_X29, &state->x[29]);
    Add(UC_ARM64_REG_X30, &state->x[30]);
    Add(UC_ARM64_REG_SP, &state->sp);
    Add(UC_ARM64_REG_NZCV, &state->nzcv);
    Add(UC_ARM64_REG_FPCR, &state->fpcr);
    Add(UC_ARM64_REG_TPIDR_EL0, &state->tpidr);
    for (int i = 0; i < 32; ++i) Add(UC_ARM64_REG_Q0 + i, state->v[i]);
  }
};

void Require(uc_err error, const char* what) {
  if (error == UC_ERR_OK) return;
  std::fprintf(stderr, "oracle: %s: %s\n", what, uc_strerror(error));
  std::abort();
}

// Below 2^48 and above 2^32, so that no address fits into half a register.
uint8_t* MapPages(uint64_t address, uint64_t bytes) {
  void* pages = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (pages == MAP_FAILED) {
    std::perror("oracle: mmap");
    std::abort();
  }
  return static_cast<uint8_t*>(pages);
}

}  // namespace

A64Emulator::A64Emulator() {
  code_ = MapPages(0x510000010000, kCodeBytes);
  scratch_ = MapPages(0x520000020000, kScratchBytes);
  for (uc_engine*& engine : engines_) {
    Require(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &engine), "uc_open");
    Require(uc_ctl_set_cpu_model(engine, UC_CPU_ARM64_MAX), "CPU model");
    Require(uc_mem_map_ptr(engine, code_address(), kCodeBytes, UC_PROT_READ | UC_PROT_EXEC, code_), "code");
    Require(uc_mem_map_ptr(engine, scratch_address(), kScratchBytes, UC_PROT_READ | UC_PROT_WRITE, scratch_),
            "scratch");
  }
  dczid_ = ReadDczid();
}

uint64_t A64Emulator::ReadDczid() {
  const uint32_t mrs_x0_dczid = 0xd53b00e0;
  A64State state = {};
  state.pc = code_address();
  SetCode(&mrs_x0_dczid, 1);
  if (Run(&state, true) != EmulatorResult::kOk) std::abort();
  return state.x[0];
}

A64Emulator::~A64Emulator() {
  for (uc_engine* engine : engines_) uc_close(engine);
  munmap(code_, kCodeBytes);
  munmap(scratch_, kScratchBytes);
}

void A64Emulator::SetCode(const uint32_t* words, uint32_t count) {
  std::memcpy(code_, words, 4 * count);
  count_ = count;
  for (uc_engine* engine : engines_)
    Require(uc_ctl_remove_cache(engine, code_address(), code_address() + 4 * count), "remove cache");
}

EmulatorResult A64Emulator::Run(A64State* state, bool is_straight) {
  const uint64_t end = code_address() + 4 * count_;
  Registers registers(state);
  uc_engine* engine = engines_[is_straight ? 1 : 0];
  Require(uc_reg_write_batch(engine, registers.ids, registers.places, registers.count), "write");
  const uc_err error = uc_emu_start(engine, code_address(), end, 0, is_straight ? 0 : count_);
  Require(uc_reg_read_batch(engine, registers.ids, registers.places, registers.count), "read");
  Require(uc_reg_read(engine, UC_ARM64_REG_PC, &state->pc), "pc");
  switch (error) {
    case UC_ERR_OK:
    case UC_ERR_FETCH_UNMAPPED:  // a branch to an unmapped address
    case UC_ERR_FETCH_PROT: return EmulatorResult::kOk;
    case UC_ERR_READ_UNMAPPED:
    case UC_ERR_WRITE_UNMAPPED:
    case UC_ERR_READ_PROT:
    case UC_ERR_WRITE_PROT:
    case UC_ERR_READ_UNALIGNED:
    case UC_ERR_WRITE_UNALIGNED: return EmulatorResult::kFaulted;
    default: return EmulatorResult::kUndefined;
  }
}

}  // namespace softlbr::oracle
