// Contract: trap_loan.h. Only in the preload library.
#include <asm/unistd.h>
#include <linux/utsname.h>

#include "platform/base/config.h"
#include "platform/linux/signals/trap_actions.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/trap_loan.h"
#include "platform/trap_signal.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

long SetTrapAction(const KernelSigaction& action, KernelSigaction* previous) {
  return SysCall(__NR_rt_sigaction, kSigTrap, reinterpret_cast<long>(&action), reinterpret_cast<long>(previous),
                 kSignalSetBytes);
}

// Our handler's action, while it is lent. Protected by the lock.
SOFTLBR_CONSTINIT KernelSigaction g_lent_action{};

int Number(const char** text) {
  int value = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) value = value * 10 + (**text - '0');
  return value;
}

}  // namespace

bool DoesKernelLoseIgnoredTraps() {
  new_utsname name = {};
  if (SysCall(__NR_uname, reinterpret_cast<long>(&name)) != 0) return false;
  const char* at = name.release;
  const int major = Number(&at);
  if (*at == '.') ++at;
  return major > 5 || (major == 5 && Number(&at) >= 19);
}

void IgnoreTrapsIfAppDoes() {
  KernelSigaction present = {};
  const LockedTrapActions locked;
  // A handler present may be ours or, if there was never a session, the app's: exec resets both.
  if (SysCall(__NR_rt_sigaction, kSigTrap, 0, reinterpret_cast<long>(&present), kSignalSetBytes) != 0) return;
  if (g_trap_process != 0 && present.handler > kSigIgnore && g_app_trap_action.handler == kSigIgnore) {
    (void)SetTrapAction(g_app_trap_action, nullptr);
  }
}

TrapLoan::TrapLoan() {
  if (!IsTrapHandlerInstalled() || !DoesKernelLoseIgnoredTraps()) return;
  const LockedTrapActions locked;
  if (g_app_trap_action.handler != kSigIgnore || g_trap_process != CurrentProcessId()) return;
  is_lent_ = true;
  const uint32_t loans = g_trap_loans.load(std::memory_order_relaxed);
  g_trap_loans.store(loans + 1, std::memory_order_relaxed);
  if (loans == 0) (void)SetTrapAction(g_app_trap_action, &g_lent_action);
}

TrapLoan::~TrapLoan() {
  if (!is_lent_) return;
  const LockedTrapActions locked;
  const uint32_t loans = g_trap_loans.load(std::memory_order_relaxed);
  if (loans == 0) return;  // the session has ended
  if (loans == 1) (void)SetTrapAction(g_lent_action, nullptr);
  g_trap_loans.store(loans - 1, std::memory_order_relaxed);
}

}  // namespace softlbr::platform
