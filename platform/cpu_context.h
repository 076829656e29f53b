// Converts a signal frame to a MachineContext.
//
// Context: handler-safe. Makes a system call only where the thread pointer cannot be read otherwise. Cost: about 100
// ns.
#ifndef SOFTLBR_PLATFORM_CPU_CONTEXT_H_
#define SOFTLBR_PLATFORM_CPU_CONTEXT_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/machine_context.h"

namespace softlbr::platform {

// e_machine of this build (platform/base/elf_machine.h).
extern const uint16_t kHostMachine;

// Fills every register slot that the frame holds and marks it known; all others are UNKNOWN. SOFTLBR_REG_ZERO is known
// 0. pc, sp, flags and rounding_is_default are set. Extended vector state that the frame marks as initial is known 0.
SOFTLBR_HANDLER_SAFE void LoadMachineContext(const void* ucontext, MachineContext* context);

// Makes the interrupted thread resume at pc. Only for code of our own: the calibration's target and tests.
SOFTLBR_HANDLER_SAFE void SetResumePc(void* ucontext, uint64_t pc);

// Makes the interrupted thread execute the instruction it resumes at without a hit, even if a breakpoint is armed there
// (x86: RF). False if the CPU cannot do that.
SOFTLBR_HANDLER_SAFE bool PassBreakpointOnce(void* ucontext);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_CPU_CONTEXT_H_
