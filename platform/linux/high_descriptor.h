// Keeps our descriptors away from low numbers: the app may rely on getting the lowest free number.
//
// Context: control, except MoveDescriptorHigh. The kernel first assigns the lowest free number, and the move follows two system calls
// later. An app thread that has just closed that number would not get it back in between.
#ifndef SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
#define SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Duplicates `low` to a high number, close-on-exec, and closes `low`. Negative errno if no high number is free; `low` stays open. In a
// process whose descriptors are its own, the result is `low`.
SOFTLBR_HANDLER_SAFE long MoveDescriptorHigh(long low);
// Opens close-on-exec under a high number, or under a low one if no high number is free. Negative errno on failure.
long OpenHigh(const char* path, long flags);

// Call it first in a process that shares its descriptors with others and may be killed. Files that it opens by OpenTransient, for reading
// only, then carry a mark from the open on: flags that make no sense for such files.
void MarkFilesOfThisProcess();
// Call it in a process that has descriptors of its own.
void OwnFilesOfThisProcess();
long OpenTransient(const char* path, long flags);
bool IsMarked(int fd);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
