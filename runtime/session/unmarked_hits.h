// Hits of our breakpoints that arrive without their mark, as SIGTRAPs like those of a trap instruction.
//
// Why: some hypervisors lose the debug status register of one hit in 10^4 to 10^5. The kernel then does not find the
//   breakpoint's event and forces a SIGTRAP on the thread, whose default action would kill the process
//   (docs/kernel_limits.md).
// How: such a trap is ours if it was raised at a pc where this thread's breakpoint is or was armed, or that of the
//   calibration, and no instruction of the program's own raised it. Nothing else happens to it: if the breakpoint is
//   still there, the thread hits it again when the handler returns, and that hit bears its mark. Neither the kernel's
//   count of hits nor the trace has changed.
// Bound: where no hit bears its mark, that would go on for ever. After kMostUnmarkedInARow, the trace ends.
#ifndef SOFTLBR_RUNTIME_SESSION_UNMARKED_HITS_H_
#define SOFTLBR_RUNTIME_SESSION_UNMARKED_HITS_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/trap_signal.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

struct Session;

// The calling thread's slot, also if it was closed; nullptr if it has none. The signal names no slot, so this looks at
// all in use: for rare traps only. Handler, with a SessionUse.
SOFTLBR_HANDLER_SAFE ThreadSlot* FindOwnSlot(Session* session);

// True if the kUnmarked trap is one of a breakpoint of ours. session: null if there is none any more; slot:
// FindOwnSlot. Handler.
SOFTLBR_HANDLER_SAFE bool IsUnmarkedHit(const ThreadSlot* slot, const platform::Trap& trap);

// A breakpoint was closed while it was armed. A hit may be delivered after that, when the slot has another thread or
// the session has ended. The last kClosedBreakpoints are remembered. Owner of the slot.
void NoteClosedBreakpoint(int32_t tid, uint64_t pc);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_UNMARKED_HITS_H_
