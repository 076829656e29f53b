// Interposes fork, _Fork and vfork: where the limit of processes is reached, the recording gives its entries back
// (process_entries.h). clone, posix_spawn, system, popen, pthread_create and thrd_create, which do the same, are
// interposed elsewhere in this folder.
//
// Who calls: the program, from any thread, also before and after the session.
// Not covered: processes made by system calls, or inside the libc (forkpty, daemon), and by programs that are not
// recorded.
#include <errno.h>
#include <unistd.h>

#include "platform/base/attributes.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_entries.h"

extern "C" {
// The libc's vfork, for vfork_*.S.
SOFTLBR_HIDDEN void* softlbr_next_vfork = nullptr;
SOFTLBR_HIDDEN int softlbr_fail_vfork(int error);
}

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<pid_t()> g_fork("fork");
SOFTLBR_CONSTINIT NextFunction<pid_t()> g_raw_fork("_Fork");

bool IsRefused(pid_t result) { return result < 0 && errno == EAGAIN; }

}  // namespace

void LearnForkFunctions() {
  g_fork.Learn();
  g_raw_fork.Learn();
  NextFunction<pid_t()> vfork_of_libc("vfork");
  softlbr_next_vfork = reinterpret_cast<void*>(vfork_of_libc.Get());
}

}  // namespace softlbr

extern "C" int softlbr_fail_vfork(int error) {
  errno = error;
  return -1;
}

extern "C" SOFTLBR_EXPORT pid_t fork(void) SOFTLBR_LIBC_NOTHROW {
  return softlbr::CallWithEntries(softlbr::g_fork.Get(), softlbr::IsRefused);
}

extern "C" SOFTLBR_EXPORT pid_t _Fork(void) SOFTLBR_LIBC_NOTHROW {
  return softlbr::CallWithEntries(softlbr::g_raw_fork.Get(), softlbr::IsRefused);
}
