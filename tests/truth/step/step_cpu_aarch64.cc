// Contract: step_cpu.h, on AArch64.
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include <cstring>

#include "tests/truth/step/step_classifier_a64.h"
#include "tests/truth/step/step_cpu.h"

namespace softlbr::truth {
namespace {

constexpr uint64_t kBreakpointWord = 0xd4200000;  // brk #0
constexpr uint32_t kLinkRegister = 30;
constexpr uint32_t kCallNumberRegister = 8;

// The kernel's struct user_pt_regs.
struct Registers {
  uint64_t x[31];
  uint64_t sp;
  uint64_t pc;
  uint64_t pstate;
};

Registers Read(pid_t pid) {
  Registers registers = {};
  iovec area = {&registers, sizeof registers};
  ptrace(PTRACE_GETREGSET, pid, reinterpret_cast<void*>(NT_PRSTATUS), &area);
  return registers;
}

}  // namespace

const size_t kMaxInstructionLength = 4;
const uint64_t kTrapPcDistance = 0;

uint64_t ReadPc(pid_t pid) { return Read(pid).pc; }
uint64_t ReadSp(pid_t pid) { return Read(pid).sp; }
void WritePc(pid_t pid, uint64_t pc) {
  Registers registers = Read(pid);
  registers.pc = pc;
  iovec area = {&registers, sizeof registers};
  ptrace(PTRACE_SETREGSET, pid, reinterpret_cast<void*>(NT_PRSTATUS), &area);
}
uint64_t ReadCallNumber(pid_t pid) { return Read(pid).x[kCallNumberRegister]; }

StepClass ClassifyInstruction(const uint8_t* bytes, size_t size) {
  uint32_t word;
  if (size < sizeof word) return {};
  std::memcpy(&word, bytes, sizeof word);
  return ClassifyA64Step(word);
}
bool IsBranchTaken(pid_t pid, const StepClass&, const uint8_t* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  const Registers registers = Read(pid);
  const uint32_t tested = TestedA64Register(word);
  return IsA64ConditionTrue(word, registers.pstate, tested == 31 ? 0 : registers.x[tested]);
}

uint64_t ReadReturnAddress(pid_t pid) { return Read(pid).x[kLinkRegister]; }
bool HasReturned(uint64_t sp_at_entry, uint64_t sp) { return sp >= sp_at_entry; }

uint64_t WithTrap(uint64_t word) { return (word & ~uint64_t{0xffffffff}) | kBreakpointWord; }
bool IsTrapCode(int code) { return code == TRAP_BRKPT; }

bool IsEndOfStep(const siginfo_t& info) {
  const bool is_system_call = info.si_code == SI_USER && info.si_pid == 0;
  return info.si_code == TRAP_TRACE || info.si_code == SIGTRAP || is_system_call;
}

TrappedRun FindTrappedRun(const uint8_t* bytes, size_t size) {
  uint32_t words[A64ExclusivePair::kMaxInstructions] = {};
  const size_t count = size / 4 < A64ExclusivePair::kMaxInstructions ? size / 4 : A64ExclusivePair::kMaxInstructions;
  std::memcpy(words, bytes, 4 * count);
  const A64ExclusivePair exclusive = FindA64ExclusivePair(words, static_cast<uint32_t>(count));
  static_assert(4 * A64ExclusivePair::kMaxInstructions <= kTrappedRunBytes);
  TrappedRun run;
  if (exclusive.instructions == 0) return run;
  run.is_required = true;
  run.ends.push_back({uint64_t{4} * exclusive.instructions, exclusive.instructions});
  for (uint32_t i = 0; i < exclusive.branch_count; ++i) {
    const auto& branch = exclusive.branches[i];
    run.ends.push_back({static_cast<uint64_t>(int64_t{branch.distance}), branch.at + 1, true, uint64_t{4} * branch.at});
  }
  return run;
}

}  // namespace softlbr::truth
