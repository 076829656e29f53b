// Our descriptors, out of the way of the app's: it may count on getting the lowest free number.
//
// Context: control. The kernel gives the lowest number at first; between that and the move lie
// two system calls, during which a thread of the app that has just closed that number would not get it back.
#ifndef SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
#define SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_

namespace softlbr::platform {

// The same file under a high number, closed on exec; low is closed. Negative: no high number is left, low is still open.
long MoveDescriptorHigh(long low);
// openat, close-on-exec, moved; under a low number where no high one is left. Negative errno.
long OpenHigh(const char* path, long flags);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_HIGH_DESCRIPTOR_H_
