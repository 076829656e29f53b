// The spool's folder: names, quota, what is salvaged, what is refused.
#include <fcntl.h>
#include <sys/file.h>

#include "tests/runtime/spool/spool_fixture.h"

namespace softlbr::test {
namespace {

using Names = std::vector<std::string>;

TEST(Spool, FinishedSessionIsOneCompleteFile) {
  SpoolFolder folder;
  softlbr_spool spool;
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(0xabc);
  errno = 77;
  EXPECT_EQ(Feed(&spool, session), session.size() - 1);
  const std::string temporary = ".0000000000000abc." + std::to_string(getpid()) + ".tmp";
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(folder.Names(), Names{"0000000000000abc.slbr"});
  std::vector<uint8_t> bytes;
  for (const auto& chunk : session) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  EXPECT_EQ(BytesOfFile(folder.path("0000000000000abc.slbr")), bytes);
  ExpectReads(folder.path("0000000000000abc.slbr"));

  const Chunks next = SessionChunks(0xdef);
  ASSERT_EQ(softlbr_spool_sink(&spool, next[0].data(), next[0].size()), 0);
  EXPECT_EQ(folder.Names(), Names{"0000000000000abc.slbr"}) << "a magic alone is no session";
  ASSERT_EQ(softlbr_spool_sink(&spool, next[1].data(), next[1].size()), 0);
  EXPECT_EQ(folder.Names()[0], ".0000000000000def." + std::to_string(getpid()) + ".tmp");
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(), (Names{"0000000000000abc.slbr", "0000000000000def.truncated.slbr"}));
  ExpectReads(folder.path("0000000000000def.truncated.slbr"));
  EXPECT_EQ(CountsOf(spool).written, 1u);
  EXPECT_EQ(CountsOf(spool).salvaged, 1u);
  EXPECT_EQ(CountsOf(spool).lost, 0u);
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_WRONG_STATE);
  EXPECT_EQ(softlbr_spool_sink(&spool, next[1].data(), next[1].size()), 1);
}

TEST(Spool, OldestFilesMakeRoomForNewOnes) {
  SpoolFolder folder;
  softlbr_spool spool;
  ASSERT_EQ(Open(&spool, folder.path(), 3), SOFTLBR_SPOOL_OK);
  PutFile(folder.path("notes.txt"), {1});
  std::filesystem::create_directory(folder.path("quarantine"));
  PutFile(folder.path("quarantine/0000000000000001.slbr"), {1});
  for (uint64_t id = 9; id > 2; --id) {
    Feed(&spool, SessionChunks(id));
    ASSERT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
    // Told apart by their time, whatever the clock's tick is.
    const auto time = std::filesystem::file_time_type::clock::now() - std::chrono::hours(id);
    std::filesystem::last_write_time(folder.path(IdText(id) + ".slbr"), time);
  }
  EXPECT_EQ(folder.Names(), (Names{"0000000000000003.slbr", "0000000000000004.slbr", "0000000000000005.slbr",
                                   "notes.txt", "quarantine"}));
  EXPECT_TRUE(std::filesystem::exists(folder.path("quarantine/0000000000000001.slbr")));
  EXPECT_EQ(CountsOf(spool).written, 7u);
  EXPECT_EQ(CountsOf(spool).dropped, 4u);
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);

  // By bytes: room for two.
  const Chunks session = SessionChunks(2);
  ASSERT_EQ(Open(&spool, folder.path(), 0, 2 * SizeOf(session) + 200), SOFTLBR_SPOOL_OK);
  Feed(&spool, session);
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(), (Names{"0000000000000002.slbr", "0000000000000003.slbr", "notes.txt", "quarantine"}));
  EXPECT_EQ(CountsOf(spool).dropped, 2u);
}

