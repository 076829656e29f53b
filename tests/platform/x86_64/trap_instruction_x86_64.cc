#include <signal.h>

#include "tests/platform/trap_instruction.h"

namespace softlbr::platform::testing {

void ExecuteTrapInstruction() { __asm__ volatile("int3" ::: "memory"); }
void SkipTrapInstruction(void*) {}  // int3 leaves the pc behind itself
const int kTrapInstructionCode = SI_KERNEL;
const bool kCanRearmAtHit = true;

}  // namespace softlbr::platform::testing
