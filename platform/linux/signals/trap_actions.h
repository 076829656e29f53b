// The state that trap_signal_linux.cc shares with trap_loan_linux.cc: the app's action of SIGTRAP, and whether it
// replaces ours for a while.
#ifndef SOFTLBR_PLATFORM_LINUX_SIGNALS_TRAP_ACTIONS_H_
#define SOFTLBR_PLATFORM_LINUX_SIGNALS_TRAP_ACTIONS_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/linux/kernel_abi.h"

namespace softlbr::platform {

// The app's disposition of SIGTRAP: the one before ours, or what the app has requested since. Protected by the lock.
extern SOFTLBR_HIDDEN KernelSigaction g_app_trap_action;
// The process that installed our handler. A forked child inherits the value.
extern SOFTLBR_HIDDEN int32_t g_trap_process;
// While this is not 0, an ignored SIGTRAP counts as our handler installed (trap_loan.h). Changed under the lock.
extern SOFTLBR_HIDDEN std::atomic<uint32_t> g_trap_loans;

// Holds the lock outside a handler, with every signal blocked.
class LockedTrapActions {
 public:
  SOFTLBR_HANDLER_SAFE LockedTrapActions();
  SOFTLBR_HANDLER_SAFE ~LockedTrapActions();
  LockedTrapActions(const LockedTrapActions&) = delete;
  LockedTrapActions& operator=(const LockedTrapActions&) = delete;

 private:
  uint64_t mask_ = 0;
};

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SIGNALS_TRAP_ACTIONS_H_
