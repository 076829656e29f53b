// Contract: step_cpu.h, on x86-64.
#include <capstone/capstone.h>
#include <sys/ptrace.h>
#include <sys/reg.h>

#include <cstring>

#include "tests/truth/step/step_cpu.h"

namespace softlbr::truth {
namespace {

uint64_t Register(pid_t pid, int number) {
  return static_cast<uint64_t>(ptrace(PTRACE_PEEKUSER, pid, static_cast<long>(number) * 8, nullptr));
}

// Of an instruction that continues behind itself and is executed once; else 0. Taken from Capstone, as no branch
// depends on it:
// a trap in a wrong place is not reached, and the stepper says so.
size_t PlainLength(const uint8_t* bytes) {
  struct Capstone {
    csh handle = 0;
    cs_insn* instruction = nullptr;
    Capstone() {
      if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK) instruction = cs_malloc(handle);
    }
  };
  static const Capstone capstone;
  if (capstone.instruction == nullptr) return 0;
  uint64_t address = 0;
  size_t size = kMaxInstructionLength;
  if (!cs_disasm_iter(capstone.handle, &bytes, &size, &address, capstone.instruction)) return 0;
  // clang-format off
  switch (capstone.instruction->id) {
    case X86_INS_CMPSB: case X86_INS_CMPSD: case X86_INS_CMPSQ: case X86_INS_CMPSW:
    case X86_INS_INSB: case X86_INS_INSD: case X86_INS_INSW:
    case X86_INS_LODSB: case X86_INS_LODSD: case X86_INS_LODSQ: case X86_INS_LODSW:
    case X86_INS_MOVSB: case X86_INS_MOVSD: case X86_INS_MOVSQ: case X86_INS_MOVSW:
    case X86_INS_OUTSB: case X86_INS_OUTSD: case X86_INS_OUTSW:
    case X86_INS_SCASB: case X86_INS_SCASD: case X86_INS_SCASQ: case X86_INS_SCASW:
    case X86_INS_STOSB: case X86_INS_STOSD: case X86_INS_STOSQ: case X86_INS_STOSW:  // may repeat
    case X86_INS_HLT: case X86_INS_POPF: case X86_INS_POPFQ: case X86_INS_UD2: case X86_INS_XBEGIN:
      return 0;
    default:
      return address;
  }
  // clang-format on
}

// Ends of a run that the branch at bytes[at] completes. None if it is indirect or leads into the run.
void AddBranch(const uint8_t* bytes, uint64_t at, uint32_t instructions, TrappedRun* run) {
  const StepClass step = ClassifyStep(bytes + at, kMaxInstructionLength);
  uint64_t end = 0, target = 0;
  if (step.kind == StepKind::kConditional) {
    end = at + step.length;
    target = end + static_cast<uint64_t>(int64_t{step.displacement});
  } else if (bytes[at] == 0xe8 || bytes[at] == 0xe9) {  // call, jmp
    int32_t displacement;
    std::memcpy(&displacement, bytes + at + 1, sizeof displacement);
    end = at + 5;
    target = end + static_cast<uint64_t>(int64_t{displacement});
  } else if (bytes[at] == 0xeb) {
    end = at + 2;
    target = end + static_cast<uint64_t>(int64_t{static_cast<int8_t>(bytes[at + 1])});
  }
  if (target <= end) return;
  run->ends.push_back({target, instructions + 1, true, at});
  if (step.kind == StepKind::kConditional) run->ends.push_back({end, instructions + 1});
}

}  // namespace

const size_t kMaxInstructionLength = 15;
const uint64_t kTrapPcDistance = 1;

uint64_t ReadPc(pid_t pid) { return Register(pid, RIP); }
uint64_t ReadSp(pid_t pid) { return Register(pid, RSP); }
void WritePc(pid_t pid, uint64_t pc) { ptrace(PTRACE_POKEUSER, pid, static_cast<long>(RIP) * 8, pc); }
uint64_t ReadCallNumber(pid_t pid) { return Register(pid, RAX); }

StepClass ClassifyInstruction(const uint8_t* bytes, size_t size) { return ClassifyStep(bytes, size); }
bool IsBranchTaken(pid_t pid, const StepClass& step, const uint8_t*) {
  return IsConditionTrue(step, Register(pid, EFLAGS), Register(pid, RCX));
}

uint64_t ReadReturnAddress(pid_t pid) {
  return static_cast<uint64_t>(ptrace(PTRACE_PEEKTEXT, pid, ReadSp(pid), nullptr));
}
bool HasReturned(uint64_t sp_at_entry, uint64_t sp) { return sp > sp_at_entry; }

uint64_t WithTrap(uint64_t word) { return (word & ~uint64_t{0xff}) | 0xcc; }
bool IsTrapCode(int code) { return code == SI_KERNEL; }

bool IsEndOfStep(const siginfo_t& info) {
  return info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT || info.si_code == SIGTRAP;  // second: a system call
}

TrappedRun FindTrappedRun(const uint8_t* bytes, size_t size) {
  TrappedRun run;
  uint64_t at = 0;  // where the next instruction begins
  uint32_t instructions = 0;
  size = size < kTrappedRunBytes ? size : kTrappedRunBytes;
  while (at + kMaxInstructionLength <= size) {
    const StepClass step = ClassifyStep(bytes + at, kMaxInstructionLength);
    if (step.kind != StepKind::kOther) {
      AddBranch(bytes, at, instructions, &run);
      if (!run.ends.empty()) return run;
      break;
    }
    const size_t length = PlainLength(bytes + at);
    if (length == 0) break;
    at += length;
    ++instructions;
  }
  if (instructions > 1) run.ends.push_back({at, instructions});
  return run;
}

}  // namespace softlbr::truth
