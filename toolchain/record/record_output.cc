#include "toolchain/record/record_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/profile_split.h"

namespace softlbr::toolchain {
namespace {

constexpr int kFirstPassedDescriptor = 200;
constexpr size_t kCopyBytes = 1 << 20;

// Copies a file from its beginning. Returns errno, 0 on success.
int CopyFile(int from, int to) {
  std::vector<char> buffer(kCopyBytes);
  for (off_t at = 0;;) {
    const ssize_t got = pread(from, buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : errno;
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = write(to, buffer.data() + done, static_cast<size_t>(got - done));
      if (written < 0 && errno != EINTR) return errno;
      done += written > 0 ? written : 0;
    }
    at += got;
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Descriptor MoveHigh(Descriptor low) {
  const int fd = fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstPassedDescriptor);
  return fd >= 0 ? Descriptor(fd) : std::move(low);
}

RecordOutput::RecordOutput(const std::string& path, bool has_several_writers) : path_(path), target_(path) {
  const auto fail = [this](int error) {
    throw StatedFailure(SafeText(path_) + ": cannot be created: " + std::strerror(error) +
                        "; name another file with -o");
  };
  if (is_standard_output()) {
    mode_ = Mode::kCopied;
    OpenTemporary();
    return;
  }
  if (path_.ends_with('/') || std::filesystem::is_directory(path_)) {
    mode_ = Mode::kFolder;
    OpenInFolder();
    return;
  }
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISREG(info.st_mode) && info.st_size > 0) {
    if (access(path.c_str(), W_OK) != 0) fail(errno);
    has_earlier_ = true;
    std::error_code error;
    const std::string resolved = std::filesystem::canonical(path, error).string();
    if (!error) target_ = resolved;
    temporary_ = target_ + ".tmp" + std::to_string(getpid());
    mode_ = Mode::kBeside;
    fd_ = Descriptor(open(temporary_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd_.get() >= 0) {
      fd_ = MoveHigh(std::move(fd_));
    } else {
      mode_ = Mode::kCopied;
      OpenTemporary();
    }
    return;
  }
  if (exists && !S_ISREG(info.st_mode) && has_several_writers) {
    if (access(path.c_str(), W_OK) != 0) fail(errno);
    mode_ = Mode::kCopied;
    OpenTemporary();
    return;
  }
  mode_ = exists && !S_ISREG(info.st_mode) ? Mode::kSpecial : Mode::kNewFile;
  fd_ = Descriptor(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd_.get() < 0) fail(errno);
  fd_ = MoveHigh(std::move(fd_));
}

RecordOutput::~RecordOutput() { Discard(); }

void RecordOutput::OpenTemporary() {
  std::string name = (std::filesystem::temp_directory_path() / "softlbr-XXXXXX").string();
  Descriptor fd(mkostemp(name.data(), O_APPEND | O_CLOEXEC));
  if (fd.get() < 0) {
    throw StatedFailure(SafeText(name) + ": cannot be created: " + std::strerror(errno) +
                        "; name another folder in TMPDIR");
  }
  unlink(name.c_str());
  fd_ = MoveHigh(std::move(fd));
}

void RecordOutput::OpenInFolder() {
  if (mkdir(path_.c_str(), 0777) == 0 || errno == EEXIST) {
    temporary_ = path_ + (path_.ends_with('/') ? "" : "/") + ".recording." + std::to_string(getpid());
    fd_ = Descriptor(open(temporary_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  }
  if (fd_.get() < 0) {
    throw StatedFailure(SafeText(path_) + ": no file can be created in this folder: " + std::strerror(errno) +
                        "; name another one with -o");
  }
  fd_ = MoveHigh(std::move(fd_));
}

std::string RecordOutput::shown() const { return is_standard_output() ? "standard output" : SafeText(path_); }

std::string RecordOutput::content_path() const {
  if (mode_ == Mode::kCopied) return "/proc/self/fd/" + std::to_string(fd_.get());
  return temporary_.empty() ? target_ : temporary_;
}

uint64_t RecordOutput::content_bytes() const {
  struct stat info {};
  return is_file() && fstat(fd_.get(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

int RecordOutput::TryToWrite() const { return write(fd_.get(), "", 1) == 1 ? 0 : errno; }

bool RecordOutput::Rewrite(const std::function<bool(const std::string& path)>& write) {
  struct stat before {};
  struct stat after {};
  if (!is_file() || fstat(fd_.get(), &before) != 0) return false;
  if (mode_ == Mode::kCopied) {
    const Descriptor old = std::move(fd_);
    fd_ = Descriptor();
    bool is_smaller = false;
    try {
      OpenTemporary();
      is_smaller = write(content_path()) && fstat(fd_.get(), &after) == 0 && after.st_size < before.st_size;
    } catch (const StatedFailure&) {
    }
    if (!is_smaller) fd_ = Descriptor(fcntl(old.get(), F_DUPFD_CLOEXEC, 0));
    return is_smaller;
  }
  const std::string path = content_path();
  struct stat named {};
  // Only the file itself, which no other name has.
  if (lstat(path.c_str(), &named) != 0 || named.st_dev != before.st_dev || named.st_ino != before.st_ino ||
      named.st_nlink != 1) {
    return false;
  }
  const std::string rewritten = path + ".compact" + std::to_string(getpid());
  Descriptor fd(open(rewritten.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fd.get() < 0) return false;
  const bool is_replaced = write(rewritten) && fstat(fd.get(), &after) == 0 && after.st_size < before.st_size &&
                           fchmod(fd.get(), before.st_mode & 07777) == 0 && fsync(fd.get()) == 0 &&
                           std::rename(rewritten.c_str(), path.c_str()) == 0;
  if (is_replaced) {
    fd_ = std::move(fd);
  } else {
    unlink(rewritten.c_str());
  }
  return is_replaced;
}

void RecordOutput::Keep() {
  int error = 0;
  if (mode_ == Mode::kBeside && std::rename(temporary_.c_str(), target_.c_str()) != 0) error = errno;
  if (mode_ == Mode::kFolder) {
    is_done_ = true;  // the profile is not lost if it cannot be split
    SplitProfile(temporary_, path_);
    unlink(temporary_.c_str());
  }
  if (mode_ == Mode::kCopied && is_standard_output()) error = CopyFile(fd_.get(), STDOUT_FILENO);
  if (mode_ == Mode::kCopied && !is_standard_output()) {
    const Descriptor target(open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    error = target.get() < 0 ? errno : CopyFile(fd_.get(), target.get());
  }
  if (error != 0) {
    if (mode_ == Mode::kBeside) is_done_ = true;  // the profile is not lost
    throw StatedFailure(
        shown() + ": cannot be written: " + std::strerror(error) +
        (mode_ == Mode::kBeside ? "; the profile is in " + SafeText(temporary_) : "; free space there"));
  }
  is_done_ = true;
}

void RecordOutput::Discard() {
  if (is_done_) return;
  is_done_ = true;
  struct stat info {};
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (mode_ == Mode::kNewFile && lstat(target_.c_str(), &info) == 0 && S_ISREG(info.st_mode)) unlink(target_.c_str());
}

}  // namespace softlbr::toolchain
