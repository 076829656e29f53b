// Contract: file.h.
#include <asm/errno.h>
#include <asm/poll.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>

#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/file.h"
#include "platform/linux/high_descriptor.h"
#include "platform/syscall.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {

long OpenForRead(const char* path) { return OpenHigh(path, O_RDONLY); }
long OpenBriefly(const char* path) { return OpenTransient(path, O_RDONLY); }

long OpenForWrite(const char* path) {
  return SysCall(__NR_openat, AT_FDCWD, reinterpret_cast<long>(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

long ReadSome(int fd, void* output, uint64_t bytes) {
  for (;;) {
    const long result = SysCall(__NR_read, fd, reinterpret_cast<long>(output), static_cast<long>(bytes));
    if (result != -EINTR) return result;
  }
}

long ReadAt(int fd, uint64_t offset, void* output, uint64_t bytes) {
  return SysCall(__NR_pread64, fd, reinterpret_cast<long>(output), static_cast<long>(bytes), static_cast<long>(offset));
}

Status WriteAll(int fd, const void* data, uint64_t bytes) {
  constexpr uint64_t kPipeBytes = 4096;  // a pipe that poll reports as writable takes this many at once (PIPE_BUF)
  const char* from = static_cast<const char*>(data);
  while (bytes != 0) {
    pollfd descriptor = {fd, POLLOUT, 0};
    long patience[2] = {kWriteWaitNs / 1000000000, kWriteWaitNs % 1000000000};
    if (SysCall(__NR_ppoll, reinterpret_cast<long>(&descriptor), 1, reinterpret_cast<long>(patience), 0, 0) == 0) {
      return Status::kSystemError;
    }
    const long result = SysCall(__NR_write, fd, reinterpret_cast<long>(from),
                                static_cast<long>(bytes < kPipeBytes ? bytes : kPipeBytes));
    if (result == -EINTR) continue;
    if (result <= 0) return Status::kSystemError;
    from += result;
    bytes -= static_cast<uint64_t>(result);
  }
  return Status::kOk;
}

void CloseFile(int fd) { SysCall(__NR_close, fd); }

bool IsOpenForWriting(int fd) {
  const long flags = SysCall(__NR_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0;
}

uint64_t FileIdentity(int fd) {
  // The kernel's struct stat has 144 bytes on x86-64, 128 on AArch64, and begins with device and inode.
  uint64_t stat[18];
  if (SysCall(__NR_fstat, fd, reinterpret_cast<long>(stat)) != 0) return 0;
  return (stat[0] * 0x9e3779b97f4a7c15ull ^ stat[1]) | 1ull << 63;
}

}  // namespace softlbr::platform
