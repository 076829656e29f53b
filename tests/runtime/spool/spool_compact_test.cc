// The spool with softlbr_compact: what it keeps is compact and says the same, whatever is killed or fails in between.
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>

#include "runtime/include/softlbr/compact.h"
#include "tests/runtime/compact/compact_fixture.h"
#include "tests/runtime/spool/spool_fixture.h"

namespace softlbr::test {
namespace {

constexpr uint32_t kCompactSessions = 4096;
constexpr uint32_t kCompactKills = 100;  // unless SOFTLBR_SPOOL_ROUNDS says otherwise
constexpr uint32_t kFlushes = 30;

ProfileContents ContentsOfBytes(const std::vector<uint8_t>& bytes) {
  const auto read = toolchain::ReadProfile(bytes, "expected");
  return ContentsOf(std::get<toolchain::Profile>(read));
}

ProfileContents ContentsOfFile(const std::string& path) { return ContentsOfBytes(BytesOfFile(path)); }

std::vector<uint8_t> Joined(const Chunks& chunks, size_t count) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), chunks[i].begin(), chunks[i].end());
  return bytes;
}

TEST(SpoolCompact, FinishedSessionIsCompactAndSaysTheSame) {
  SpoolFolder folder;
  softlbr_spool spool;
  ASSERT_EQ(Open(&spool, folder.path(), 0, 0, softlbr_compact), SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(0xabc, kFlushes);
  EXPECT_EQ(Feed(&spool, session), session.size() - 1);
  errno = 77;
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"0000000000000abc.slbr"});
  const std::string path = folder.path("0000000000000abc.slbr");
  ExpectReads(path);
  EXPECT_LT(std::filesystem::file_size(path), SizeOf(session) / 2);
  EXPECT_TRUE(ContentsOfFile(path) == ContentsOfBytes(Joined(session, session.size())));
  EXPECT_EQ(CountsOf(spool).written, 1u);

  // Truncated, and by the descriptor.
  Feed(&spool, Chunks(session.begin(), session.end() - 1));
  EXPECT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
  const std::string truncated = folder.path("0000000000000abc.truncated.slbr");
  ExpectReads(truncated);
  EXPECT_TRUE(ContentsOfFile(truncated) == ContentsOfBytes(Joined(session, session.size() - 1)));
  std::filesystem::remove(path);
  int descriptor = -1;
  ASSERT_EQ(softlbr_spool_descriptor(&spool, &descriptor), SOFTLBR_SPOOL_OK);
  const std::vector<uint8_t> bytes = Joined(session, session.size());
  ASSERT_EQ(write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_LT(std::filesystem::file_size(path), bytes.size() / 2);
  EXPECT_TRUE(ContentsOfFile(path) == ContentsOfBytes(bytes));
}

TEST(SpoolCompact, QuotaCountsCompactBytes) {
  SpoolFolder folder;
  softlbr_spool spool;
  const Chunks session = SessionChunks(1, kFlushes);
  // Room for one as it is written, or two that are compact.
  ASSERT_EQ(Open(&spool, folder.path(), 0, SizeOf(session), softlbr_compact), SOFTLBR_SPOOL_OK);
  Feed(&spool, session);
  ASSERT_EQ(softlbr_spool_commit(&spool), SOFTLBR_SPOOL_OK);
  Feed(&spool, WithId(session, 2));
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names().size(), 2u);
  EXPECT_EQ(CountsOf(spool).dropped, 0u);
}

TEST(SpoolCompact, FunctionThatFailsLeavesTheSessionAsItWas) {
  SpoolFolder folder;
  softlbr_spool spool;
  const auto fail = [](int, int target) {
    (void)!write(target, "x", 1);
    return 2;
  };
  ASSERT_EQ(Open(&spool, folder.path(), 0, 0, fail), SOFTLBR_SPOOL_OK);
  const Chunks session = SessionChunks(1, kFlushes);
  Feed(&spool, session);
  ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(folder.Names(), std::vector<std::string>{IdText(1) + ".slbr"});
  EXPECT_EQ(BytesOfFile(folder.path(IdText(1) + ".slbr")), Joined(session, session.size()));
}

TEST(SpoolCompact, OptionsWithoutTheFieldAreTaken) {
  SpoolFolder folder;
  softlbr_spool spool;
  softlbr_spool_options options{};
  const std::string path = folder.path();
  options.folder = path.c_str();
  options.compact = [](int, int) -> int { std::abort(); };
  options.struct_size = offsetof(softlbr_spool_options, compact);
  ASSERT_EQ(softlbr_spool_open(&spool, &options), SOFTLBR_SPOOL_OK);
  Feed(&spool, SessionChunks(1));
  EXPECT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
  options.struct_size = offsetof(softlbr_spool_options, compact) + 1;
  EXPECT_EQ(softlbr_spool_open(&spool, &options), SOFTLBR_SPOOL_INVALID_ARGUMENT);
}

