// Contract: step_cpu.h, on x86-64.
#include <sys/ptrace.h>
#include <sys/reg.h>

#include "tests/truth/step_cpu.h"

namespace softlbr::truth {
namespace {

uint64_t Register(pid_t pid, int number) {
  return static_cast<uint64_t>(ptrace(PTRACE_PEEKUSER, pid, static_cast<long>(number) * 8, nullptr));
}

}  // namespace

const size_t kMaxInstructionLength = 15;
const uint64_t kTrapPcDistance = 1;
const size_t kUnstoppableBytes = 0;

uint64_t ReadPc(pid_t pid) { return Register(pid, RIP); }
uint64_t ReadSp(pid_t pid) { return Register(pid, RSP); }
void WritePc(pid_t pid, uint64_t pc) { ptrace(PTRACE_POKEUSER, pid, static_cast<long>(RIP) * 8, pc); }
uint64_t ReadCallNumber(pid_t pid) { return Register(pid, RAX); }

StepClass ClassifyInstruction(const uint8_t* bytes, size_t size) { return ClassifyStep(bytes, size); }
bool IsBranchTaken(pid_t pid, const StepClass& step, const uint8_t*) {
  return IsConditionTrue(step, Register(pid, EFLAGS), Register(pid, RCX));
}

uint64_t ReadReturnAddress(pid_t pid) { return static_cast<uint64_t>(ptrace(PTRACE_PEEKTEXT, pid, ReadSp(pid), nullptr)); }
bool HasReturned(uint64_t sp_at_entry, uint64_t sp) { return sp > sp_at_entry; }

uint64_t WithTrap(uint64_t word) { return (word & ~uint64_t{0xff}) | 0xcc; }
bool IsTrapCode(int code) { return code == SI_KERNEL; }

bool IsEndOfStep(const siginfo_t& info) {
  return info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT || info.si_code == SIGTRAP;  // second: a system call
}

UnstoppableRun FindUnstoppableRun(const uint8_t*, size_t) { return {}; }

}  // namespace softlbr::truth
