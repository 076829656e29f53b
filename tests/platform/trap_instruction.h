// The CPU's own breakpoint instruction, and how CPUs differ about breakpoints.
#ifndef SOFTLBR_TESTS_PLATFORM_TRAP_INSTRUCTION_H_
#define SOFTLBR_TESTS_PLATFORM_TRAP_INSTRUCTION_H_

namespace softlbr::platform::testing {

// int3, brk. Returns if the handler has called SkipTrapInstruction.
void ExecuteTrapInstruction();
void SkipTrapInstruction(void* ucontext);
// si_code of its SIGTRAP.
extern const int kTrapInstructionCode;

// False where returning to a pc whose breakpoint is armed hits again at once (no resume flag).
extern const bool kCanRearmAtHit;

}  // namespace softlbr::platform::testing

#endif  // SOFTLBR_TESTS_PLATFORM_TRAP_INSTRUCTION_H_
