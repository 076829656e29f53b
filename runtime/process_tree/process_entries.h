// Entries in the limits of processes (RLIMIT_NPROC, pids.max of a control group): each session takes one, for its
// control thread. Where none is left for the program, the recording gives its own back.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_ENTRIES_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_ENTRIES_H_

#include <errno.h>

#include <cstdint>

#include "platform/base/attributes.h"

// Call it when the kernel has refused a new process or thread with EAGAIN. First ends the session of this process, then
// those of all others of the recording. True: it is worth trying again. At most 2.5 s. Raw system calls only, also in a
// handler and in a vforked child.
extern "C" SOFTLBR_HIDDEN bool softlbr_give_entries_back();

namespace softlbr {

// The helper of this process's session; 0: none.
int32_t OwnHelper();
// Waits until a helper that has ended is gone, at most 2.5 s. Until its parent has waited for it, it keeps its entry,
// and shares the signal actions.
void AwaitRelease(int32_t helper);

// True while no session may start, because an entry was missing a short time ago.
bool AreEntriesShort();
// In a helper or control thread, which belongs to the session that started at session_ns (CLOCK_BOOTTIME): true if it
// is to give its entry back.
bool IsEntryWanted(uint64_t session_ns);

// Calls call(), and again as long as is_refused(result) and entries were given back. Keeps errno as a successful call
// leaves it.
template <typename Call, typename IsRefused>
auto CallWithEntries(Call call, IsRefused is_refused) {
  const int saved = errno;
  for (;;) {
    const auto result = call();
    if (!is_refused(result) || !softlbr_give_entries_back()) return result;
    errno = saved;
  }
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_ENTRIES_H_
