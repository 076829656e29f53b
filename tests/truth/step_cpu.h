// What the stepper asks of the CPU that it steps on. One body per CPU, picked by CMake.
//
// Context: host; `pid` is a stopped tracee.
#ifndef SOFTLBR_TESTS_TRUTH_STEP_CPU_H_
#define SOFTLBR_TESTS_TRUTH_STEP_CPU_H_

#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/truth/step_classifier.h"

namespace softlbr::truth {

extern const size_t kMaxInstructionLength;

uint64_t ReadPc(pid_t pid);
uint64_t ReadSp(pid_t pid);
void WritePc(pid_t pid, uint64_t pc);
// Of the system call that the thread is about to make.
uint64_t ReadCallNumber(pid_t pid);

StepClass ClassifyInstruction(const uint8_t* bytes, size_t size);
// Whether the conditional branch at bytes is taken with the thread's registers.
bool IsBranchTaken(pid_t pid, const StepClass& step, const uint8_t* bytes);

// The thread stands at the first instruction of a function: where that returns to, and whether a thread at that place with
// this stack pointer has come back from it (or from one called deeper).
uint64_t ReadReturnAddress(pid_t pid);
bool HasReturned(uint64_t sp_at_entry, uint64_t sp);

// A word of code with a trap in its low bytes, and how far behind the trap's address the pc stands at its stop.
uint64_t WithTrap(uint64_t word);
extern const uint64_t kTrapPcDistance;
// si_code of such a stop.
bool IsTrapCode(int code);

// Whether a SIGTRAP says that the step is done: after an instruction, after a system call, or (SIGTRAP itself, by ptrace_notify)
// at the entry of a signal handler. Traps of perf events, of the program's own trap instructions and of kill are none.
bool IsEndOfStep(const siginfo_t& info);

// Instructions that no stop may come between (a load-exclusive up to its store): where such a run that begins at bytes ends.
struct UnstoppableRun {
  struct End {
    uint64_t distance;  // of the place, from the run's first instruction, modulo 2^64
    uint64_t branch;    // of the branch that leads there; 0: straight on
  };
  uint32_t instructions = 0;  // 0: none begins here
  std::vector<End> ends;
};
extern const size_t kUnstoppableBytes;  // bytes needed to tell; 0: there are none
UnstoppableRun FindUnstoppableRun(const uint8_t* bytes, size_t size);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_STEP_CPU_H_
