// Dispatches a SIGTRAP of ours to the slot of its thread.
//
// Context: handler. sig_data holds the slot's index (runtime/trace/sig_data.h): no search and no thread-local storage
// is needed. Dropped and counted: a trap that finds its slot owned by the control thread or already closed, and a
// sample of the thread that
//   stops the session, which runs our own code.
#ifndef SOFTLBR_RUNTIME_SESSION_TRAP_DISPATCH_H_
#define SOFTLBR_RUNTIME_SESSION_TRAP_DISPATCH_H_

#include "platform/base/attributes.h"
#include "platform/trap_signal.h"

namespace softlbr {

// The callback of platform::InstallTrapHandler.
SOFTLBR_HANDLER_SAFE bool DispatchTrap(const platform::Trap& trap);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_TRAP_DISPATCH_H_
