// Reading profiles and writing results, with the warnings and the progress that every command shows alike.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// One line on stderr: "softlbr: warning: <text>".
void Warn(const std::string& text);

// The profile, or StatedFailure. Warns about damaged frames and a truncated end.
Profile LoadProfile(const std::string& path);

// Writes `content` to `path` ("-": stdout) by way of a temporary file beside it, so a failure leaves what was there.
// StatedFailure with cause and remedy.
void WriteResult(const std::string& path, std::string_view content);

// The name under which to write `path` for WriteResult's guarantee, when another function does the writing.
class ReplacedFile {
 public:
  explicit ReplacedFile(std::string path);
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;
  ~ReplacedFile();  // removes the temporary unless committed

  const std::string& temporary() const { return temporary_; }
  void Commit();  // StatedFailure

 private:
  std::string path_;
  std::string temporary_;
  bool is_committed_ = false;
};

// A line on stderr that says that something is under way, for work that cannot tell how far it is: only if stderr is a
// terminal and the work takes longer than a second.
class Waiting {
 public:
  explicit Waiting(std::string what);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();  // wipes the line

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;
};

// A line on stderr that is rewritten in place, only if stderr is a terminal and the work takes longer than a second.
class Progress {
 public:
  Progress(std::string what, uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes the line

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

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