TEST(Spool, SessionLargerThanTheQuotaIsRefused) {
  SpoolFolder folder;
  softlbr_spool spool;
  const Chunks large = SessionChunks(1, 5);
  const Chunks small = SessionChunks(2, 1);
  ASSERT_EQ(Open(&spool, folder.path(), 0, SizeOf(large) - 1), SOFTLBR_SPOOL_OK);
  Feed(&spool, large);
  EXPECT_TRUE(folder.Names().empty());
  EXPECT_EQ(CountsOf(spool).refused, 1u);
  EXPECT_EQ(CountsOf(spool).lost, large.size() - 1);
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_TOO_LARGE);
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK) << "said once";
  Feed(&spool, large);
  EXPECT_EQ(Feed(&spool, small), small.size() - 1);
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(), Names{"0000000000000002.slbr"});

  int descriptor = -1;
  ASSERT_EQ(softlbr_spool_descriptor(&spool, &descriptor), SOFTLBR_SPOOL_OK);
  for (const auto& chunk : large)
    ASSERT_EQ(write(descriptor, chunk.data(), chunk.size()), static_cast<ssize_t>(chunk.size()));
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_TOO_LARGE);
  EXPECT_EQ(CountsOf(spool).refused, 2u);
  EXPECT_EQ(folder.Names(), Names{"0000000000000002.slbr"});
}

// A session of so many flushes with two samples each.
TEST(Spool, SessionsOfTooFewSamplesAreDroppedAndCounted) {
  SpoolFolder folder;
  softlbr_spool spool;
  const std::string path = folder.path();
  const auto open_with = [&](uint32_t fewest) {
    softlbr_spool_options options{};
    options.struct_size = sizeof options;
    options.folder = path.c_str();
    options.fewest_samples = fewest;
    ASSERT_EQ(softlbr_spool_open(&spool, &options), SOFTLBR_SPOOL_OK);
  };
  const auto commit = [&](uint64_t id, uint32_t flushes) {
    Feed(&spool, SessionChunks(id, flushes));
    return softlbr_spool_commit(&spool);
  };
  open_with(0);
  EXPECT_EQ(commit(1, 0), SOFTLBR_SPOOL_TOO_FEW);
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK) << "said once";
  EXPECT_EQ(commit(2, 1), SOFTLBR_SPOOL_TOO_FEW);
  EXPECT_EQ(commit(3, 2), SOFTLBR_SPOOL_OK);
  // The rows of an unfinished session may be of any number of samples; without rows it has none.
  Feed(&spool, SessionChunks(4, 1, false));
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
  Feed(&spool, SessionChunks(5, 0, false));
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_TOO_FEW);
  EXPECT_EQ(folder.Names(), (Names{"0000000000000003.slbr", "0000000000000004.truncated.slbr"}));
  EXPECT_EQ(CountsOf(spool).too_few, 3u);
  EXPECT_EQ(CountsOf(spool).written, 1u);
  EXPECT_EQ(CountsOf(spool).lost, 0u);
  // A descriptor's session, and one whose owner died.
  int descriptor = -1;
  ASSERT_EQ(softlbr_spool_descriptor(&spool, &descriptor), SOFTLBR_SPOOL_OK);
  for (const auto& chunk : SessionChunks(6, 1))
    ASSERT_EQ(write(descriptor, chunk.data(), chunk.size()), static_cast<ssize_t>(chunk.size()));
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_TOO_FEW);
  std::vector<uint8_t> bytes;
  for (const auto& chunk : SessionChunks(7, 1)) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  PutFile(folder.path("." + IdText(7) + ".1.tmp"), bytes);
  open_with(5);
  EXPECT_EQ(CountsOf(spool).too_few, 1u);
  EXPECT_EQ(CountsOf(spool).salvaged, 0u);
  EXPECT_EQ(commit(8, 2), SOFTLBR_SPOOL_TOO_FEW) << "four samples, where five are asked for";
  EXPECT_EQ(commit(9, 3), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  open_with(SOFTLBR_SPOOL_KEEP_EMPTY);
  EXPECT_EQ(commit(10, 0), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(), (Names{"0000000000000003.slbr", "0000000000000004.truncated.slbr", "0000000000000009.slbr",
                                   "000000000000000a.slbr"}));
  softlbr_spool_options options{};
  options.struct_size = sizeof options;
  options.folder = path.c_str();
  options.reserved = 1;
  EXPECT_EQ(softlbr_spool_open(&spool, &options), SOFTLBR_SPOOL_INVALID_ARGUMENT);
}

