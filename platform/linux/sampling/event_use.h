// The descriptor of an event, for the time of one or two system calls.
//
// The process that opened the event uses its own descriptor. If a helper has descriptors of its own
// (platform/thread.h), the host has none for the event, and its handlers borrow the helper's: they fetch a copy and
// close it again. The copy gets the lowest free number. For a microsecond the app's other threads can see that this
// number is taken; an app with one thread never sees it.
// To fetch copies, the host keeps one descriptor with a high number, of the helper's process. Opening it takes 3 us on
// Linux 6.18; it is opened again if the app has closed it.
// Cost of borrowing: three system calls, 1 us, or a few us in a cold cache.
#ifndef SOFTLBR_PLATFORM_LINUX_SAMPLING_EVENT_USE_H_
#define SOFTLBR_PLATFORM_LINUX_SAMPLING_EVENT_USE_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// From now on, the calling process borrows its events from the process with the id *helper, until that process ends;
// nullptr: from none.
void LendEventsOf(const std::atomic<int32_t>* helper);

class EventUse {
 public:
  // number: the descriptor's number in the process that opened the event.
  SOFTLBR_HANDLER_SAFE explicit EventUse(int32_t number);
  SOFTLBR_HANDLER_SAFE ~EventUse();
  EventUse(const EventUse&) = delete;
  EventUse& operator=(const EventUse&) = delete;

  // Negative: there is no descriptor, because the helper has ended, the app has no number left, or the kernel refuses
  // the copy.
  SOFTLBR_HANDLER_SAFE int32_t fd() const { return fd_; }

 private:
  int32_t fd_;
  bool is_borrowed_ = false;
};

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SAMPLING_EVENT_USE_H_
