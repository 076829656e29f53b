// Replaces two functions that the session calls, in the preload library only: several processes write one profile, and sessions
// end with the recording although their processes live on. The runtime is linked with --wrap for these (runtime/CMakeLists.txt), so
// that libsoftlbr.a does not grow.
//
// Context: the control thread. The real functions are called by their usual names, which are not wrapped in this library's files.
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/helper.h"
#include "platform/syscall.h"
#include "runtime/attach/process_tree.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"

#define SOFTLBR_HOOK extern "C" __attribute__((visibility("hidden")))

// A frame in one call: the kernel appends it as a whole, where the real function writes pieces that a pipe takes. A process that is
// killed meanwhile damages its own frame at most.
SOFTLBR_HOOK softlbr::Status __wrap__ZN7softlbr8platform8WriteAllEiPKvm(int fd, const void* data, uint64_t bytes) {
  using namespace softlbr;
  const long flags = platform::SysCall(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || (flags & O_APPEND) == 0) return platform::WriteAll(fd, data, bytes);
  const auto* from = static_cast<const char*>(data);
  while (bytes != 0) {
    const long result = platform::SysCall(SYS_write, fd, reinterpret_cast<long>(from), static_cast<long>(bytes));
    if (result == -EINTR) continue;
    if (result <= 0) return Status::kSystemError;
    from += result;
    bytes -= static_cast<uint64_t>(result);
  }
  return Status::kOk;
}

// In a helper. The parent command has ended: completes the session as if the process had stopped it.
SOFTLBR_HOOK bool __wrap__ZN7softlbr8platform10IsHostGoneEv() {
  using namespace softlbr;
  const RecordTree* tree = Tree();
  if (tree == nullptr || __atomic_load_n(&tree->has_ended, __ATOMIC_RELAXED) == 0) return platform::IsHostGone();
  Session* session = g_active_session.session.load(std::memory_order_seq_cst);
  if (session != nullptr) session->control.stop_requested.store(1, std::memory_order_release);
  return true;
}
