#include "runtime/process_tree/trigger_wait.h"

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/thread.h"
#include "runtime/include/softlbr/control.h"
#include "runtime/process_tree/process_state.h"

namespace softlbr {
namespace {

constexpr uint64_t kEndPollNs = 1000000;
constexpr uint32_t kMostEndPolls = 2000;

// process: the one that waits; 0: none. ending_thread: the thread that ends the wait; 0: none does, and `process` is up
// to date.
struct TriggerWait {
  std::atomic<int32_t> process;
  std::atomic<int32_t> ending_thread;
};
SOFTLBR_CONSTINIT TriggerWait g_wait{};

}  // namespace

int BeginWaiting() {
  softlbr_control_options options{};
  options.struct_size = sizeof options;
  const int status = softlbr_control_start(&options);
  if (status == SOFTLBR_OK) g_wait.process.store(platform::CurrentProcessId(), std::memory_order_release);
  return status;
}

bool IsWaiting() {
  const int32_t process = g_wait.process.load(std::memory_order_acquire);
  if (IsSandboxed()) return false;  // a forked child, which may not even ask who it is
  return process != 0 && process == platform::CurrentProcessId();
}

bool EndWaiting() {
  if (!IsWaiting()) return false;
  const int32_t self = platform::CurrentThreadId();
  int32_t ending = 0;
  if (g_wait.ending_thread.compare_exchange_strong(ending, self, std::memory_order_acq_rel)) {
    const bool is_first = IsWaiting();  // else another thread has ended it meanwhile
    if (is_first) {
      (void)softlbr_control_stop();
      g_wait.process.store(0, std::memory_order_release);
    }
    g_wait.ending_thread.store(0, std::memory_order_release);
    return is_first;
  }
  // A handler that has interrupted the ending thread must not wait for it.
  for (uint32_t i = 0; ending != self && i < kMostEndPolls && g_wait.ending_thread.load(std::memory_order_acquire) != 0;
       ++i) {
    platform::SleepNs(kEndPollNs);
  }
  return false;
}

}  // namespace softlbr
