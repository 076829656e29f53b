// From a SIGTRAP of ours to the thread slot it belongs to.
//
// Context: handler. sig_data names the slot (runtime/trace/tracer.h), so that no search and no thread-local storage is needed.
// Dropped and counted: what the control thread has just taken the slot for, what comes after its slot was given up, and samples
//   of the thread that stops the session, whose code is ours.
#ifndef SOFTLBR_RUNTIME_SESSION_TRAP_DISPATCH_H_
#define SOFTLBR_RUNTIME_SESSION_TRAP_DISPATCH_H_

#include "platform/base/attributes.h"
#include "platform/trap_signal.h"

namespace softlbr {

// The callback of platform::InstallTrapHandler.
SOFTLBR_HANDLER_SAFE bool DispatchTrap(const platform::Trap& trap);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_TRAP_DISPATCH_H_
