// The spool on disks that are full, read-only or gone, and over system calls that fail.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "platform/syscall_filter.h"
#include "runtime/include/softlbr/compact.h"
#include "tests/runtime/spool/spool_fixture.h"

namespace softlbr::test {
namespace {

// Exit code of a child that lacks the right to mount.
constexpr int kCannotMount = 77;

// In a child with mounts of its own: a file system of so many bytes at `path`.
int MountMemory(const std::string& path, const char* options) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kCannotMount;
  if (mkdir(path.c_str(), 0700) != 0) return 1;
  return mount("softlbr", path.c_str(), "tmpfs", 0, options) == 0 ? 0 : kCannotMount;
}

int OnFullDisk(const SpoolFolder& folder) {
  const int mounted = MountMemory(folder.path(), "size=16k,mode=0700");
  if (mounted != 0) return mounted;
  softlbr_spool spool;
  HOLD_OR_FAIL(Open(&spool, folder.path()) == SOFTLBR_SPOOL_OK);
  const Chunks large = SessionChunks(1, 200);
  HOLD_OR_FAIL(SizeOf(large) > 3 * 16384);
  errno = 77;
  const uint64_t taken = Feed(&spool, large);
  HOLD_OR_FAIL(errno == 77);
  HOLD_OR_FAIL(taken > 0 && taken < large.size() - 1);
  HOLD_OR_FAIL(CountsOf(spool).lost == large.size() - 1 - taken);
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_OK);
  const auto read = toolchain::ReadProfileFile(folder.path(folder.Names()[0]));
  HOLD_OR_FAIL(std::holds_alternative<toolchain::Profile>(read));
  HOLD_OR_FAIL(std::get<toolchain::Profile>(read).damaged_frames == 0);
  // A session that finds the disk full leaves nothing behind, and one after that is whole again.
  PutFile(folder.path("ballast"), std::vector<uint8_t>(16384, 1));
  const Chunks none = SessionChunks(2);
  HOLD_OR_FAIL(Feed(&spool, none) == 0);
  HOLD_OR_FAIL(folder.Names().size() == 2);
  std::filesystem::remove(folder.path("ballast"));
  std::filesystem::remove(folder.path(folder.Names()[0]));
  HOLD_OR_FAIL(Feed(&spool, none) == none.size() - 1);
  HOLD_OR_FAIL(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK);
  HOLD_OR_FAIL(folder.Names() == std::vector<std::string>{IdText(2) + ".slbr"});
  return 0;
}

TEST(SpoolFault, FullDiskLosesFramesAndNothingElse) {
  SpoolFolder folder;
  const int result = InChild([&] { return OnFullDisk(folder); });
  if (result == kCannotMount) GTEST_SKIP() << "needs CAP_SYS_ADMIN, to mount a small tmpfs";
  EXPECT_EQ(result, 0);
}

// Writes as the runtime does: a frame that does not fit leaves what fitted of it, and those behind it are tried all the
// same. Returns how many frames were written whole.
uint64_t WriteSession(int descriptor, const Chunks& chunks) {
  uint64_t whole = 0;
  for (const auto& chunk : chunks) {
    size_t done = 0;
    while (done < chunk.size()) {
      const ssize_t more = write(descriptor, chunk.data() + done, chunk.size() - done);
      if (more <= 0) break;
      done += static_cast<size_t>(more);
    }
    if (done == chunk.size() && done != kFileMagicBytes) ++whole;
  }
  return whole;
}

