// `softlbr db ingest` is killed at points spread over all its changes of files: what is left opens and has whole
// profiles and binaries only, and the same command completes it. The points are numbers of calls, so the load of the
// machine changes nothing.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/toolchain/db/ingest_fixture.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kProfiles = 6;
constexpr uint64_t kPrograms = 2;
constexpr uint64_t kKills = 12;
// Counts of profile i are those of the tiny one times this to the power of i, so that a sum says which profiles it is
// of.
constexpr uint64_t kScale = 4;

class DbInterrupted : public testing::DbIngest {
 protected:
  void SetUp() override {
    DbIngest::SetUp();
    if (IsSkipped()) return;
    if (SOFTLBR_SANITIZED) GTEST_SKIP() << "missing: a command without sanitizer, which can be preloaded into";
    std::filesystem::create_directory(folder_ / "uploads");
    uint64_t scale = 1;
    for (uint64_t i = 0; i < kProfiles; ++i, scale *= kScale) {
      Profile profile = TinyProfile(i + 1);
      profile.modules[0].name = folder_ / "tiny" + std::to_string(i % kPrograms);
      std::filesystem::copy_file(program_, profile.modules[0].name, std::filesystem::copy_options::skip_existing);
      for (RangeCount& range : profile.ranges) range.count *= scale;
      for (BranchCount& branch : profile.branches) branch.count *= scale;
      WriteProfile(profile, "uploads/" + std::to_string(i) + ".slbr");
    }
  }

  testing::CommandResult IngestUntil(const std::string& kill_at) {
    return testing::RunSoftlbr(
        {"db", "ingest", database_, folder_ / "uploads"},
        {std::string("LD_PRELOAD=") + SOFTLBR_KILL_AT_WRITE, "KILL_AT=" + kill_at, "KILL_COUNT=" + (folder_ / "calls"),
         std::string("SOFTLBR_DUCKDB=") + std::getenv("SOFTLBR_DUCKDB")});
  }

  // Everything that does not depend on the order of work.
  std::string Content() {
    return Ask("SELECT name, sha256, taken_branches FROM upload ORDER BY name") +
           Ask("SELECT * FROM session ORDER BY ALL") +
           Ask("SELECT module, address, mnemonic, count, samples, block, loop, depth, prior_address, next_address FROM "
               "asm"
               " ORDER BY ALL") +
           Ask("SELECT m.name, first, last, sum(count) FROM range_count r JOIN module m ON m.id = r.module GROUP BY "
               "ALL ORDER BY "
               "ALL") +
           Ask("SELECT m.name, e.* EXCLUDE (from_module, to_module) FROM edge e JOIN module m ON m.id = e.from_module "
               "ORDER BY "
               "ALL") +
           Ask("SELECT m.name, start, instructions, count FROM block b JOIN module m ON m.id = b.module ORDER BY ALL") +
           Ask("SELECT name, is_pending FROM module ORDER BY ALL");
  }

  // What was committed before the kill.
  void CheckWhole() {
    EXPECT_EQ(Ask("SELECT coalesce(sum(taken_branches), 0) FROM upload"),
              Ask("SELECT coalesce(sum(count), 0) FROM branch_count"));
    uint64_t executed = 0;  // 10 + 20 + 10 windows in the tiny profile
    uint64_t scale = 1;
    for (uint64_t i = 0; i < kProfiles; ++i, scale *= kScale) {
      const std::string known = Ask("SELECT count(*) FROM upload WHERE name LIKE '%/" + std::to_string(i) + ".slbr'");
      if (known == "1\r\n") executed += 40 * scale;
      EXPECT_EQ(known, Ask("SELECT count(*) FROM session WHERE id = " + std::to_string(i + 1)));
    }
    EXPECT_EQ(Ask("SELECT coalesce(sum(count), 0) FROM range_count"), std::to_string(executed) + "\r\n");
    // A binary has all of its instructions, with all counts, or waits to be recovered. The loop's head is in 30 of 40
    // windows.
    EXPECT_EQ(Ask("SELECT count(*) FROM module m WHERE NOT is_pending AND ((SELECT count(*) FROM instruction i WHERE "
                  "i.module = "
                  "m.id) <> 6"
                  " OR (SELECT min(count) * 2 FROM instruction i WHERE i.module = m.id)"
                  " <> (SELECT sum(count) FROM range_count r WHERE r.module = m.id))"),
              "0\r\n");
    EXPECT_EQ(Ask("SELECT count(*) FROM instruction i WHERE NOT EXISTS (FROM opcode o WHERE o.id = i.opcode)"
                  " OR NOT EXISTS (FROM block b WHERE b.id = i.block)"),
              "0\r\n");
  }
};

TEST_F(DbInterrupted, KilledAnywhereItGoesOnWhereItEnded) {
  ASSERT_EQ(IngestUntil("0").exit_code, 0);
  const uint64_t calls = std::stoull(testing::ReadFile(folder_ / "calls"));
  ASSERT_GT(calls, 2 * kKills) << "the engine's writes are seen";
  const std::string undisturbed = Content();
  uint64_t killed = 0;
  uint64_t begun = 0;
  for (uint64_t i = 0; i < kKills; ++i) {
    database_ = folder_ / (std::to_string(i) + ".db");
    const uint64_t at = 1 + i * (calls - 1) / kKills;
    SCOPED_TRACE("killed at change " + std::to_string(at) + " of " + std::to_string(calls));
    const testing::CommandResult result = IngestUntil(std::to_string(at));
    if (result.signal_number == SIGKILL) ++killed;
    if (std::filesystem::exists(database_)) {
      if (Ask("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'upload'") == "1\r\n") {
        CheckWhole();
        if (Ask("SELECT count(*) FROM upload") != "0\r\n") ++begun;
      }
    }
    ASSERT_EQ(Run("ingest", {folder_ / "uploads"}), 0);
    EXPECT_EQ(Content(), undisturbed);
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      EXPECT_EQ(file.path().string().find(".db.new-"), std::string::npos) << file.path();
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(killed, kKills - 1) << "the number of changes hardly varies";
  EXPECT_GE(begun, 2u) << "some were killed between profiles and binaries";
}

TEST_F(DbInterrupted, RemovesWhatAKilledProcessLeft) {
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  ASSERT_EQ(waitpid(ended, nullptr, 0), ended);
  const std::string of_ended = database_ + ".new-" + std::to_string(ended);
  const std::string of_running = database_ + ".new-" + std::to_string(getppid());
  const std::string other = database_ + ".new-" + std::to_string(ended) + ".notes";
  for (const std::string& file : {of_ended, of_ended + ".wal", of_running + ".wal", other})
    testing::WriteFile(file, "x");
  ASSERT_EQ(Run("ingest", {folder_ / "uploads"}), 0);
  EXPECT_FALSE(std::filesystem::exists(of_ended));
  EXPECT_FALSE(std::filesystem::exists(of_ended + ".wal"));
  EXPECT_TRUE(std::filesystem::exists(of_running + ".wal")) << "its process may be making it";
  EXPECT_TRUE(std::filesystem::exists(other)) << "another's file";
}

}  // namespace
}  // namespace softlbr::toolchain
