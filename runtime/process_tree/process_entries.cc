#include "runtime/process_tree/process_entries.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/process_tree/process_recording.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/process_tree/process_tree.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

constexpr uint64_t kShortageNs = 10000000000;
// A helper looks at least every 512 ms. Some first processes of containers wait for orphans once a second only.
constexpr uint64_t kPollNs = 2000000;
constexpr uint32_t kMostPolls = 1250;

// No entry of ours can help where the user may have no process at all.
bool IsForkForbidden() {
  rlimit limit{};
  platform::SysCall(SYS_prlimit64, 0, RLIMIT_NPROC, 0, reinterpret_cast<long>(&limit));
  return limit.rlim_cur <= 1;
}

bool IsThere(int32_t process) { return process != 0 && platform::SysCall(SYS_kill, process, 0) != -ESRCH; }

bool HasHelpers(const RecordTree& tree) {
  for (const RecordMember& member : tree.members) {
    if (IsThere(static_cast<int32_t>(__atomic_load_n(&member.helper, __ATOMIC_ACQUIRE)))) return true;
  }
  return false;
}

}  // namespace

int32_t OwnHelper() {
  const SessionUse use;
  const Session* session = use.session();
  return session != nullptr && session == CurrentSession() && session->control.thread.is_helper ? session->control.tid
                                                                                                : 0;
}

void AwaitRelease(int32_t helper) {
  for (uint32_t polls = 0; polls != kMostPolls && IsThere(helper); ++polls) platform::SleepNs(kPollNs);
}

bool AreEntriesShort() {
  const RecordTree* tree = Tree();
  const uint64_t missing_ns = tree != nullptr ? __atomic_load_n(&tree->entry_missing_ns, __ATOMIC_ACQUIRE) : 0;
  return missing_ns != 0 && BootTimeNs() - missing_ns < kShortageNs;
}

bool IsEntryWanted(uint64_t session_ns) {
  const RecordTree* tree = Tree();
  return tree != nullptr && __atomic_load_n(&tree->entries_wanted_ns, __ATOMIC_ACQUIRE) > session_ns;
}

}  // namespace softlbr

extern "C" bool softlbr_give_entries_back() {
  using namespace softlbr;
  if (IsSandboxed() || IsForkForbidden()) return false;
  RecordTree* tree = Tree();
  const uint64_t now_ns = BootTimeNs();
  if (tree != nullptr) __atomic_store_n(&tree->entry_missing_ns, now_ns, __ATOMIC_RELEASE);
  const int32_t helper = OwnHelper();
  if (EndRecording(RecordState::kNoEntryLeft)) {
    AwaitRelease(helper);
    return true;
  }
  // Unless they have been asked just now: then there is nothing more to give.
  if (tree == nullptr || now_ns - __atomic_load_n(&tree->entries_wanted_ns, __ATOMIC_ACQUIRE) < kShortageNs ||
      !HasHelpers(*tree)) {
    return false;
  }
  __atomic_store_n(&tree->entries_wanted_ns, now_ns, __ATOMIC_RELEASE);
  for (uint32_t polls = 0; polls != kMostPolls && HasHelpers(*tree); ++polls) platform::SleepNs(kPollNs);
  return true;
}
