#include <signal.h>

#include "tests/platform/trap_instruction.h"

namespace softlbr::platform::testing {

void ExecuteTrapInstruction() { __asm__ volatile("int3" ::: "memory"); }
void SkipTrapInstruction(void*) {}  // the pc is behind it already
const int kTrapInstructionCode = SI_KERNEL;
const bool kCanRearmAtHit = true;

}  // namespace softlbr::platform::testing
