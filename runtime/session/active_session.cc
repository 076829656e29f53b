#include "runtime/session/active_session.h"

#include "platform/base/limits.h"
#include "platform/thread.h"
#include "runtime/session/session.h"

namespace softlbr {

SOFTLBR_CONSTINIT ActiveSession g_active_session{};

Session* CurrentSession() {
  Session* session = g_active_session.session.load(std::memory_order_seq_cst);
  if (session == nullptr || session->process_id != platform::CurrentProcessId()) return nullptr;
  return session;
}

bool WithdrawSession() {
  g_active_session.session.store(nullptr, std::memory_order_seq_cst);
  // Polls instead of measuring time, so that it ends even where a sandbox refuses the clock.
  for (uint64_t polls_left = kStopWaitNs / kStopPollNs; g_active_session.users.load(std::memory_order_seq_cst) != 0; --polls_left) {
    if (polls_left == 0) return false;
    platform::SleepNs(kStopPollNs);
  }
  return true;
}

void ForgetSession() {
  g_active_session.session.store(nullptr, std::memory_order_seq_cst);
  g_active_session.users.store(0, std::memory_order_seq_cst);
}

}  // namespace softlbr