// What the children did, in memory that outlives them.
struct CompactLog {
  softlbr_spool spool;
  std::atomic<uint32_t> next_session;
  std::atomic<uint32_t> taken[kCompactSessions];  // frames that the sink took
};

TEST(SpoolCompact, KillAtAnyInstantLosesNothingWhole) {
  SpoolFolder folder;
  void* memory = mmap(nullptr, sizeof(CompactLog), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* log = static_cast<CompactLog*>(memory);
  const Chunks made = SessionChunks(1, kFlushes);
  std::vector<ProfileContents> prefixes(1);  // by the number of frames
  for (size_t frames = 1; frames < made.size(); ++frames) prefixes.push_back(ContentsOfBytes(Joined(made, frames + 1)));
  std::mt19937 random(20260202);
  std::set<uint32_t> seen;
  uint64_t compact = 0;
  const uint32_t kills = SpoolRounds(kCompactKills);
  // A child that adds one session after the other.
  const auto start_child = [&] {
    memset(static_cast<void*>(&log->spool), 0, sizeof log->spool);
    const pid_t child = fork();
    if (child == 0) {
      if (Open(&log->spool, folder.path(), kCompactSessions, 0, softlbr_compact) != SOFTLBR_SPOOL_OK) _exit(1);
      for (;;) {
        const uint32_t session = ++log->next_session;
        if (session >= kCompactSessions) _exit(2);
        for (const auto& chunk : WithId(made, session)) {
          if (softlbr_spool_sink(&log->spool, chunk.data(), chunk.size()) != 0) _exit(3);
          if (chunk.size() != kFileMagicBytes) ++log->taken[session];
        }
        if (softlbr_spool_commit(&log->spool) != SOFTLBR_SPOOL_OK) _exit(4);
      }
    }
    return child;
  };
  // Kills come within the time of two sessions, which is several times as long with AddressSanitizer on a busy machine.
  const auto begin = std::chrono::steady_clock::now();
  const pid_t timed = start_child();
  while (log->next_session < 3) {
    ASSERT_EQ(waitpid(timed, nullptr, WNOHANG), 0) << "the child ended";
    usleep(100);
  }
  const auto two = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  kill(timed, SIGKILL);
  ASSERT_EQ(waitpid(timed, nullptr, 0), timed);
  for (uint32_t kill_number = 1; kill_number <= kills; ++kill_number) {
    const pid_t child = start_child();
    usleep(static_cast<uint32_t>(random() % static_cast<uint64_t>(two.count())));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit code " << WEXITSTATUS(status);
    // Whoever takes files away may do so before the spool is opened again: each has its session whole, and none comes
    // back.
    for (const bool is_open : {false, true}) {
      softlbr_spool spool;
      if (is_open) {
        ASSERT_EQ(Open(&spool, folder.path(), kCompactSessions, 0, softlbr_compact), SOFTLBR_SPOOL_OK);
        ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
      }
      if (!std::filesystem::exists(folder.path())) continue;
      for (const std::string& name : folder.Names()) {
        if (name[0] == '.' && !is_open) continue;
        ASSERT_NE(name[0], '.') << name << " is left";
        ExpectReads(folder.path(name));
        const auto session = static_cast<uint32_t>(std::stoul(name.substr(0, 16), nullptr, 16));
        EXPECT_TRUE(seen.insert(session).second) << name << " is there twice";
        auto contents = ContentsOfFile(folder.path(name));
        contents.sessions = {};
        bool is_found = false;
        for (size_t frames = std::max<size_t>(1, log->taken[session]); frames < prefixes.size() && !is_found;
             ++frames) {
          ProfileContents expected = prefixes[frames];
          expected.sessions = {};  // the session's id differs
          is_found = contents == expected;
        }
        EXPECT_TRUE(is_found) << name << ", of which " << log->taken[session] << " frames were taken";
        compact += std::filesystem::file_size(folder.path(name)) < SizeOf(made) / 2 ? 1 : 0;
        std::filesystem::remove(folder.path(name));
      }
    }
  }
  for (uint32_t session = 1; session <= log->next_session && session < kCompactSessions; ++session) {
    EXPECT_TRUE(log->taken[session] == 0 || seen.count(session) != 0) << session;
  }
  EXPECT_GT(compact, kills / 4);
  munmap(memory, sizeof(CompactLog));
}

}  // namespace
}  // namespace softlbr::test
