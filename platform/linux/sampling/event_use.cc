// Contract: event_use.h.
#include "platform/linux/sampling/event_use.h"

#include <asm/errno.h>
#include <asm/unistd.h>

#include "platform/base/config.h"
#include "platform/file.h"
#include "platform/linux/high_descriptor.h"
#include "platform/syscall.h"
#include "platform/thread.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

constexpr uint64_t kNoIdentity = 1;  // no file has it, and it is not the 0 of a closed descriptor

SOFTLBR_CONSTINIT const std::atomic<int32_t>* g_lender = nullptr;
// The process that borrows; 0: none. A helper and a forked child see this value, too, but their process ids differ from
// it.
SOFTLBR_CONSTINIT std::atomic<int32_t> g_borrower{0};
// A descriptor of the helper's process, for fetching the helper's descriptors; negative until it is needed. The app may
// close it.
SOFTLBR_CONSTINIT std::atomic<int32_t> g_process{-1};
SOFTLBR_CONSTINIT std::atomic<uint64_t> g_process_identity{kNoIdentity};

bool IsProcessOurs() {
  return FileIdentity(g_process.load(std::memory_order_relaxed)) == g_process_identity.load(std::memory_order_relaxed);
}

long Fetch(int32_t number) { return SysCall(__NR_pidfd_getfd, g_process.load(std::memory_order_acquire), number); }

// If two threads call it at once, one of the two descriptors stays open until the process ends or executes another
// program.
SOFTLBR_COLD void OpenProcess() {
  const long low = SysCall(__NR_pidfd_open, g_lender->load(std::memory_order_acquire));  // 0 once it has ended: EINVAL
  if (low < 0) return;
  const long high = MoveDescriptorHigh(low);
  const auto process = static_cast<int32_t>(high < 0 ? low : high);
  g_process_identity.store(FileIdentity(process), std::memory_order_relaxed);
  g_process.store(process, std::memory_order_release);
}

}  // namespace

void LendEventsOf(const std::atomic<int32_t>* helper) {
  // Also closes the copy of a descriptor that the parent process had opened.
  if (IsProcessOurs()) SysCall(__NR_close, g_process.load(std::memory_order_relaxed));
  g_process_identity.store(kNoIdentity, std::memory_order_relaxed);
  g_process.store(-1, std::memory_order_relaxed);
  g_lender = helper;
  g_borrower.store(helper == nullptr ? 0 : CurrentProcessId(), std::memory_order_release);
}

EventUse::EventUse(int32_t number) : fd_(number) {
  const int32_t borrower = g_borrower.load(std::memory_order_acquire);
  if (borrower == 0 || number < 0 || borrower != CurrentProcessId()) return;
  long fd = Fetch(number);
  if (fd == -EBADF && !IsProcessOurs()) {
    OpenProcess();
    fd = Fetch(number);
  }
  is_borrowed_ = fd >= 0;
  fd_ = is_borrowed_ ? static_cast<int32_t>(fd) : -1;
}

EventUse::~EventUse() {
  if (is_borrowed_) SysCall(__NR_close, fd_);
}

}  // namespace softlbr::platform
