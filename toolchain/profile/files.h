// Reads profiles and writes results, with the warnings and progress lines that all commands share.
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

// Reads a profile; StatedFailure if that fails. Warns about damaged and missing frames and about a truncated file.
Profile LoadProfile(const std::string& path);

// Writes `content` to `path` ("-": stdout) through a temporary file in the same folder, so that a failure leaves an existing file
// unchanged. StatedFailure with cause and remedy.
void WriteResult(const std::string& path, std::string_view content);

// Gives WriteResult's guarantee when another function does the writing: let it write to temporary(), then Commit().
class ReplacedFile {
 public:
  explicit ReplacedFile(std::string path);
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;
  ~ReplacedFile();  // removes the temporary file unless committed

  const std::string& temporary() const { return temporary_; }
  void Commit();  // renames the temporary file to `path`; StatedFailure if that fails

 private:
  std::string path_;
  std::string temporary_;
  bool is_committed_ = false;
};

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

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
