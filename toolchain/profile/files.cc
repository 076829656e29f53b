#include "toolchain/profile/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using Clock = std::chrono::steady_clock;

// True for a device, pipe or socket: it is written to directly and not replaced.
bool IsSpecialFile(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void WriteAll(int fd, std::string_view content, const std::string& shown) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw StatedFailure(shown + ": cannot be written: " + std::strerror(errno));
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void Warn(const std::string& text) { std::cerr << "softlbr: warning: " << text << '\n'; }

Profile LoadProfile(const std::string& path) {
  auto read = [&] {
    const Waiting waiting("reading " + SafeText(path));
    return ReadProfileFile(path);
  }();
  if (std::holds_alternative<ReadError>(read)) throw StatedFailure(std::get<ReadError>(read).message);
  Profile profile = std::move(std::get<Profile>(read));
  if (profile.damaged_frames != 0) {
    Warn(SafeText(path) + ": " + GroupedCount(profile.damaged_frames) + " damaged frame(s) skipped; their counts are missing");
  }
  if (profile.missing_frames > profile.damaged_frames) {
    Warn(SafeText(path) + ": " + GroupedCount(profile.missing_frames - profile.damaged_frames) +
         " frame(s) were written but are not in the file; their counts are missing");
  }
  if (profile.is_truncated) {
    Warn(SafeText(path) + ": the end is missing (the program was killed, or the file was cut); what is there is used");
  }
  return profile;
}

ReplacedFile::ReplacedFile(std::string path) : path_(std::move(path)) {
  temporary_ = IsSpecialFile(path_) ? path_ : path_ + ".tmp" + std::to_string(getpid());
}

ReplacedFile::~ReplacedFile() {
  if (!is_committed_ && temporary_ != path_) unlink(temporary_.c_str());
}

void ReplacedFile::Commit() {
  if (temporary_ != path_ && std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw StatedFailure(SafeText(path_) + ": cannot be written: " + std::strerror(errno));
  }
  is_committed_ = true;
}

void WriteResult(const std::string& path, std::string_view content) {
  if (path == "-") {
    WriteAll(STDOUT_FILENO, content, "standard output");
    return;
  }
  const std::string shown = SafeText(path);
  ReplacedFile file(path);
  const int fd = open(file.temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) throw StatedFailure(shown + ": cannot be created: " + std::strerror(errno));
  try {
    WriteAll(fd, content, shown);
  } catch (...) {
    close(fd);
    throw;
  }
  if (close(fd) != 0) throw StatedFailure(shown + ": cannot be written: " + std::strerror(errno));
  file.Commit();
}

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
    : what_(std::move(what)), total_(total), is_terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

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
