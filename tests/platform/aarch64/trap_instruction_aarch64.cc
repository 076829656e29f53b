#include <signal.h>

#include "platform/cpu_context.h"
#include "platform/linux/signals/signal_frame.h"
#include "tests/platform/trap_instruction.h"

namespace softlbr::platform::testing {

void ExecuteTrapInstruction() { __asm__ volatile("brk #0" ::: "memory"); }
void SkipTrapInstruction(void* ucontext) { SetResumePc(ucontext, FramePc(ucontext) + 4); }
const int kTrapInstructionCode = TRAP_BRKPT;
const bool kCanRearmAtHit = false;

}  // namespace softlbr::platform::testing
