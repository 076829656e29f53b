// What a device remembers: nonces, with the clocks given; and the file, through kills and damage.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "runtime/trigger/control_state_file.h"
#include "tests/runtime/trigger/triggered_process.h"

namespace softlbr {
namespace {

using testing::PrivateFolder;

constexpr uint64_t kNowS = 1790000000;
constexpr uint64_t kOneDayS = 24 * 3600;
constexpr DeviceClock kClock = {kNowS, 1000, 1};

DeviceState EmptyState() {
  DeviceState state;
  MakeEmptyState(&state, kClock);
  return state;
}

Refusal Remember(DeviceState* state, uint64_t number, uint64_t expiry_s, uint64_t time_s = kNowS) {
  uint8_t nonce[kNonceBytes] = {};
  std::memcpy(nonce, &number, sizeof number);
  return RememberNonce(state, nonce, expiry_s, time_s);
}

TEST(ControlNonces, EachIsTakenOnce) {
  DeviceState state = EmptyState();
  EXPECT_EQ(Remember(&state, 1, kNowS + 100), Refusal::kNone);
  EXPECT_EQ(Remember(&state, 1, kNowS + 100), Refusal::kReplayed);
  EXPECT_EQ(Remember(&state, 1, kNowS + 200), Refusal::kReplayed) << "whatever else the request says";
  EXPECT_EQ(Remember(&state, 2, kNowS + 100), Refusal::kNone);
}

TEST(ControlNonces, FullTableRefusesUntilOneExpires) {
  DeviceState state = EmptyState();
  for (uint64_t i = 0; i < kMostNonces; ++i) ASSERT_EQ(Remember(&state, i, kNowS + 100 + i), Refusal::kNone);
  const DeviceState full = state;
  EXPECT_EQ(Remember(&state, 1000, kNowS + 500), Refusal::kTooManyRequests);
  EXPECT_EQ(std::memcmp(&full, &state, sizeof full), 0);
  EXPECT_EQ(Remember(&state, 1000, kNowS + 500, kNowS + 100), Refusal::kNone) << "the first has expired";
  EXPECT_EQ(Remember(&state, 1001, kNowS + 500, kNowS + 100), Refusal::kTooManyRequests);
  EXPECT_EQ(Remember(&state, 0, kNowS + 100, kNowS - kOneDayS), Refusal::kReplayed)
      << "forgotten, but nothing as old is taken";
}

TEST(ControlNonces, ClockSetBackRevivesNoRequest) {
  DeviceState state = EmptyState();
  ASSERT_EQ(AdvanceState(&state, kClock), kNowS);
  DeviceClock back = kClock;
  back.unix_s -= kOneDayS;
  EXPECT_EQ(AdvanceState(&state, back), kNowS) << "what expired stays expired";
  back.unix_s -= 1;
  EXPECT_EQ(AdvanceState(&state, back), back.unix_s) << "a clock that was wrong by more is believed now";
}

TEST(ControlNonces, TimeOfARefusalIsStoredSeldom) {
  const DeviceState stored = EmptyState();
  const auto must_store = [&stored](uint64_t now_s, uint64_t expiry_s) {
    DeviceState advanced = stored;
    (void)AdvanceState(&advanced, {now_s, 1000, 1});
    return MustStoreTime(stored, advanced, expiry_s);
  };
  EXPECT_TRUE(must_store(kNowS + 10, kNowS + 5)) << "expired since";
  EXPECT_TRUE(must_store(kNowS + 10, kNowS + 10));
  EXPECT_FALSE(must_store(kNowS + 10, kNowS)) << "expired at the stored time already";
  EXPECT_FALSE(must_store(kNowS - 120, kNowS - 60)) << "the clock was set back; it stays expired";
  EXPECT_FALSE(must_store(kNowS + kLatestStepS - 1, 0));
  EXPECT_TRUE(must_store(kNowS + kLatestStepS, 0));
  EXPECT_TRUE(must_store(kNowS - kOneDayS - 1, kNowS - kOneDayS - 60))
      << "the clock is believed, so it is the latest time now";
}

std::vector<char> BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteBytes(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class ControlStateFile : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(SetStatePlace(path_.c_str(), &place_)); }
  // The result of an edit that remembers one nonce.
  long Add(uint64_t number) {
    StateEdit edit(place_, nullptr);
    const long result = edit.Open(kClock);
    if (result != 0) return result;
    EXPECT_EQ(Remember(edit.state(), number, kNowS + 100), Refusal::kNone);
    return edit.Keep();
  }
  PrivateFolder folder_;
  std::string path_ = folder_.path() + "/state";
  StatePlace place_;
};

TEST_F(ControlStateFile, RemembersAndIsPrivate) {
  EXPECT_EQ(Add(1), 0);
  StateEdit edit(place_, nullptr);
  ASSERT_EQ(edit.Open(kClock), 0);
  EXPECT_FALSE(edit.was_damaged());
  EXPECT_EQ(Remember(edit.state(), 1, kNowS + 100), Refusal::kReplayed);
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(info.st_size, static_cast<off_t>(sizeof(DeviceState)));
}

TEST_F(ControlStateFile, EditThatIsNotKeptChangesNothing) {
  ASSERT_EQ(Add(1), 0);
  const std::vector<char> before = BytesOf(path_);
  {
    StateEdit edit(place_, nullptr);
    ASSERT_EQ(edit.Open(kClock), 0);
    EXPECT_EQ(Remember(edit.state(), 2, kNowS + 100), Refusal::kNone);
  }
  EXPECT_EQ(BytesOf(path_), before);
}

TEST_F(ControlStateFile, EachDamageIsNoticedAndPermitsNothing) {
  ASSERT_EQ(Add(1), 0);
  const std::vector<char> whole = BytesOf(path_);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    std::vector<char> bytes = whole;
    if (i % 3 == 0) bytes.resize(random() % whole.size());
    if (i % 3 == 1) bytes[random() % whole.size()] ^= static_cast<char>(1 << random() % 8);
    if (i % 3 == 2) bytes.push_back('\0');
    WriteBytes(path_, bytes);
    StateEdit edit(place_, nullptr);
    ASSERT_EQ(edit.Open(kClock), 0) << i;
    ASSERT_TRUE(edit.was_damaged()) << i;
    uint64_t left_ms;
    EXPECT_EQ(SpendBudget(&edit.state()->ledger, {1000, 0, 0}, 1, &left_ms), Refusal::kHourSpent);
    EXPECT_EQ(Remember(edit.state(), 1, kNowS + kLongestValidityS), Refusal::kReplayed);
  }
  StateEdit edit(place_, nullptr);
  ASSERT_EQ(edit.Open(kClock), 0);
  EXPECT_FALSE(edit.was_damaged()) << "a lost state was kept, so that its time passes";
}

