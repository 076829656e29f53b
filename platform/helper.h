// The host of a helper (thread.h): the traced process, as a control thread outside it sees it.
//
// A helper shares the host's memory and signal actions, and its descriptors where it cannot lend its own (thread.h).
// getpid, /proc/self and the credentials are the helper's own.
// The helper is no child of the host. It checks from time to time whether the host has ended; a SIGTRAP makes it check
// at once. After the host's end it still has the memory; if it shares the descriptors, it alone keeps the host's files
// open.
// Context: control.
#ifndef SOFTLBR_PLATFORM_HELPER_H_
#define SOFTLBR_PLATFORM_HELPER_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Makes the calling process the host, and decides under which numbers it has descriptors. Result: its process id.
int32_t BecomeHost();
// In a helper: its host. In any other process: itself.
SOFTLBR_HANDLER_SAFE int32_t HostProcessId();
// In the host: false once the helper has ended. In a forked child of the host: false. A helper that somebody has
// stopped (SIGSTOP) is continued.
bool IsHelperAlive(int32_t helper);

// In the host, after a helper that shared its descriptors was killed: closes the files that it was reading. They are
// marked, from the open on, by flags that make no sense for a file that is only read, so no file of the app is closed,
// whenever the helper was killed.
void CloseFilesOfKilledHelper();

// The rest is called in the helper.

// Call it first: it leaves the host's process group. kept_fd: see thread.h. False if the host's other files could not
// be closed.
bool BecomeHelper(int kept_fd);

// True once the host has ended or executes another program. In a thread of the host: once it is the last one that has
// not ended. 2 us.
bool IsHostGone();
// False if the kernel refuses us what it takes to open events of the host's threads. 1 us.
bool MayTraceHost();
// Closes every descriptor of this process but `kept`, so that nobody waits for the host's files until we close them.
// False if a sandbox refuses it.
bool CloseHostDescriptors(int kept);
// Takes over the user and group ids of the host, so that no process keeps rights that the host has given up. While they
// do not change, reads a file of /proc and nothing else.
void FollowHostCredentials();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_HELPER_H_
