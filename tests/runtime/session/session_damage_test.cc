// The app overwrites a session's memory while it records: the process goes on, the session ends, and nothing damaged is
// written as counts.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "runtime/session/session_memory.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

constexpr int kPattern = 0x55;
constexpr int kSkipped = 77;

class SessionDamage : public SessionTest {
 protected:
  // What the child found, in memory shared with the parent.
  struct Outcome {
    int stop;
    bool is_readable;
    uint64_t branches;
    uint64_t damaged;
    uint64_t counters;  // samples and branches
  };

  void SetUp() override {
    SessionTest::SetUp();
    outcome_ = static_cast<Outcome*>(
        mmap(nullptr, sizeof *outcome_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(outcome_, MAP_FAILED);
    options_.max_threads = 4;
  }
  void TearDown() override { munmap(outcome_, sizeof *outcome_); }

  // Records in a child, with `damage` done to the session's region in the middle.
  void Live(const std::function<void(uint8_t* region, uint64_t bytes)>& damage) {
    const pid_t child = fork();
    if (child == 0) _exit(LiveInChild(damage));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "needs perf_event_open";
    ASSERT_EQ(WEXITSTATUS(status), 0);
  }

  Outcome* outcome_ = nullptr;

 private:
  int LiveInChild(const std::function<void(uint8_t*, uint64_t)>& damage) {
    alarm(60);
    const uint64_t bytes = softlbr_region_bytes(&options_);
    void* region = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) return 1;
    options_.region = region;
    options_.region_bytes = bytes;
    const int started = Start();
    if (started == SOFTLBR_PERMISSION_DENIED) return kSkipped;
    if (started != SOFTLBR_OK) return 2;
    // Until some buffers have been drained: tables without counts have nothing to damage.
    auto* aggregator = &static_cast<Session*>(region)->output.aggregator;
    while (aggregator->TakeRows().tables[0].count == 0) WorkFor(milliseconds(20));
    damage(static_cast<uint8_t*>(region), bytes);
    WorkFor(milliseconds(700));
    outcome_->stop = softlbr_stop();
    WorkFor(milliseconds(20));
    const auto read = toolchain::ReadProfile({sink_.bytes.data(), sink_.bytes.size()}, "damaged");
    const auto* profile = std::get_if<Profile>(&read);
    outcome_->is_readable = profile != nullptr;
    if (profile == nullptr) return 0;
    outcome_->branches = SumOfBranches(*profile);
    outcome_->damaged = profile->counters.lost[static_cast<uint32_t>(LossReason::kMemoryDamaged)];
    outcome_->counters = profile->counters.samples + profile->counters.taken_branches;
    return 0;
  }
};

constexpr uint64_t kMostPlausible = uint64_t{1} << 40;

TEST_F(SessionDamage, OfItsTablesEndsItAndWritesNoCount) {
  Live([](uint8_t* region, uint64_t bytes) {
    const uint64_t tables = Aggregator::WorkspaceBytes(AggregatorSizes{});
    std::memset(region + bytes - tables, kPattern, tables);
  });
  if (IsSkipped() || HasFailure()) return;
  EXPECT_EQ(outcome_->stop, SOFTLBR_OK);
  ASSERT_TRUE(outcome_->is_readable);
  EXPECT_EQ(outcome_->damaged, 1u);
  EXPECT_LT(outcome_->branches, kMostPlausible);
  EXPECT_LT(outcome_->counters, kMostPlausible);
}

TEST_F(SessionDamage, OfAThreadsCountersEndsItAndWritesNoCount) {
  Live([](uint8_t* region, uint64_t) {
    auto* slot = reinterpret_cast<ThreadSlot*>(region + sizeof(SessionMemory));
    slot->counters.taken_branches += uint64_t{5} << 60;
  });
  if (IsSkipped() || HasFailure()) return;
  EXPECT_EQ(outcome_->stop, SOFTLBR_OK);
  ASSERT_TRUE(outcome_->is_readable);
  EXPECT_EQ(outcome_->damaged, 1u);
  EXPECT_LT(outcome_->branches, kMostPlausible);
  EXPECT_LT(outcome_->counters, kMostPlausible);
}

TEST_F(SessionDamage, OfItsStateIsNoticedAndKillsNothing) {
  Live([](uint8_t* region, uint64_t) { std::memset(region, kPattern, sizeof(Session)); });
  if (IsSkipped() || HasFailure()) return;
  EXPECT_EQ(outcome_->stop, SOFTLBR_SINK_FAILED);
}

}  // namespace
}  // namespace softlbr
