// The descriptor of an event, for as long as a system call or two take.
//
// The process that has opened the event uses its own descriptor. A helper may have descriptors of its own (platform/thread.h): the
// host then has none for the event, and its handlers borrow the helper's: they fetch a copy and close it again. The copy has the
// lowest free number. For a microsecond the app's other threads can see that, and no thread of the app if it has only one.
// The helper's process, by which copies are fetched, takes one descriptor with a high number: to open it takes 3 us on Linux 6.18. It is
// opened again where the app has closed it.
// Cost of borrowing: three system calls, 1 us, or a few in a cold cache.
#ifndef SOFTLBR_PLATFORM_LINUX_EVENT_USE_H_
#define SOFTLBR_PLATFORM_LINUX_EVENT_USE_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// From now on, the calling process borrows its events from the process whose id *helper is until that ends; nullptr: from nobody.
void LendEventsOf(const std::atomic<int32_t>* helper);

class EventUse {
 public:
  // number: of the descriptor in the process that has opened the event.
  SOFTLBR_HANDLER_SAFE explicit EventUse(int32_t number);
  SOFTLBR_HANDLER_SAFE ~EventUse();
  EventUse(const EventUse&) = delete;
  EventUse& operator=(const EventUse&) = delete;

  // Negative: there is none, because the helper has ended, the app has no number left, or the kernel refuses it.
  SOFTLBR_HANDLER_SAFE int32_t fd() const { return fd_; }

 private:
  int32_t fd_;
  bool is_borrowed_ = false;
};

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_EVENT_USE_H_
