// A clock that advances by one tick, or nanosecond, whenever it is read, and one thread.
#include "platform/thread.h"

namespace softlbr::platform {

uint64_t Ticks() {
  static uint64_t ticks = 1;
  return ++ticks;
}
uint64_t TicksToNs(uint64_t ticks) { return ticks; }
int32_t CurrentThreadId() { return 1; }

}  // namespace softlbr::platform
