// What the session does differently in the preload library: several processes write one profile; sessions end with the
// recording although their processes live on; the costs that the first process has measured hold for the others; a
// process that is about to enter a new process namespace gets no helper; and the alarm of a forked child arrives as a
// trap.
//
// Context: session_hooks.h.
#include "runtime/attach/tree_hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/helper.h"
#include "platform/own_library.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/process_tree/forked_child.h"
#include "runtime/process_tree/process_entries.h"
#include "runtime/process_tree/process_tree.h"
#include "runtime/session/active_session.h"
#include "runtime/session/calibration.h"
#include "runtime/session/session.h"
#include "runtime/session/session_hooks.h"

namespace softlbr {
namespace {

// The inode of a namespace of this thread's; 0 without /proc, and for one that does not exist yet.
uint64_t NamespaceInode(const char* path) {
  struct stat facts {};
  return platform::SysCall(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>(path), reinterpret_cast<long>(&facts), 0) ==
                 0
             ? facts.st_ino
             : 0;
}

// True if a process of the recording would notice a helper. It is an orphan, so a subreaper, or the first process of a
// new namespace, would wait for it.
bool IsHelperSeen() {
  const uint64_t own = NamespaceInode("/proc/thread-self/ns/pid");
  if (NamespaceInode("/proc/thread-self/ns/pid_for_children") != own) return true;
  const RecordTree* tree = Tree();
  if (tree == nullptr) return false;
  return __atomic_load_n(&tree->has_subreaper, __ATOMIC_RELAXED) != 0 ||
         (tree->process_namespace != 0 && own != tree->process_namespace);
}

// After unshare(CLONE_NEWPID) the next process becomes the first one of a new namespace, and once it ends, no process
// can be made there. So it must be a process of the program. In this state the kernel starts no thread either, so there
// is no session.
Status StartThreadUnlessSeen(platform::RuntimeThread* thread, void (*entry)(void*), void* argument, void* stack,
                             uint64_t stack_bytes) {
  if (AreEntriesShort()) return Status::kSystemError;
  if (thread->is_helper && IsHelperSeen()) return Status::kPermissionDenied;
  return platform::StartRuntimeThread(thread, entry, argument, stack, stack_bytes);
}

// Writes a frame in one call, so that the kernel appends it as a whole; the real function writes it in pieces that a
// pipe takes. A process that is killed meanwhile damages at most its own frame.
Status WriteWholeFrame(int fd, const void* data, uint64_t bytes) {
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

// If the parent command has ended the recording, or a process of it lacks an entry, completes the session as if the
// process had stopped it.
bool IsHostOrRecordingGone() {
  const RecordTree* tree = Tree();
  const bool is_ended = tree != nullptr && __atomic_load_n(&tree->has_ended, __ATOMIC_RELAXED) != 0;
  if (!is_ended && !IsEntryWanted(SessionStartNs())) return platform::IsHostGone();
  Session* session = g_active_session.session.load(std::memory_order_seq_cst);
  if (session != nullptr) session->control.stop_requested.store(1, std::memory_order_release);
  return true;
}

// Measuring takes 5 ms, more than everything else in a short process.
TrapCosts TrapCostsOfTree(platform::SampleEvent event, bool may_use_breakpoints) {
  RecordTree* tree = Tree();
  if (tree == nullptr || !may_use_breakpoints) return MeasureTrapCostsOnce(event, may_use_breakpoints);
  RecordCosts& shared = tree->costs;
  uint32_t state = __atomic_load_n(&shared.state, __ATOMIC_ACQUIRE);
  if (state == 1 && shared.event == static_cast<uint32_t>(event)) {
    return TrapCosts{shared.sample_ns, shared.hit_ns, shared.toggle_ns, true};
  }
  const TrapCosts costs = MeasureTrapCostsOnce(event, may_use_breakpoints);
  if (costs.breakpoints_work && costs.sample_ns != 0 && state == 0 &&
      __atomic_compare_exchange_n(&shared.state, &state, 2, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    shared.event = static_cast<uint32_t>(event);
    shared.sample_ns = costs.sample_ns;
    shared.hit_ns = costs.hit_ns;
    shared.toggle_ns = costs.toggle_ns;
    __atomic_store_n(&shared.state, 1, __ATOMIC_RELEASE);
  }
  return costs;
}

}  // namespace

void HookSession() {
  g_session_hooks = {StartThreadUnlessSeen, DispatchTrapOrAlarm, WriteWholeFrame,
                     IsHostOrRecordingGone, TrapCostsOfTree,     true};
}

}  // namespace softlbr

// This library stays loaded by its flag (-z nodelete).
void softlbr::platform::KeepOwnLibrary() {}