int DescriptorOnFullDisk(const SpoolFolder& folder) {
  const int mounted = MountMemory(folder.path(), "size=16k,mode=0700");
  if (mounted != 0) return mounted;
  softlbr_spool spool;
  HOLD_OR_FAIL(Open(&spool, folder.path()) == SOFTLBR_SPOOL_OK);
  int descriptor = -1;

  // It fills during the session.
  HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK);
  const Chunks large = SessionChunks(1, 200);
  const uint64_t whole = WriteSession(descriptor, large);
  HOLD_OR_FAIL(whole > 0 && whole < large.size() - 1);
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_OK);
  HOLD_OR_FAIL(folder.Names() == std::vector<std::string>{IdText(1) + ".truncated.slbr"});
  const auto read = toolchain::ReadProfileFile(folder.path(folder.Names()[0]));
  HOLD_OR_FAIL(std::holds_alternative<toolchain::Profile>(read));
  HOLD_OR_FAIL(std::get<toolchain::Profile>(read).damaged_frames == 0);
  // The end frame is missing; how many others had been before it, only the runtime knows.
  HOLD_OR_FAIL(CountsOf(spool).salvaged == 1 && CountsOf(spool).lost == 1);
  std::filesystem::remove(folder.path(folder.Names()[0]));

  // It fills before the first frame.
  HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK);
  PutFile(folder.path("ballast"), std::vector<uint8_t>(16384, 1));
  HOLD_OR_FAIL(lseek(descriptor, 0, SEEK_CUR) == 0);
  const Chunks rest = SessionChunks(2, 200);
  HOLD_OR_FAIL(WriteSession(descriptor, rest) < rest.size() - 1);
  HOLD_OR_FAIL(ftruncate(descriptor, 8) == 0);  // the block that the magic has takes small frames
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_NOT_WRITABLE);
  HOLD_OR_FAIL(CountsOf(spool).lost == 2);
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_OK);  // said once
  HOLD_OR_FAIL(folder.Names() == std::vector<std::string>{"ballast"});

  // It is full from the start.
  PutFile(folder.path("more"), std::vector<uint8_t>(16384, 1));
  HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_NOT_WRITABLE);
  HOLD_OR_FAIL(CountsOf(spool).lost == 3);
  HOLD_OR_FAIL(folder.Names() == (std::vector<std::string>{"ballast", "more"}));

  // There is room again, and then no session: nothing is lost.
  std::filesystem::remove(folder.path("ballast"));
  std::filesystem::remove(folder.path("more"));
  HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK);
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(3);
  HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK);
  HOLD_OR_FAIL(WriteSession(descriptor, session) == session.size() - 1);
  HOLD_OR_FAIL(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK);
  HOLD_OR_FAIL(CountsOf(spool).lost == 3 && CountsOf(spool).written == 1);
  return 0;
}

TEST(SpoolFault, FullDiskIsToldToTheOwnerOfADescriptor) {
  SpoolFolder folder;
  const int result = InChild([&] { return DescriptorOnFullDisk(folder); });
  if (result == kCannotMount) GTEST_SKIP() << "needs CAP_SYS_ADMIN, to mount a small tmpfs";
  EXPECT_EQ(result, 0);
}

// No room at all for the session's frames, and one write in the middle of others that fails: by the limit of file
// sizes.
TEST(SpoolFault, LimitOfFileSizesLosesADescriptorsFramesCounted) {
  SpoolFolder folder;
  const int result = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    softlbr_spool spool;
    HOLD_OR_FAIL(Open(&spool, folder.path()) == SOFTLBR_SPOOL_OK);
    const Chunks session = SessionChunks(1, 20);
    const rlim_t most = SizeOf(session) * 2;
    const auto limit = [most](rlim_t bytes) {
      const rlimit both = {bytes, most};
      return setrlimit(RLIMIT_FSIZE, &both) == 0;
    };
    int descriptor = -1;
    HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK);
    HOLD_OR_FAIL(limit(kFileMagicBytes));
    HOLD_OR_FAIL(WriteSession(descriptor, session) == 0);
    HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_NOT_WRITABLE);
    HOLD_OR_FAIL(CountsOf(spool).lost == 1);
    HOLD_OR_FAIL(limit(most));
    HOLD_OR_FAIL(softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK);
    Chunks begin(session.begin(), session.begin() + 4);
    Chunks middle(session.begin() + 4, session.begin() + 7);
    Chunks end(session.begin() + 7, session.end());
    HOLD_OR_FAIL(WriteSession(descriptor, begin) == 3);
    HOLD_OR_FAIL(limit(SizeOf(begin) + 5));
    HOLD_OR_FAIL(WriteSession(descriptor, middle) == 0);
    HOLD_OR_FAIL(limit(most));
    HOLD_OR_FAIL(WriteSession(descriptor, end) == end.size());
    HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_OK);
    HOLD_OR_FAIL(CountsOf(spool).lost == 1 + middle.size() && CountsOf(spool).written == 1);
    HOLD_OR_FAIL(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK);
    return 0;
  });
  ASSERT_EQ(result, 0);
  ASSERT_EQ(folder.Names(), std::vector<std::string>{IdText(1) + ".slbr"});
  const auto read = toolchain::ReadProfileFile(folder.path(folder.Names()[0]));
  ASSERT_TRUE(std::holds_alternative<toolchain::Profile>(read));
  EXPECT_EQ(std::get<toolchain::Profile>(read).missing_frames, 3u);
  EXPECT_EQ(std::get<toolchain::Profile>(read).damaged_frames, 0u);
}

