// The spool when processes are killed, and when several use one folder. SOFTLBR_SPOOL_ROUNDS=N: N kills and N rounds of
// the race.
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>

#include "tests/runtime/spool/spool_fixture.h"

namespace softlbr::test {
namespace {

constexpr uint32_t kSessions = 4096;
constexpr uint32_t kKills = 200;  // unless SOFTLBR_SPOOL_ROUNDS says otherwise
constexpr uint32_t kKillsPerInspection = 10;
constexpr uint64_t kFirstId = 0x1000;

// What the children did, in memory that outlives them.
struct Log {
  softlbr_spool spool;
  std::atomic<uint64_t> steps;
  std::atomic<uint32_t> next_session;
  std::atomic<uint32_t> taken[kSessions];      // frames that the sink took
  std::atomic<uint32_t> committed[kSessions];  // the commit returned SOFTLBR_SPOOL_OK
};

// Session `number`, of 4 to 20 frames besides the first and the last. Made before the children, so that they only
// write.
Chunks MadeSession(uint32_t number) {
  static const std::vector<Chunks> made = [] {
    std::vector<Chunks> sessions;
    for (uint32_t flushes = 4; flushes <= 20; flushes += 4) sessions.push_back(SessionChunks(1, flushes));
    return sessions;
  }();
  return WithId(made[number % made.size()], kFirstId + number);
}

[[noreturn]] void WriteSessions(Log* log, const std::string& folder) {
  if (Open(&log->spool, folder, kSessions) != SOFTLBR_SPOOL_OK) _exit(1);
  for (;;) {
    const uint32_t session = log->next_session++;
    if (session >= kSessions) _exit(2);
    for (const auto& chunk : MadeSession(session)) {
      if (softlbr_spool_sink(&log->spool, chunk.data(), chunk.size()) != 0) _exit(3);
      if (chunk.size() != kFileMagicBytes) ++log->taken[session];
      ++log->steps;
    }
    if (softlbr_spool_commit(&log->spool) != SOFTLBR_SPOOL_OK) _exit(4);
    log->committed[session] = 1;
    ++log->steps;
  }
}

TEST(SpoolProcess, KillAtAnyInstantLosesNothingWhole) {
  SpoolFolder folder;
  void* memory = mmap(nullptr, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Log* log = static_cast<Log*>(memory);
  std::mt19937 random(20260101);
  ASSERT_FALSE(MadeSession(0).empty());
  uint64_t counted = 0;
  uint64_t files = 0;
  uint64_t truncated = 0;
  std::set<uint32_t> inspected;
  const uint32_t kills = SpoolRounds(kKills);
  for (uint32_t kill_number = 1; kill_number <= kills; ++kill_number) {
    memset(static_cast<void*>(&log->spool), 0, sizeof log->spool);
    const uint64_t target = log->steps + random() % 40;
    const uint32_t more = random() % 20000;
    const pid_t child = fork();
    if (child == 0) WriteSessions(log, folder.path());
    // After so many steps, and a little later: somewhere in the next step, or in its opening for a target that is
    // reached already.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (log->steps < target && std::chrono::steady_clock::now() < limit) usleep(20);
    for (uint32_t i = 0; i < more; ++i) asm volatile("");
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit code " << WEXITSTATUS(status);
    const softlbr_spool_counts of_child = CountsOf(log->spool);
    counted += of_child.written + of_child.salvaged;
    EXPECT_EQ(of_child.dropped + of_child.lost + of_child.refused, 0u);
    if (kill_number % kKillsPerInspection != 0) continue;

    softlbr_spool spool;
    ASSERT_EQ(Open(&spool, folder.path(), kSessions), SOFTLBR_SPOOL_OK);
    ASSERT_EQ(softlbr_spool_close(&spool), SOFTLBR_SPOOL_OK);
    counted += CountsOf(spool).salvaged;
    for (const std::string& name : folder.Names()) {
      ASSERT_TRUE(name.ends_with(".slbr")) << name << " is left";
      ExpectReads(folder.path(name));
      const auto session = static_cast<uint32_t>(std::stoull(name.substr(0, 16), nullptr, 16) - kFirstId);
      ASSERT_LT(session, kSessions);
      EXPECT_TRUE(inspected.insert(session).second) << name << " is there twice";
      const bool is_complete = name.find(".truncated.") == std::string::npos;
      EXPECT_TRUE(is_complete || log->committed[session] == 0) << name;
      const Chunks chunks = MadeSession(session);
      uint64_t least = 0;
      for (uint32_t i = 0; i <= log->taken[session]; ++i) least += chunks[i].size();
      EXPECT_GE(std::filesystem::file_size(folder.path(name)), least) << name;
      truncated += is_complete ? 0 : 1;
      ++files;
      std::filesystem::remove(folder.path(name));  // as an upload does
    }
  }
  for (uint32_t session = 0; session < log->next_session; ++session) {
    EXPECT_TRUE(log->taken[session] == 0 || inspected.count(session) != 0) << session;
  }
  // A kill may fall between a file's new name and its count.
  EXPECT_LE(counted, files);
  EXPECT_GE(counted + kills, files);
  EXPECT_GT(truncated, 0u);
  EXPECT_GT(files, truncated);
  munmap(memory, sizeof(Log));
}

TEST(SpoolProcess, TwoRaceForAFewFiles) {
  SpoolFolder folder;
  constexpr uint32_t kMaxFiles = 3;
  const uint32_t rounds = SpoolRounds(60);
  struct Totals {
    softlbr_spool_counts of[2];
  };
  void* memory = mmap(nullptr, sizeof(Totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* totals = static_cast<Totals*>(memory);
  ASSERT_FALSE(MadeSession(0).empty());
  pid_t children[2];
  for (uint32_t i = 0; i < 2; ++i) {
    children[i] = fork();
    if (children[i] != 0) continue;
    softlbr_spool spool;
    if (Open(&spool, folder.path(), kMaxFiles) != SOFTLBR_SPOOL_OK) _exit(1);
    for (uint32_t round = 0; round < rounds; ++round) {
      Feed(&spool, MadeSession(2 * round + i));
      const int result = softlbr_spool_commit(&spool);
      if (result != SOFTLBR_SPOOL_OK) _exit(2);
    }
    totals->of[i].struct_size = sizeof totals->of[i];
    (void)softlbr_spool_counters(&spool, &totals->of[i]);
    _exit(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK ? 0 : 3);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(folder.Names().size(), kMaxFiles);
  for (const std::string& name : folder.Names()) ExpectReads(folder.path(name));
  EXPECT_EQ(totals->of[0].written + totals->of[1].written, 2 * rounds);
  EXPECT_EQ(totals->of[0].dropped + totals->of[1].dropped, 2 * rounds - kMaxFiles);
  EXPECT_EQ(totals->of[0].salvaged + totals->of[1].salvaged, 0u);
  munmap(memory, sizeof(Totals));
}

}  // namespace
}  // namespace softlbr::test
