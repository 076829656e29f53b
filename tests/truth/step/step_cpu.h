// The CPU-dependent part of the stepper. One body per CPU, picked by CMake.
//
// Context: host; `pid` is a stopped tracee.
#ifndef SOFTLBR_TESTS_TRUTH_STEP_STEP_CPU_H_
#define SOFTLBR_TESTS_TRUTH_STEP_STEP_CPU_H_

#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/truth/step/step_classifier.h"

namespace softlbr::truth {

extern const size_t kMaxInstructionLength;

uint64_t ReadPc(pid_t pid);
uint64_t ReadSp(pid_t pid);
void WritePc(pid_t pid, uint64_t pc);
// Number of the system call that the thread is about to make.
uint64_t ReadCallNumber(pid_t pid);

StepClass ClassifyInstruction(const uint8_t* bytes, size_t size);
// Whether the conditional branch at bytes is taken with the thread's registers.
bool IsBranchTaken(pid_t pid, const StepClass& step, const uint8_t* bytes);

// With the thread at the first instruction of a function: the return address, and whether a thread at that address with
// this stack pointer has returned from the function (or from one called deeper).
uint64_t ReadReturnAddress(pid_t pid);
bool HasReturned(uint64_t sp_at_entry, uint64_t sp);

// A word of code with a trap in its low bytes, and the distance from the trap's address to the pc at its stop.
uint64_t WithTrap(uint64_t word);
extern const uint64_t kTrapPcDistance;
// Whether `code` is the si_code of that stop.
bool IsTrapCode(int code);

// Whether a SIGTRAP ends a step: after an instruction, after a system call, or (SIGTRAP itself, by ptrace_notify)
// at the entry of a signal handler. Traps of perf events, of the program's own trap instructions and of kill do not.
bool IsEndOfStep(const siginfo_t& info);

// Instructions that run one after the other, each once, to one of a few places, at which a trap stops the thread: that
// is several times faster than a stop behind each of them, and an exclusive pair cannot be stepped at all.
struct TrappedRun {
  struct End {
    uint64_t distance;      // from the first instruction to this end, modulo 2^64
    uint32_t instructions;  // executed up to this end
    bool is_taken = false;  // the last of them is a branch, which leads here
    uint64_t branch = 0;    // from the first instruction to that branch
  };
  std::vector<End> ends;     // empty: no run begins here. None is within the run
  bool is_required = false;  // by single steps the thread would not get on
};
inline constexpr size_t kTrappedRunBytes = 64;  // the longest run, and what FindTrappedRun should be given
TrappedRun FindTrappedRun(const uint8_t* bytes, size_t size);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_STEP_STEP_CPU_H_