TEST(Spool, SalvagesWholeFramesOfDeadOwners) {
  SpoolFolder folder;
  softlbr_spool spool;
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  const auto put = [&](uint64_t id, const Chunks& chunks, size_t cut) {
    std::vector<uint8_t> bytes;
    for (const auto& chunk : chunks) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
    bytes.resize(bytes.size() - cut);
    PutFile(folder.path("." + IdText(id) + ".1.tmp"), bytes);
    chmod(folder.path("." + IdText(id) + ".1.tmp").c_str(), 0600);
  };
  put(1, SessionChunks(1), 0);  // all but the rename
  put(2, SessionChunks(2), 1);  // its end frame lacks a byte
  put(3, SessionChunks(3, 1), SizeOf(SessionChunks(3, 1)));
  put(4, {SessionChunks(4)[0]}, 0);
  Chunks damaged = SessionChunks(5, 4, false);
  damaged[2].back() ^= 1;
  put(5, damaged, 0);
  put(6, SessionChunks(6), 1);
  const int owned = open(folder.path("." + IdText(6) + ".1.tmp").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(owned, LOCK_EX), 0);
  PutFile(folder.path(".x.tmp"), {1});
  ASSERT_EQ(symlink("/etc/hostname", folder.path(".0000000000000007.1.tmp").c_str()), 0);
  ASSERT_EQ(mkfifo(folder.path(".0000000000000008.1.tmp").c_str(), 0600), 0);

  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(),
            (Names{".0000000000000006.1.tmp", ".0000000000000007.1.tmp", ".0000000000000008.1.tmp", ".x.tmp",
                   "0000000000000001.slbr", "0000000000000002.truncated.slbr", "0000000000000005.truncated.slbr"}));
  EXPECT_EQ(CountsOf(spool).salvaged, 3u);
  ExpectReads(folder.path("0000000000000001.slbr"));
  ExpectReads(folder.path("0000000000000002.truncated.slbr"));
  ExpectReads(folder.path("0000000000000005.truncated.slbr"));
  damaged.erase(damaged.begin() + 2);
  EXPECT_EQ(std::filesystem::file_size(folder.path("0000000000000005.truncated.slbr")), SizeOf(damaged))
      << "whole frames behind damage";
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  close(owned);
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(CountsOf(spool).salvaged, 1u) << "its owner has gone";
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
}

TEST(Spool, FollowsNoLinkAndTrustsNoSharedFolder) {
  SpoolFolder folder;
  softlbr_spool spool;
  const std::string elsewhere = folder.top() + "/elsewhere";
  std::filesystem::create_directory(elsewhere);
  chmod(elsewhere.c_str(), 0700);
  ASSERT_EQ(symlink(elsewhere.c_str(), folder.path().c_str()), 0);
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_NOT_PRIVATE);
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
  std::filesystem::remove(folder.path());
  PutFile(folder.path(), {1});
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_NOT_PRIVATE);
  std::filesystem::remove(folder.path());
  std::filesystem::create_directory(folder.path());
  for (const mode_t mode : {0770, 0702}) {
    chmod(folder.path().c_str(), mode);
    chmod(folder.top().c_str(), 0711);
    EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_NOT_PRIVATE) << mode;
    chmod(folder.top().c_str(), 0700);
  }
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_NOT_PRIVATE) << "open to others, whatever is above";
  chmod(folder.path().c_str(), 0771);
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK)
      << "of the group, which cannot pass above (Android's getFilesDir)";
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  std::filesystem::remove(folder.path(".lock"));
  chmod(folder.path().c_str(), 0755);
  PutFile(elsewhere + "/file", {1, 2, 3});
  ASSERT_EQ(symlink((elsewhere + "/file").c_str(), folder.path(".lock").c_str()), 0);
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_NOT_PRIVATE);
  std::filesystem::remove(folder.path(".lock"));
  std::filesystem::create_directory(folder.path(".lock"));
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_NOT_PRIVATE);
  std::filesystem::remove(folder.path(".lock"));

  // In place of the temporary file: the frame is refused. In place of the target: the link is replaced.
  const std::string temporary = folder.path("." + IdText(1) + "." + std::to_string(getpid()) + ".tmp");
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  ASSERT_EQ(symlink((elsewhere + "/file").c_str(), temporary.c_str()), 0);
  const Chunks session = SessionChunks(1);
  EXPECT_EQ(softlbr_spool_sink(&spool, session[1].data(), session[1].size()), 1);
  EXPECT_EQ(CountsOf(spool).lost, 1u);
  std::filesystem::remove(temporary);
  ASSERT_EQ(symlink((elsewhere + "/file").c_str(), folder.path(IdText(1) + ".slbr").c_str()), 0);
  EXPECT_EQ(Feed(&spool, session), session.size() - 1);
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_FALSE(std::filesystem::is_symlink(folder.path(IdText(1) + ".slbr")));
  ExpectReads(folder.path(IdText(1) + ".slbr"));
  EXPECT_EQ(BytesOfFile(elsewhere + "/file"), (std::vector<uint8_t>{1, 2, 3}));
}

