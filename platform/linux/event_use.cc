// Contract: event_use.h.
#include "platform/linux/event_use.h"

#include <asm/unistd.h>

#include "platform/config.h"
#include "platform/syscall.h"
#include "platform/thread.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

SOFTLBR_CONSTINIT const std::atomic<int32_t>* g_lender = nullptr;
// 0 while nobody borrows. A helper and a forked child, which have copies of it or share it, have other ids.
SOFTLBR_CONSTINIT std::atomic<int32_t> g_borrower{0};

}  // namespace

void LendEventsOf(const std::atomic<int32_t>* helper) {
  g_lender = helper;
  g_borrower.store(helper == nullptr ? 0 : CurrentProcessId(), std::memory_order_release);
}

EventUse::EventUse(int32_t number) : fd_(number) {
  const int32_t borrower = g_borrower.load(std::memory_order_acquire);
  if (borrower == 0 || number < 0 || borrower != CurrentProcessId()) return;
  fd_ = -1;
  const int32_t helper = g_lender->load(std::memory_order_acquire);
  if (helper == 0) return;  // it has ended, and its events with it
  const long process = SysCall(__NR_pidfd_open, helper);
  if (process < 0) return;
  fd_ = static_cast<int32_t>(SysCall(__NR_pidfd_getfd, process, number));
  SysCall(__NR_close, process);
  is_borrowed_ = fd_ >= 0;
}

EventUse::~EventUse() {
  if (is_borrowed_) SysCall(__NR_close, fd_);
}

}  // namespace softlbr::platform
