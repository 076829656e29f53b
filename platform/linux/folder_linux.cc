// Contract: folder.h.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include <linux/stat.h>

#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/folder.h"
#include "platform/linux/high_descriptor.h"
#include "platform/linux/kernel_abi.h"
#include "platform/syscall.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

static_assert(kIsLocked == -EAGAIN && kIsNoFolder == -ENOTDIR && kIsFolder == -EISDIR && kIsLink == -ELOOP);

constexpr long kPrivateFolder = 0700;
constexpr long kPrivateFile = 0600;
constexpr long kFromHere = 1;       // SEEK_CUR, likewise in libc only
constexpr long kLockExclusive = 2;  // LOCK_EX and its relatives are in libc's <sys/file.h> only
constexpr long kLockNow = 4;        // LOCK_NB
constexpr long kUnlock = 8;         // LOCK_UN
constexpr uint64_t kFirstLockPauseNs = 200000;
constexpr uint64_t kLongestLockPauseNs = 20000000;

// Offsets in struct linux_dirent64.
constexpr uint64_t kEntryBytesAt = 16;
constexpr uint64_t kEntryNameAt = 19;

long Argument(const void* pointer) { return reinterpret_cast<long>(pointer); }

long OpenHighAt(int folder, const char* name, long flags) {
  for (;;) {
    const long low = SysCall(__NR_openat, folder, Argument(name), flags | O_CLOEXEC | O_NOFOLLOW, kPrivateFile);
    if (low == -EINTR) continue;
    if (low < 0) return low;
    const long high = MoveDescriptorHigh(low);
    return high < 0 ? low : high;
  }
}

// statx, because its structure is the same on every CPU.
long Facts(int folder, const char* name, long flags, FileFacts* facts) {
  struct statx all;
  const long result =
      SysCall(__NR_statx, folder, Argument(name), flags | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, Argument(&all));
  if (result != 0) return result;
  facts->device = static_cast<uint64_t>(all.stx_dev_major) << 32 | all.stx_dev_minor;
  facts->inode = all.stx_ino;
  facts->bytes = all.stx_size;
  facts->changed_ns = static_cast<uint64_t>(all.stx_mtime.tv_sec) * kNsPerSecond + all.stx_mtime.tv_nsec;
  facts->links = all.stx_nlink;
  facts->permissions = all.stx_mode & 07777;
  facts->is_regular = S_ISREG(all.stx_mode);
  facts->is_folder = S_ISDIR(all.stx_mode);
  facts->is_ours = all.stx_uid == static_cast<uint32_t>(SysCall(__NR_geteuid));
  return 0;
}

uint64_t LongestFile() {
  uint64_t limit[2] = {~uint64_t{0}, ~uint64_t{0}};
  SysCall(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, Argument(limit));
  return limit[0];
}

}  // namespace

long MakeFolder(const char* path) {
  const long result = SysCall(__NR_mkdirat, AT_FDCWD, Argument(path), kPrivateFolder);
  return result == -EEXIST ? 0 : result;
}

long OpenFolder(const char* path) { return OpenHighAt(AT_FDCWD, path, O_RDONLY | O_DIRECTORY); }

long OpenInFolder(int folder, const char* name, FileOpening opening) {
  long flags = O_RDWR | O_NONBLOCK | O_NOCTTY;
  if (opening != FileOpening::kExisting) flags |= O_CREAT;
  if (opening == FileOpening::kNew) flags |= O_EXCL;
  const long file = OpenHighAt(folder, name, flags);
  if (file >= 0 && opening != FileOpening::kExisting) SysCall(__NR_fchmod, file, kPrivateFile);
  return file;
}

long FactsOfFile(int file, FileFacts* facts) { return Facts(file, "", AT_EMPTY_PATH, facts); }
long FactsInFolder(int folder, const char* name, FileFacts* facts) { return Facts(folder, name, 0, facts); }

long CheckPrivateFolder(int folder) {
  constexpr uint32_t kWriteOfGroup = 020;
  constexpr uint32_t kWriteOfOthers = 002;
  constexpr uint32_t kPassOfAnybodyElse = 011;
  FileFacts facts;
  long result = FactsOfFile(folder, &facts);
  if (result != 0) return result;
  if (!facts.is_ours) return kOfAnother;
  if ((facts.permissions & kWriteOfOthers) != 0) return kOpenToOthers;
  if ((facts.permissions & kWriteOfGroup) == 0) return 0;
  FileFacts above;
  result = FactsInFolder(folder, "..", &above);
  return result == 0 && above.is_ours && (above.permissions & kPassOfAnybodyElse) == 0 ? 0 : kOpenToOthers;
}

long RenameInFolder(int folder, const char* name, const char* new_name) {
  return SysCall(__NR_renameat2, folder, Argument(name), folder, Argument(new_name), 0);
}

long RemoveFromFolder(int folder, const char* name) { return SysCall(__NR_unlinkat, folder, Argument(name), 0); }

long ForEachName(int folder, NameVisitor visit, void* cookie) {
  alignas(8) char entries[kDirectoryBufferBytes];
  const long start = SysCall(__NR_lseek, folder, 0, 0);
  if (start < 0) return start;
  for (;;) {
    const long filled = SysCall(__NR_getdents64, folder, Argument(entries), sizeof entries);
    if (filled <= 0) return filled;
    for (long at = 0; at < filled;) {
      const char* entry = entries + at;
      if (!visit(cookie, entry + kEntryNameAt)) return 0;
      at += *reinterpret_cast<const uint16_t*>(entry + kEntryBytesAt);
    }
  }
}

long WriteAt(int file, uint64_t offset, const void* data, uint64_t bytes) {
  const uint64_t longest = LongestFile();
  if (offset > longest || bytes > longest - offset) return -EFBIG;
  const char* from = static_cast<const char*>(data);
  while (bytes != 0) {
    const long written =
        SysCall(__NR_pwrite64, file, Argument(from), static_cast<long>(bytes), static_cast<long>(offset));
    if (written == -EINTR) continue;
    if (written <= 0) return written == 0 ? -EIO : written;
    from += written;
    offset += static_cast<uint64_t>(written);
    bytes -= static_cast<uint64_t>(written);
  }
  return 0;
}

long TruncateFile(int file, uint64_t bytes) { return SysCall(__NR_ftruncate, file, static_cast<long>(bytes)); }
long WritePosition(int file) { return SysCall(__NR_lseek, file, 0, kFromHere); }
long SyncFile(int file) { return SysCall(__NR_fsync, file); }

// Polls, because flock can wait only without a limit.
long LockFile(int file, uint64_t wait_ns) {
  uint64_t pause_ns = kFirstLockPauseNs;
  for (uint64_t waited_ns = 0;; waited_ns += pause_ns) {
    const long result = SysCall(__NR_flock, file, kLockExclusive | kLockNow);
    if (result == 0 || (result != kIsLocked && result != -EINTR)) return result;
    if (waited_ns >= wait_ns) return kIsLocked;
    if (pause_ns < kLongestLockPauseNs) pause_ns *= 2;
    const KernelTimespec pause = TimespecOf(pause_ns);
    SysCall(__NR_nanosleep, Argument(&pause), 0);
  }
}

void UnlockFile(int file) { SysCall(__NR_flock, file, kUnlock); }

int32_t ProcessNumber() { return static_cast<int32_t>(SysCall(__NR_getpid)); }

uint64_t RandomNumber() {
  uint64_t number = 0;
  SysCall(__NR_getrandom, Argument(&number), sizeof number);
  return number;
}

}  // namespace softlbr::platform