TEST(Spool, RefusesWhatIsNoFrameAndWrongOptions) {
  SpoolFolder folder;
  softlbr_spool spool{};
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_WRONG_STATE);
  EXPECT_EQ(Open(&spool, ""), SOFTLBR_SPOOL_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_spool_open(&spool, nullptr), SOFTLBR_SPOOL_INVALID_ARGUMENT);
  EXPECT_EQ(Open(&spool, folder.top() + "/missing/spool"), SOFTLBR_SPOOL_NOT_WRITABLE);
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_WRONG_STATE) << "open already";
  std::vector<uint8_t> frame = SessionChunks(1)[1];
  EXPECT_EQ(softlbr_spool_sink(&spool, frame.data(), 5), 1);
  EXPECT_EQ(softlbr_spool_sink(&spool, frame.data(), frame.size() - 1), 1);
  frame[20] ^= 1;
  EXPECT_EQ(softlbr_spool_sink(&spool, frame.data(), frame.size()), 1);
  EXPECT_EQ(CountsOf(spool).lost, 3u);
  EXPECT_TRUE(folder.Names().empty());
  // A forked child has no part in its parent's spool.
  EXPECT_EQ(InChild([&] { return softlbr_spool_close(&spool); }), SOFTLBR_SPOOL_WRONG_STATE);
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  for (int status = SOFTLBR_SPOOL_OK; status <= SOFTLBR_SPOOL_TOO_FEW; ++status) {
    EXPECT_STRNE(softlbr_spool_status_text(status), softlbr_spool_status_text(-1)) << status;
  }
}

TEST(Spool, DescriptorsThatTheAppClosedAreNotWritten) {
  SpoolFolder folder;
  softlbr_spool spool;
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(1);
  ASSERT_EQ(softlbr_spool_sink(&spool, session[1].data(), session[1].size()), 0);
  const std::string other = folder.top() + "/other";
  PutFile(other, {1, 2, 3});
  // A program that closes what it does not know, and opens files of its own under the same numbers.
  std::vector<int> opened;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int number = std::stoi(entry.path().filename());
    std::error_code none;
    if (std::filesystem::read_symlink(entry.path(), none).string().rfind(folder.path(), 0) != 0) continue;
    const int descriptor = open(other.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(dup2(descriptor, number), number);
    close(descriptor);
    opened.push_back(number);
  }
  ASSERT_EQ(opened.size(), 2u) << "the folder and the temporary file";
  EXPECT_EQ(softlbr_spool_sink(&spool, session[2].data(), session[2].size()), 1);
  EXPECT_EQ(softlbr_spool_sink(&spool, session[2].data(), session[2].size()), 1);
  EXPECT_EQ(CountsOf(spool).lost, 3u);
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_NOT_WRITABLE) << "the next open finds it";
  for (const int number : opened) EXPECT_EQ(close(number), 0) << "it is the app's";
  EXPECT_EQ(BytesOfFile(other), (std::vector<uint8_t>{1, 2, 3}));
  ASSERT_EQ(Open(&spool, folder.path()), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(), Names{"0000000000000001.truncated.slbr"});
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
}

}  // namespace
}  // namespace softlbr::test
