// Keeps our descriptors away from low numbers: the app may rely on getting the lowest free number.
//
// Context: control, but for MoveDescriptorHigh. The kernel assigns the lowest free number first. The move follows two system calls later; until then, an app
// thread that has just closed that number would not get it back.
#ifndef SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
#define SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Duplicates `low` to a high number, close-on-exec, and closes `low`. Negative errno if no high number is free; `low` stays open. In a
// process whose descriptors are its own, the result is `low`.
SOFTLBR_HANDLER_SAFE long MoveDescriptorHigh(long low);
// Opens close-on-exec under a high number, or under a low one if no high number is free. Negative errno on failure.
long OpenHigh(const char* path, long flags);

// A process that shares its descriptors with others, and may be killed, calls this first: files that it opens by OpenTransient, only to
// read them, are marked by the open itself with flags that make no sense for such files.
void MarkFilesOfThisProcess();
// A process that has descriptors of its own calls this.
void OwnFilesOfThisProcess();
long OpenTransient(const char* path, long flags);
bool IsMarked(int fd);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
