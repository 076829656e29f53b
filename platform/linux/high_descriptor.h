// Keeps our descriptors away from low numbers: the app may rely on getting the lowest free number.
//
// High is 1024 and above, where the limit allows it. But a table of descriptors that grows while several threads use it
// makes the kernel wait for a grace period of RCU, 10 to 20 ms: there, the last quarter of the table is high
// (KeepTableOfThisProcess).
// Context: control, except MoveDescriptorHigh. The kernel first assigns the lowest free number, and the move follows
// two system calls later. An app thread that has just closed that number would not get it back in between.
#ifndef SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
#define SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Duplicates `low` to a high number, close-on-exec, and closes `low`. Negative errno if no high number is free; `low`
// stays open. In a process whose descriptors are its own, the result is `low`.
SOFTLBR_HANDLER_SAFE long MoveDescriptorHigh(long low);
// Opens close-on-exec under a high number, or under a low one if no high number is free. Negative errno on failure.
long OpenHigh(const char* path, long flags);

// numbers: size of the table of descriptors, which is then left as it is unless that is more than 1024. 0: it may grow.
void KeepTableOfThisProcess(uint64_t numbers);
// Call it first in a process that shares its descriptors with others and may be killed. Files that it opens by
// OpenTransient, for reading only, then carry a mark from the open on: flags that make no sense for such files.
void MarkFilesOfThisProcess();
// Call it in a process that has descriptors of its own.
void OwnFilesOfThisProcess();
long OpenTransient(const char* path, long flags);
bool IsMarked(int fd);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
