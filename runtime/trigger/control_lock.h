// A lock between the thread that serves and threads of the app, by futex.
//
// Context: control. Not recursive. A forked child may find it held by a thread that it does not have: it sets the word
// to 0.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_LOCK_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_LOCK_H_

#include <atomic>
#include <cstdint>

#include "platform/thread.h"

namespace softlbr {

// *word is 0: free, 1: held, 2: held, and somebody waits.
class HoldLock {
 public:
  explicit HoldLock(std::atomic<uint32_t>* word) : word_(word) {
    uint32_t free = 0;
    if (word->compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
    while (word->exchange(2, std::memory_order_acquire) != 0) platform::WaitOnWord(word, 2, ~uint64_t{0});
  }
  HoldLock(const HoldLock&) = delete;
  HoldLock& operator=(const HoldLock&) = delete;
  ~HoldLock() {
    if (word_->exchange(0, std::memory_order_release) == 2) platform::WakeWord(word_);
  }

 private:
  std::atomic<uint32_t>* word_;
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_LOCK_H_
