#include "runtime/session/active_session.h"

#include "platform/base/limits.h"
#include "platform/thread.h"

namespace softlbr {

SOFTLBR_CONSTINIT ActiveSession g_active_session{};

namespace {

constexpr uint64_t kStarting = 1;  // no stack has this address

// Counts polls instead of reading a clock, so that it ends even where a sandbox refuses the clock.
bool WaitUntilZero(const std::atomic<uint64_t>& word) {
  for (uint64_t polls_left = kStopWaitNs / kStopPollNs; word.load(std::memory_order_seq_cst) != 0; --polls_left) {
    if (polls_left == 0) return false;
    platform::SleepNs(kStopPollNs);
  }
  return true;
}

bool IsOfThisProcess() {
  return g_active_session.process_id.load(std::memory_order_relaxed) == platform::CurrentProcessId();
}

}  // namespace

Session* CurrentSession() {
  Session* session = g_active_session.session.load(std::memory_order_seq_cst);
  return session != nullptr && IsOfThisProcess() ? session : nullptr;
}

bool ClaimForStart() {
  const int32_t process_id = platform::CurrentProcessId();
  if (g_active_session.process_id.load(std::memory_order_relaxed) != process_id) {
    // in a new child no other thread uses these yet
    g_active_session.session.store(nullptr, std::memory_order_relaxed);
    g_active_session.users.store(0, std::memory_order_relaxed);
    g_active_session.claim.store(0, std::memory_order_relaxed);
    g_active_session.process_id.store(process_id, std::memory_order_relaxed);
  }
  uint64_t holder = 0;
  if (!g_active_session.claim.compare_exchange_strong(holder, kStarting, std::memory_order_seq_cst)) return false;
  if (g_active_session.session.load(std::memory_order_seq_cst) == nullptr) return true;
  ReleaseClaim();
  return false;
}

Session* ClaimForStop() {
  const auto stack = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  for (;;) {
    uint64_t holder = g_active_session.claim.load(std::memory_order_seq_cst);
    if (holder == 0) {
      // Without a session, leave the claim to threads that start one.
      if (g_active_session.session.load(std::memory_order_seq_cst) == nullptr) return nullptr;
      if (g_active_session.claim.compare_exchange_strong(holder, stack, std::memory_order_seq_cst)) break;
    }
    if (IsStoppingStack(stack) || !IsOfThisProcess() || !WaitUntilZero(g_active_session.claim)) return nullptr;
  }
  // Checked only after the claim, because it takes a system call. nullptr: another thread has stopped the session
  // meanwhile, or the session is the parent process's.
  Session* session = CurrentSession();
  if (session == nullptr) ReleaseClaim();
  return session;
}

void ReleaseClaim() { g_active_session.claim.store(0, std::memory_order_seq_cst); }

bool WithdrawSession() {
  g_active_session.session.store(nullptr, std::memory_order_seq_cst);
  return WaitUntilZero(g_active_session.users);
}

}  // namespace softlbr
