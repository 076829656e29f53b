// Status lines for work that takes longer than a second.
#ifndef SOFTLBR_TOOLCHAIN_BASE_PROGRESS_H_
#define SOFTLBR_TOOLCHAIN_BASE_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace softlbr::toolchain {

// A status line on stderr for work without a measure of progress. Shown only on a terminal, after one second.
class Waiting {
 public:
  explicit Waiting(std::string what);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();  // erases the line

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;
};

// A percentage on stderr, updated in place. Shown only on a terminal, after one second.
class Progress {
 public:
  Progress(std::string what, uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // erases the line

  void Step(uint64_t done);

 private:
  std::string what_;
  uint64_t total_;
  bool is_terminal_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_PROGRESS_H_
