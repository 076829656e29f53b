#include "toolchain/base/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Waiting::Waiting(std::string what) {
  if (isatty(STDERR_FILENO) != 1) return;
  thread_ = std::thread([this, text = std::move(what)] {
    std::unique_lock lock(mutex_);
    if (done_.wait_for(lock, std::chrono::seconds(1), [this] { return is_done_; })) return;
    std::cerr << "\r\x1b[Ksoftlbr: " << text << " ..." << std::flush;
    done_.wait(lock, [this] { return is_done_; });
    std::cerr << "\r\x1b[K" << std::flush;
  });
}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  done_.notify_one();
  thread_.join();
}

Progress::Progress(std::string what, uint64_t total)
    : what_(std::move(what)),
      total_(total),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (is_shown_) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::Step(uint64_t done) {
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  is_shown_ = true;
  std::cerr << "\r\x1b[Ksoftlbr: " << what_ << ' ' << Share(done, total_) << std::flush;
}

}  // namespace softlbr::toolchain
