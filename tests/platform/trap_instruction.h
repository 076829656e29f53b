// The CPU's breakpoint instruction, and differences between CPUs in their breakpoints.
#ifndef SOFTLBR_TESTS_PLATFORM_TRAP_INSTRUCTION_H_
#define SOFTLBR_TESTS_PLATFORM_TRAP_INSTRUCTION_H_

namespace softlbr::platform::testing {

// Executes int3 or brk. Returns if the handler has called SkipTrapInstruction.
void ExecuteTrapInstruction();
void SkipTrapInstruction(void* ucontext);
// si_code of its SIGTRAP.
extern const int kTrapInstructionCode;

// False if returning to a pc with an armed breakpoint hits again at once (no resume flag).
extern const bool kCanRearmAtHit;

}  // namespace softlbr::platform::testing

#endif  // SOFTLBR_TESTS_PLATFORM_TRAP_INSTRUCTION_H_
