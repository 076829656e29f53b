#include "toolchain/upload/spool_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr char kQuarantine[] = "quarantine";
constexpr char kUploadLock[] = ".upload-lock";

struct QuarantinedFile {
  timespec changed;
  uint64_t bytes;
  std::string name;
};

bool IsNewer(const QuarantinedFile& a, const QuarantinedFile& b) {
  if (a.changed.tv_sec != b.changed.tv_sec) return a.changed.tv_sec > b.changed.tv_sec;
  return a.changed.tv_nsec > b.changed.tv_nsec;
}

}  // namespace

Spool::Spool(const std::string& folder) : folder_(folder) {
  folder_fd_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd_ < 0) {
    throw StatedFailure(SafeText(folder) + ": " + std::strerror(errno) +
                        "; name the folder into which the app puts its sessions");
  }
  lock_fd_ = openat(folder_fd_, kUploadLock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  std::string error;
  bool is_busy = false;
  if (lock_fd_ < 0) {
    error = std::string("cannot be written: ") + std::strerror(errno);
  } else if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    is_busy = errno == EWOULDBLOCK;
    error = is_busy ? "another upload of this folder is running; let it end" : std::strerror(errno);
  }
  if (error.empty()) return;
  if (lock_fd_ >= 0) close(lock_fd_);
  close(folder_fd_);
  if (is_busy) throw SpoolBusy(SafeText(folder) + ": " + error);
  throw StatedFailure(SafeText(folder) + ": " + error);
}

// A child that was forked meanwhile has a copy of the descriptor, so closing ours would not end the lock.
Spool::~Spool() {
  if (process_ == getpid()) flock(lock_fd_, LOCK_UN);
  close(lock_fd_);
  close(folder_fd_);
}

std::vector<SpoolFile> Spool::List() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder_.c_str()), closedir);
  if (entries == nullptr) throw StatedFailure(SafeText(folder_) + ": cannot be read: " + std::strerror(errno));
  std::vector<SpoolFile> files;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(entries.get());
    if (entry == nullptr) break;
    const auto name = ParseSpoolName(entry->d_name);
    struct stat info {};
    if (!name || fstatat(folder_fd_, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
      continue;
    files.push_back({entry->d_name, *name, static_cast<uint64_t>(info.st_size)});
  }
  if (errno != 0) throw StatedFailure(SafeText(folder_) + ": cannot be read: " + std::strerror(errno));
  std::sort(files.begin(), files.end(),
            [](const SpoolFile& a, const SpoolFile& b) { return a.file_name < b.file_name; });
  return files;
}

int Spool::Open(const SpoolFile& file) const {
  const int fd = openat(folder_fd_, file.file_name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info {};
  if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

void Spool::Delete(const SpoolFile& file) const {
  if (unlinkat(folder_fd_, file.file_name.c_str(), 0) == 0 || errno == ENOENT) return;
  throw StatedFailure(SafeText(folder_ + "/" + file.file_name) + ": was sent and cannot be deleted: " +
                      std::strerror(errno) + "; delete it, and give this user the right to");
}

std::string Spool::Quarantine(const SpoolFile& file) const {
  std::string target = std::string(kQuarantine) + "/" + file.file_name;
  if (mkdirat(folder_fd_, kQuarantine, 0700) == 0 || errno == EEXIST) {
    for (unsigned copy = 1;; ++copy) {
      if (renameat2(folder_fd_, file.file_name.c_str(), folder_fd_, target.c_str(), RENAME_NOREPLACE) == 0) {
        PruneQuarantine(target.substr(sizeof kQuarantine));
        return folder_ + "/" + target;
      }
      // by the quota of the app's spool
      if (errno == ENOENT) return folder_ + "/" + file.file_name + " (deleted meanwhile)";
      if (errno != EEXIST) break;
      target = std::string(kQuarantine) + "/" + file.file_name + "." + std::to_string(copy);
    }
  }
  throw StatedFailure(SafeText(folder_ + "/" + file.file_name) + ": cannot be moved to " + kQuarantine +
                      "/: " + std::strerror(errno));
}

void Spool::PruneQuarantine(const std::string& newest) const {
  const std::string folder = folder_ + "/" + kQuarantine;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (entries == nullptr) return;
  std::vector<QuarantinedFile> files;
  uint64_t bytes = 0;
  while (const dirent* entry = readdir(entries.get())) {
    struct stat info {};
    if (fstatat(dirfd(entries.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
      continue;
    const auto size = static_cast<uint64_t>(info.st_size);
    if (newest == entry->d_name) {  // stays, whatever its size and the resolution of times
      bytes = size;
      continue;
    }
    files.push_back({info.st_ctim, size, entry->d_name});  // st_ctim: of the move
  }
  std::sort(files.begin(), files.end(), IsNewer);
  for (size_t i = 0; i < files.size(); ++i) {
    bytes += files[i].bytes;
    if (i + 1 < kMaxQuarantinedFiles && bytes <= kMaxQuarantinedBytes) continue;
    (void)unlinkat(dirfd(entries.get()), files[i].name.c_str(), 0);
  }
}

}  // namespace softlbr::toolchain