TEST_F(ControlStateFile, LinksAndFoldersThatOthersWriteToAreRefused) {
  ASSERT_EQ(symlink("/dev/null", path_.c_str()), 0);
  EXPECT_LT(Add(1), 0);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_LT(Add(1), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0700), 0);
  EXPECT_EQ(Add(1), 0);
}

TEST_F(ControlStateFile, PathsThatCannotBeAreRefused) {
  StatePlace place;
  EXPECT_FALSE(SetStatePlace("relative", &place));
  EXPECT_FALSE(SetStatePlace("/folder/", &place));
  EXPECT_FALSE(SetStatePlace(("/" + std::string(300, 'x')).c_str(), &place));
  EXPECT_FALSE(SetStatePlace(("/" + std::string(2000, 'x') + "/y").c_str(), &place));
  EXPECT_TRUE(SetStatePlace("/name", &place));
  EXPECT_STREQ(place.folder, "/");
  EXPECT_STREQ(place.name, "name");
  EXPECT_TRUE(SetStatePlace(nullptr, &place));
}

// Children spend a second each time until they are killed. What one was told is spent must be in the file, which is
// always whole.
TEST_F(ControlStateFile, KillAtAnyInstantLosesNothingSpent) {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* spent = new (memory) std::atomic<uint64_t>(0);
  std::mt19937 random(3);
  constexpr int kKills = 60;
  for (int i = 0; i < kKills; ++i) {
    const uint64_t before = spent->load();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) {
        StateEdit edit(place_, nullptr);
        if (edit.Open(kClock) != 0 || edit.was_damaged()) _exit(1);
        uint64_t left_ms;
        if (SpendBudget(&edit.state()->ledger, {0, 0, 0}, 1000, &left_ms) != Refusal::kNone || edit.Keep() != 0)
          _exit(2);
        ++*spent;
      }
    }
    siginfo_t ended = {};  // WNOWAIT: it is reaped below
    while (spent->load() == before && ended.si_pid == 0) {
      usleep(50);
      waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    usleep(random() % 2000);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << i << ": exit " << WEXITSTATUS(status);
    StateEdit edit(place_, nullptr);
    ASSERT_EQ(edit.Open(kClock), 0) << "nobody holds the lock any more";
    ASSERT_FALSE(edit.was_damaged()) << i;
    uint64_t sum_ms = 0;
    for (const uint32_t ms : edit.state()->ledger.week_ms) sum_ms += ms;
    ASSERT_GE(sum_ms, spent->load() * 1000) << i;
    ASSERT_LE(sum_ms, (spent->load() + static_cast<uint64_t>(i) + 1) * 1000) << i << ": each kill hides one at most";
  }
  EXPECT_GE(spent->load(), static_cast<uint64_t>(kKills) / 2);
  munmap(memory, 4096);
}

}  // namespace
}  // namespace softlbr
