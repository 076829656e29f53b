#include "platform/safe_read.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/syscall_filter.h"

namespace softlbr::platform {
namespace {

// Three pages: readable, PROT_NONE, readable.
class SafeRead : public ::testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    base_ = reinterpret_cast<uint64_t>(memory);
    std::memset(memory, 'a', 3 * page_);
    ASSERT_EQ(mprotect(reinterpret_cast<void*>(base_ + page_), page_, PROT_NONE), 0);
  }
  void TearDown() override {
    SetSyscallFilterForTest(nullptr);
    munmap(reinterpret_cast<void*>(base_), 3 * page_);
  }
  // The contract of CopyFrom, for both methods of reading.
  void CheckCopies() {
    char output[64];
    std::memset(output, 0, sizeof(output));
    EXPECT_EQ(CopyFrom(base_ + page_ - 64, output, 64), Status::kOk) << "up to the end of the page";
    EXPECT_EQ(output[0], 'a');
    EXPECT_EQ(output[63], 'a');
    EXPECT_EQ(CopyFrom(base_ + page_ - 63, output, 64), Status::kUnreadable) << "one byte beyond";
    EXPECT_EQ(CopyFrom(base_ + page_, output, 1), Status::kUnreadable);
    EXPECT_EQ(CopyFrom(base_ + 2 * page_ - 1, output, 2), Status::kUnreadable);
    EXPECT_EQ(CopyFrom(base_ + 2 * page_, output, 64), Status::kOk);
    EXPECT_EQ(CopyFrom(0, output, 8), Status::kUnreadable);
    EXPECT_EQ(CopyFrom(~uint64_t{0} - 4, output, 8), Status::kUnreadable);
    EXPECT_EQ(CopyFrom(0x8000000000000000, output, 8), Status::kUnreadable);
    EXPECT_EQ(CopyFrom(base_ + page_, output, 0), Status::kOk);
    const char text[] = "exactly these bytes";
    EXPECT_EQ(CopyFrom(reinterpret_cast<uint64_t>(text) + 1, output, 7), Status::kOk);
    EXPECT_EQ(std::memcmp(output, text + 1, 7), 0);
  }
  uint64_t base_ = 0;
  uint64_t page_ = 0;
};

TEST_F(SafeRead, DistinguishesReadableFromUnreadable) {
  EXPECT_TRUE(IsReadable(base_));
  EXPECT_TRUE(IsReadable(base_ + page_ - 1)) << "the probe must not cross into the next page";
  EXPECT_FALSE(IsReadable(base_ + page_));
  EXPECT_FALSE(IsReadable(base_ + 2 * page_ - 1));
  EXPECT_TRUE(IsReadable(base_ + 2 * page_));
  EXPECT_FALSE(IsReadable(0));
  EXPECT_FALSE(IsReadable(8));
  EXPECT_FALSE(IsReadable(~uint64_t{0}));
  EXPECT_FALSE(IsReadable(0x8000000000000000));
}

TEST_F(SafeRead, UnmappedIsUnreadable) {
  munmap(reinterpret_cast<void*>(base_ + 2 * page_), page_);
  EXPECT_FALSE(IsReadable(base_ + 2 * page_));
}

TEST_F(SafeRead, BeyondTheEndOfAMappedFileIsUnreadable) {
  // Such an access raises SIGBUS, not SIGSEGV.
  char path[] = "/tmp/softlbr_safe_read_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  unlink(path);
  ASSERT_EQ(ftruncate(fd, 100), 0);
  void* memory = mmap(nullptr, 2 * page_, PROT_READ, MAP_SHARED, fd, 0);
  const auto address = reinterpret_cast<uint64_t>(memory);
  char byte = 1;
  EXPECT_TRUE(IsReadable(address));
  EXPECT_FALSE(IsReadable(address + page_));
  EXPECT_EQ(CopyFrom(address + page_, &byte, 1), Status::kUnreadable);
  munmap(memory, 2 * page_);
  close(fd);
}

TEST_F(SafeRead, ProbeKeepsSignalMaskAndErrno) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  errno = 4711;
  EXPECT_TRUE(IsReadable(base_));
  EXPECT_FALSE(IsReadable(base_ + page_));
  EXPECT_EQ(errno, 4711);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 65; ++signal) EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
}

TEST_F(SafeRead, CopiesOrReturnsUnreadable) { CheckCopies(); }

long g_answer = 0;

long RefuseReadv(long number, long*, bool* handled) {
  *handled = number == SYS_process_vm_readv;
  return g_answer;
}

TEST_F(SafeRead, CopiesWithoutProcessVmReadv) {
  for (const int error : {EPERM, ENOSYS}) {
    g_answer = -error;
    SetSyscallFilterForTest(RefuseReadv);
    CheckCopies();
    char output[64];
    mprotect(reinterpret_cast<void*>(base_ + page_), page_, PROT_READ);
    EXPECT_EQ(CopyFrom(base_ + page_ - 3, output, 64), Status::kOk) << "across a page end";
    mprotect(reinterpret_cast<void*>(base_ + page_), page_, PROT_NONE);
  }
}

long RefuseProbe(long number, long*, bool* handled) {
  *handled = number == SYS_rt_sigprocmask;
  return -EPERM;
}

TEST_F(SafeRead, ForbiddenProbeMeansUnreadable) {
  SetSyscallFilterForTest(RefuseProbe);
  EXPECT_FALSE(IsReadable(base_));
}

uint32_t g_calls = 0;
long CountCall(long, long*, bool*) {
  ++g_calls;
  return 0;
}

TEST_F(SafeRead, PageSizeMatchesTheSystemOnceLearned) {
  EXPECT_EQ(LearnPageBytes(), page_);
  EXPECT_EQ(PageBytes(), page_);
}

// Handlers ask for the page size. ctest runs this test in a process of its own, so nobody has learned the size yet.
TEST_F(SafeRead, PageSizeTakesNoSystemCall) {
  SetSyscallFilterForTest(CountCall);
  EXPECT_GE(PageBytes(), 4096u);
  EXPECT_EQ(g_calls, 0u);
}

}  // namespace
}  // namespace softlbr::platform