int OnReadOnlyDisk(const SpoolFolder& folder) {
  const int mounted = MountMemory(folder.path(), "mode=0700");
  if (mounted != 0) return mounted;
  softlbr_spool spool;
  HOLD_OR_FAIL(Open(&spool, folder.path()) == SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(1);
  HOLD_OR_FAIL(mount("softlbr", folder.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "mode=0700") == 0);
  softlbr_spool other;
  HOLD_OR_FAIL(Open(&other, folder.path()) == SOFTLBR_SPOOL_NOT_WRITABLE);
  HOLD_OR_FAIL(Feed(&spool, session) == 0);
  HOLD_OR_FAIL(CountsOf(spool).lost == session.size() - 1);
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_NOT_WRITABLE);
  HOLD_OR_FAIL(softlbr_spool_commit(&spool) == SOFTLBR_SPOOL_OK);  // said once
  HOLD_OR_FAIL(mount("softlbr", folder.path().c_str(), "tmpfs", MS_REMOUNT, "mode=0700") == 0);
  HOLD_OR_FAIL(Feed(&spool, session) == session.size() - 1);
  HOLD_OR_FAIL(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK);
  HOLD_OR_FAIL(folder.Names() == std::vector<std::string>{IdText(1) + ".slbr"});
  return 0;
}

TEST(SpoolFault, ReadOnlyFolderRefusesFrames) {
  SpoolFolder folder;
  const int result = InChild([&] { return OnReadOnlyDisk(folder); });
  if (result == kCannotMount) GTEST_SKIP() << "needs CAP_SYS_ADMIN, to mount a tmpfs read-only";
  EXPECT_EQ(result, 0);
}

// With the default action of SIGXFSZ, which ends the process: no such signal is raised.
TEST(SpoolFault, LimitOfFileSizesRaisesNoSignal) {
  SpoolFolder folder;
  const int result = InChild([&] {
    softlbr_spool spool;
    HOLD_OR_FAIL(Open(&spool, folder.path()) == SOFTLBR_SPOOL_OK);
    const Chunks session = SessionChunks(1, 20);
    const rlimit limit = {SizeOf(session) / 2, SizeOf(session) / 2};
    HOLD_OR_FAIL(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    const uint64_t taken = Feed(&spool, session);
    HOLD_OR_FAIL(taken > 0 && CountsOf(spool).lost == session.size() - 1 - taken);
    HOLD_OR_FAIL(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK);
    return 0;
  });
  ASSERT_EQ(result, 0);
  ASSERT_EQ(folder.Names().size(), 1u);
  const auto read = toolchain::ReadProfileFile(folder.path(folder.Names()[0]));
  ASSERT_TRUE(std::holds_alternative<toolchain::Profile>(read));
  EXPECT_EQ(std::get<toolchain::Profile>(read).damaged_frames, 0u);
}

TEST(SpoolFault, RemovedFolderRefusesFrames) {
  SpoolFolder folder;
  softlbr_spool spool;
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(1);
  ASSERT_EQ(softlbr_spool_sink(&spool, session[1].data(), session[1].size()), 0);
  std::filesystem::remove_all(folder.path());
  EXPECT_EQ(softlbr_spool_sink(&spool, session[2].data(), session[2].size()), 1);
  EXPECT_EQ(softlbr_spool_sink(&spool, session[3].data(), session[3].size()), 1);
  EXPECT_EQ(CountsOf(spool).lost, 3u);
  // A folder of the same name is another one.
  std::filesystem::create_directory(folder.path());
  EXPECT_EQ(softlbr_spool_sink(&spool, session[3].data(), session[3].size()), 1);
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_NOT_WRITABLE);
  EXPECT_TRUE(folder.Names().empty());
}

// The filter of system calls: number g_failing fails.
int g_calls;
int g_failing;
long g_error;

long FailOne(long, long*, bool* handled) {
  *handled = ++g_calls == g_failing;
  return g_error;
}

