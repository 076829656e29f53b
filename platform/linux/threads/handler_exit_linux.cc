// Contract: handler_exit.h. Only in the preload library.
//
// A thread in the handler is recognised by two facts: it has every signal blocked, and it never sleeps in a way that a
// signal could end.
#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/handler_exit.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/text_lines.h"
#include "platform/linux/threads/helper_linux.h"
#include "platform/thread.h"
#include "platform/thread_list.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

constexpr uint64_t kPollNs = 1000000;
constexpr uint64_t kUnblockableSignals = 1ull << (9 - 1) | 1ull << (19 - 1);  // SIGKILL, SIGSTOP

struct HandlerScan {
  int32_t self;
  uint32_t polls_left;
};

bool IsInside(int32_t tid) {
  char path[kProcPathBytes];
  AppendText(AppendNumber(HostPath("/task/", path), tid), "/status");
  char buffer[kStatusTextBytes];
  const char* state = FindField(path, "State:", buffer);
  if (state == nullptr || *state == 'S' || *state == 'Z' || *state == 'X') return false;
  const char* blocked = FindField(path, "SigBlk:", buffer);
  return blocked != nullptr && (ParseHex(&blocked) | kUnblockableSignals) == kAllSignals;
}

void WaitForOne(void* cookie, int32_t tid) {
  auto* scan = static_cast<HandlerScan*>(cookie);
  if (tid == scan->self) return;
  for (; scan->polls_left != 0 && IsInside(tid); --scan->polls_left) SleepNs(kPollNs);
}

}  // namespace

bool WaitForHandlersToEnd() {
  constexpr uint32_t kMostPolls = 1000;
  HandlerScan scan = {CurrentThreadId(), kMostPolls};
  return ForEachThread(WaitForOne, &scan) == Status::kOk && scan.polls_left != 0;
}

}  // namespace softlbr::platform
