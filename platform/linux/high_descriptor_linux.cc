// Contract: high_descriptor.h.
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/resource.h>

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/config.h"
#include "platform/linux/high_descriptor.h"
#include "platform/syscall.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

// The first descriptor number that we use. Numbers below FD_SETSIZE (1024) are left to apps that use select(), if the
// limit allows.
constexpr long kRoomyMinimum = 1024;
constexpr long kUsualMinimum = 512;

struct KernelLimit {
  uint64_t current;
  uint64_t maximum;
};

// Used if the limit allows no number from kRoomyMinimum on.
long LowestDescriptor() {
  KernelLimit limit = {2 * kUsualMinimum, 2 * kUsualMinimum};  // used if the kernel does not answer
  SysCall(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, reinterpret_cast<long>(&limit));
  const long half = static_cast<long>(limit.current / 2);
  return half < kUsualMinimum ? half : kUsualMinimum;
}

long Duplicate(long low, long minimum) { return SysCall(__NR_fcntl, low, F_DUPFD_CLOEXEC, minimum); }

// The process whose table of descriptors must not grow, and its first high number.
SOFTLBR_CONSTINIT int32_t g_frugal_process = 0;
SOFTLBR_CONSTINIT long g_frugal_minimum = 0;

SOFTLBR_CONSTINIT int32_t g_marking_process = 0;
SOFTLBR_CONSTINIT int32_t g_owning_process = 0;
constexpr long kMark = O_APPEND | O_SYNC | O_NONBLOCK;

int32_t ThisProcess() { return static_cast<int32_t>(SysCall(__NR_getpid)); }

}  // namespace

long MoveDescriptorHigh(long low) {
  if (g_owning_process == ThisProcess()) return low;
  long high = Duplicate(low, g_frugal_process == ThisProcess() ? g_frugal_minimum : kRoomyMinimum);
  if (high < 0) high = Duplicate(low, LowestDescriptor());
  if (high >= 0) SysCall(__NR_close, low);
  return high;
}

long OpenHigh(const char* path, long flags) {
  const long low = SysCall(__NR_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  return high < 0 ? low : high;
}

void KeepTableOfThisProcess(uint64_t numbers) {
  const bool is_small = numbers != 0 && numbers <= kRoomyMinimum;
  g_frugal_minimum = static_cast<long>(numbers - numbers / 4);
  g_frugal_process = is_small ? ThisProcess() : 0;
}

void MarkFilesOfThisProcess() { g_marking_process = ThisProcess(); }
void OwnFilesOfThisProcess() { g_owning_process = ThisProcess(); }

long OpenTransient(const char* path, long flags) {
  return OpenHigh(path, g_marking_process == ThisProcess() ? flags | kMark : flags);
}

bool IsMarked(int fd) {
  const long flags = SysCall(__NR_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & (kMark | O_ACCMODE)) == (kMark | O_RDONLY);
}

}  // namespace softlbr::platform
