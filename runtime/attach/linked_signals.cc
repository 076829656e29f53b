// libsoftlbr_signals.a: sigtrap_functions.cc and trap_waits.cc for an app that links libsoftlbr.a, so that the app may
// install a SIGTRAP handler during a session.
//
// Who calls: the start-up code (the constructor); the app, through the functions that the archive defines in place of
// the libc's. Linked so that the linker finds these functions before the libc's, and requested by name (-u), because
// the only caller may be another library. In a static program they replace the libc's (static_libc.h).
// This file: the part of the platform that those functions use, through the C API, because libsoftlbr.a exports nothing
// else.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/safe_read.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/process_tree/process_state.h"

namespace softlbr {
namespace platform {

// Without a session the next sigaction makes the call; it may be that of a preloaded library with a session of its own.
long ExchangeAppTrapAction(const TrapAction* wish, TrapAction* previous) {
  if (softlbr_is_running() == 0) return -EAGAIN;
  return softlbr_exchange_trap_action(reinterpret_cast<const softlbr_trap_action*>(wish),
                                      reinterpret_cast<softlbr_trap_action*>(previous)) == SOFTLBR_OK
             ? 0
             : -EINVAL;
}

long LongSysCall(long number, long a, long b, long c, long d, long e, long f) {
  const int saved = errno;
  const long result = syscall(number, a, b, c, d, e, f);
  if (result != -1) return result;
  const int error = errno;
  errno = saved;
  return -error;
}

long SysCall(long number, long a, long b, long c) { return LongSysCall(number, a, b, c, 0, 0, 0); }

// Without a session no system call is added: the app may be in a sandbox. Then every address counts as readable.
bool IsReadable(uint64_t address) {
  constexpr long kInvalidHow = -1;
  constexpr long kSignalSetBytes = 8;
  if (softlbr_is_running() == 0) return true;
  const long aligned = static_cast<long>(address & ~uint64_t{7});
  return aligned != 0 && LongSysCall(SYS_rt_sigprocmask, kInvalidHow, aligned, 0, kSignalSetBytes, 0, 0) == -EINVAL;
}

int32_t CurrentProcessId() { return getpid(); }
int32_t CurrentThreadId() { return static_cast<int32_t>(syscall(SYS_gettid)); }

}  // namespace platform

bool IsSandboxed() { return false; }
bool MayAddCalls() { return softlbr_is_running() != 0; }

namespace {

__attribute__((constructor)) void OnLoad() {
  LearnSignalFunctions();
  LeaveSignalRestorer();
  LearnTrapWaits();
}

}  // namespace
}  // namespace softlbr
