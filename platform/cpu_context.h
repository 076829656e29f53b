// From a signal frame to a MachineContext.
//
// Context: handler-safe, no system call but where a thread pointer can be had no other way. Cost: about 100 ns.
#ifndef SOFTLBR_PLATFORM_CPU_CONTEXT_H_
#define SOFTLBR_PLATFORM_CPU_CONTEXT_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/machine_context.h"

namespace softlbr::platform {

// e_machine of this build (platform/base/elf_machine.h).
extern const uint16_t kHostMachine;

// Fills every register slot the frame holds and marks it known; all else UNKNOWN. CELL_ZERO is known 0. pc, sp, flags and
// rounding_is_default are set. Extended vector state that the frame says is in its initial state is known 0.
SOFTLBR_HANDLER_SAFE void LoadMachineContext(const void* ucontext, MachineContext* context);

// Makes the interrupted thread go on at pc (AArch64 re-arming; docs/kernel_limits.md).
SOFTLBR_HANDLER_SAFE void SetResumePc(void* ucontext, uint64_t pc);

// Makes the interrupted thread run the instruction it resumes at without a hit, though a breakpoint be armed there (x86: RF).
// False where the CPU cannot.
SOFTLBR_HANDLER_SAFE bool PassBreakpointOnce(void* ucontext);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_CPU_CONTEXT_H_