struct SpoolUse {
  CompactFunction* compact;
  bool is_by_descriptor;
};

// A life of a spool: something to salvage, a session, a commit. Writes the frames that it took to `taken`. 2: no call
// failed, because there were fewer. 3: the close calls the session kept or lost, and the counts do not.
int LiveThrough(const std::string& folder, const SpoolUse& use, int failing, long error, const std::string& taken) {
  const Chunks session = SessionChunks(2);
  g_calls = 0;
  g_failing = failing;
  g_error = error;
  platform::SetSyscallFilterForTest(FailOne);
  softlbr_spool spool;
  std::vector<uint8_t> bytes;
  bool is_told = true;
  int descriptor = -1;
  if (Open(&spool, folder, 4, 0, use.compact) != SOFTLBR_SPOOL_OK) {
    // No session can begin.
  } else if (use.is_by_descriptor) {
    if (softlbr_spool_descriptor(&spool, &descriptor) == SOFTLBR_SPOOL_OK) {
      if (WriteSession(descriptor, session) != session.size() - 1) return 1;
      for (const auto& chunk : session) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
    }
    const bool is_kept = softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK && descriptor >= 0;
    is_told = is_kept == (CountsOf(spool).written == 1);
  } else {
    for (const auto& chunk : session) {
      const bool is_taken = softlbr_spool_sink(&spool, chunk.data(), chunk.size()) == 0;
      if (is_taken && chunk.size() != kFileMagicBytes) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
    }
    (void)softlbr_spool_close(&spool);
  }
  platform::SetSyscallFilterForTest(nullptr);
  PutFile(taken, bytes);
  return !is_told ? 3 : g_calls < failing ? 2 : 0;
}

uint64_t BranchesIn(const std::string& path) {
  const auto read = toolchain::ReadProfileFile(path);
  const auto* profile = std::get_if<toolchain::Profile>(&read);
  if (profile == nullptr) return 0;  // no frame was taken
  EXPECT_EQ(profile->damaged_frames, 0u) << path;
  uint64_t sum = 0;
  for (const auto& row : profile->branches) sum += row.count;
  return sum;
}

class SpoolCalls : public ::testing::TestWithParam<SpoolUse> {};

TEST_P(SpoolCalls, AnyMayFail) {
  const Chunks old = SessionChunks(1, 3, false);
  for (const long error : {ENOSPC, EIO}) {
    for (int failing = 1;; ++failing) {
      SCOPED_TRACE(testing::Message() << "call " << failing << ", error " << error);
      ASSERT_LT(failing, 1000);
      SpoolFolder folder;
      ASSERT_EQ(mkdir(folder.path().c_str(), 0700), 0);
      std::vector<uint8_t> bytes;
      for (const auto& chunk : old) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
      bytes.push_back(0xf5);
      PutFile(folder.path("." + IdText(1) + ".1.tmp"), bytes);
      chmod(folder.path("." + IdText(1) + ".1.tmp").c_str(), 0600);
      // In a child, because a call that failed may leave a descriptor and its lock to the end of the process.
      const std::string taken = folder.top() + "/taken";
      const int result = InChild([&] { return LiveThrough(folder.path(), GetParam(), failing, -error, taken); });
      if (result == 2) break;
      ASSERT_EQ(result, 0);
      softlbr_spool spool;
      ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
      ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
      ExpectReads(folder.path(IdText(1) + ".truncated.slbr"));
      uint64_t found = 0;
      for (const std::string& name : folder.Names()) {
        ASSERT_TRUE(name.ends_with(".slbr")) << name;
        const uint64_t branches = BranchesIn(folder.path(name));
        if (name.rfind(IdText(2), 0) == 0) found += branches;
      }
      EXPECT_GE(found, BranchesIn(taken)) << "a frame that was taken is gone";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Form, SpoolCalls,
                         ::testing::Values(SpoolUse{nullptr, false}, SpoolUse{softlbr_compact, false},
                                           SpoolUse{nullptr, true}, SpoolUse{softlbr_compact, true}),
                         [](const ::testing::TestParamInfo<SpoolUse>& form) {
                           return std::string(form.param.compact == nullptr ? "AsWritten" : "Compact") +
                                  (form.param.is_by_descriptor ? "ByDescriptor" : "");
                         });

}  // namespace
}  // namespace softlbr::test
