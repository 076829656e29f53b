#include "platform/syscall.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "platform/syscall_filter.h"

namespace softlbr::platform {
namespace {

TEST(SysCall, ReturnsTheKernelsResult) { EXPECT_EQ(SysCall(SYS_getpid), getpid()); }

TEST(SysCall, ReturnsNegativeErrnoAndKeepsErrno) {
  errno = 4711;
  EXPECT_EQ(SysCall(SYS_close, -1), -EBADF);
  EXPECT_EQ(errno, 4711);
}

TEST(SysCall, PassesSixArguments) {
  // mmap uses all six arguments: a file, an offset and an address.
  char path[] = "/tmp/softlbr_syscall_test_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  unlink(path);
  const long page = sysconf(_SC_PAGESIZE);
  ASSERT_EQ(ftruncate(fd, 2 * page), 0);
  ASSERT_EQ(pwrite(fd, "x", 1, page), 1);
  void* room = mmap(nullptr, static_cast<size_t>(page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const long mapped =
      SysCall(SYS_mmap, reinterpret_cast<long>(room), page, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, page);
  ASSERT_EQ(mapped, reinterpret_cast<long>(room));
  EXPECT_EQ(*static_cast<const char*>(room), 'x');
  munmap(room, static_cast<size_t>(page));
  close(fd);
}

long g_seen[6];

long Filter(long number, long arguments[6], bool* handled) {
  if (number != SYS_splice) return 0;
  for (int i = 0; i < 6; ++i) g_seen[i] = arguments[i];
  *handled = true;
  return -EXDEV;
}

TEST(SysCall, FilterReplacesTheKernelUntilRemoved) {
  SetSyscallFilterForTest(Filter);
  EXPECT_EQ(SysCall(SYS_splice, 1, 2, 3, 4, 5, 6), -EXDEV);
  EXPECT_EQ(SysCall(SYS_getpid), getpid()) << "what it does not handle goes to the kernel";
  SetSyscallFilterForTest(nullptr);
  for (long i = 0; i < 6; ++i) EXPECT_EQ(g_seen[i], i + 1);
  EXPECT_EQ(SysCall(SYS_splice, -1, 0, -1, 0, 1, 0), -EBADF);
}

}  // namespace
}  // namespace softlbr::platform
