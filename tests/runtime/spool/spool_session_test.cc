// Real sessions into a spool, through the archives that an app links.
#include <sys/wait.h>

#include <filesystem>

#include "runtime/include/softlbr/spool.h"
#include "tests/platform/process_end_wait.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

class SpoolSession : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    std::string text = std::filesystem::temp_directory_path().string() + "/softlbr-spool.XXXXXX";
    ASSERT_NE(mkdtemp(text.data()), nullptr);
    folder_ = text;
    OpenSpool();
  }
  void TearDown() override {
    SessionTest::TearDown();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  void OpenSpool() {
    softlbr_spool_options where{};
    where.struct_size = sizeof where;
    where.folder = folder_.c_str();
    ASSERT_EQ(softlbr_spool_open(&spool_, &where), SOFTLBR_SPOOL_OK);
  }
  // The only finished file, with its reading; fails unless there is one.
  Profile ReadFile(std::string* name) {
    Profile profile;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename() == ".lock") continue;
      ++files;
      *name = entry.path().filename();
      auto read = toolchain::ReadProfileFile(entry.path());
      if (auto* error = std::get_if<toolchain::ReadError>(&read)) {
        ADD_FAILURE() << error->message;
      } else {
        profile = std::get<Profile>(read);
      }
    }
    EXPECT_EQ(files, 1);
    return profile;
  }
  std::string folder_;
  softlbr_spool spool_;
};

TEST_F(SpoolSession, BecomesOneFileThatReadsWhole) {
  options_.sink = softlbr_spool_sink;
  options_.sink_cookie = &spool_;
  START_OR_SKIP();
  WorkForCpu(std::chrono::milliseconds(200));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  ASSERT_EQ(softlbr_spool_close(&spool_), SOFTLBR_SPOOL_OK);
  std::string name;
  const Profile profile = ReadFile(&name);
  ASSERT_EQ(profile.sessions.size(), 1u);
  char id[32];
  std::snprintf(id, sizeof id, "%016llx.slbr", static_cast<unsigned long long>(profile.sessions[0].session_id));
  EXPECT_EQ(name, id);
  EXPECT_FALSE(profile.is_truncated);
  EXPECT_EQ(profile.damaged_frames + profile.missing_frames, 0u);
  EXPECT_GT(profile.counters.samples, 100u);
  softlbr_spool_counts counts{};
  counts.struct_size = sizeof counts;
  ASSERT_EQ(softlbr_spool_counters(&spool_, &counts), SOFTLBR_SPOOL_OK);
  EXPECT_EQ(counts.written, 1u);
  EXPECT_EQ(counts.lost, 0u);
}

// The runtime writes the end after the process has ended, and the next open finishes the file.
TEST_F(SpoolSession, DescriptorKeepsTheEndOfAProcessThatDoesNotStop) {
  ASSERT_EQ(softlbr_spool_close(&spool_), SOFTLBR_SPOOL_OK);
  const pid_t child = fork();
  if (child == 0) {
    OpenSpool();
    options_.sink = nullptr;
    if (softlbr_spool_descriptor(&spool_, &options_.sink_fd) != SOFTLBR_SPOOL_OK) _exit(1);
    const int started = Start();
    if (started != SOFTLBR_OK) _exit(started == SOFTLBR_PERMISSION_DENIED ? 77 : 2);
    WorkForCpu(std::chrono::milliseconds(200));
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs perf_event_open";
  ASSERT_EQ(WEXITSTATUS(status), 0);
  // Until the helper is done it owns the file.
  softlbr_spool_counts counts{};
  counts.struct_size = sizeof counts;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (counts.salvaged == 0 && std::chrono::steady_clock::now() < limit) {
    OpenSpool();
    ASSERT_EQ(softlbr_spool_counters(&spool_, &counts), SOFTLBR_SPOOL_OK);
    ASSERT_EQ(softlbr_spool_close(&spool_), SOFTLBR_SPOOL_OK);
    usleep(10000);
  }
  std::string name;
  const Profile profile = ReadFile(&name);
  EXPECT_EQ(profile.damaged_frames, 0u);
  EXPECT_GT(profile.counters.samples, 0u);
  EXPECT_EQ(name.find(".truncated.") != std::string::npos, profile.is_truncated);
}

}  // namespace
}  // namespace softlbr
