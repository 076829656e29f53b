// Sessions in a region given by the app: with any content, reused, misaligned, too small.
#include <sys/mman.h>

#include <algorithm>
#include <thread>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

class SessionRegion : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    bytes_ = softlbr_region_bytes(&options_);
    ASSERT_GT(bytes_, 0u);
    memory_ =
        mmap(nullptr, bytes_ + SOFTLBR_REGION_ALIGNMENT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory_, MAP_FAILED);
    options_.region = memory_;
    options_.region_bytes = bytes_;
  }
  void TearDown() override {
    SessionTest::TearDown();
    munmap(memory_, bytes_ + SOFTLBR_REGION_ALIGNMENT);
  }
  // Runs a session that records this thread and one born later, and expects the profile of a session in mapped memory.
  void ExpectWholeSession() {
    sink_.bytes.clear();
    START_OR_SKIP();
    WorkForCpu(milliseconds(50));
    // A busy machine may keep the control thread from a CPU for longer than any fixed work of the new thread lasts.
    std::thread later([] {
      softlbr_counters counters{};
      counters.struct_size = sizeof(counters);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      do {
        WorkForCpu(milliseconds(100));
        ASSERT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
      } while (counters.threads_traced < 2 && std::chrono::steady_clock::now() < end);
    });
    later.join();
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
    const Profile profile = Read();
    EXPECT_FALSE(profile.is_truncated);
    EXPECT_GT(profile.counters.samples, 100u);
    EXPECT_EQ(profile.counters.threads_traced, 2u);
    EXPECT_EQ(profile.counters.threads_untraced, 0u);
    EXPECT_EQ(profile.counters.verify_mismatches, 0u);
    EXPECT_LT(profile.counters.duration_ns, 60000000000u);
    EXPECT_EQ(SumOfBranches(profile), profile.counters.taken_branches);
    EXPECT_GT(profile.counters.taken_branches, 10 * profile.counters.samples);
    for (uint32_t i = 0; i < kLossReasonCount; ++i) EXPECT_LT(profile.counters.lost[i], 1000u) << "reason " << i;
  }

  size_t bytes_ = 0;
  void* memory_ = nullptr;
};

TEST_F(SessionRegion, MayHaveAnyContent) {
  options_.verify_every = 3;
  for (const int content : {0xff, 0x5a, 0x01}) {
    std::memset(memory_, content, bytes_);
    ExpectWholeSession();
  }
}

TEST_F(SessionRegion, MayBeReused) {
  for (int i = 0; i < 3; ++i) ExpectWholeSession();
}

TEST_F(SessionRegion, IsRefusedIfTooSmall) {
  options_.region_bytes = bytes_ - 1;
  EXPECT_EQ(softlbr_start(&options_), SOFTLBR_NOT_ENOUGH_MEMORY);
  options_.region_bytes = bytes_;
  ExpectWholeSession();
}

TEST_F(SessionRegion, IsRefusedUntouchedIfMisaligned) {
  std::memset(memory_, 0x5a, bytes_ + SOFTLBR_REGION_ALIGNMENT);
  for (const size_t offset : {size_t{1}, size_t{8}, size_t{64}, size_t{SOFTLBR_REGION_ALIGNMENT / 2}}) {
    options_.region = static_cast<uint8_t*>(memory_) + offset;
    const int status = softlbr_start(&options_);
    if (status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
    EXPECT_EQ(status, SOFTLBR_MISALIGNED_REGION) << offset;
  }
  const auto* bytes = static_cast<const uint8_t*>(memory_);
  EXPECT_EQ(std::count(bytes, bytes + bytes_, 0x5a), static_cast<long>(bytes_));
  options_.region = static_cast<uint8_t*>(memory_) + SOFTLBR_REGION_ALIGNMENT;
  ExpectWholeSession();
}

}  // namespace
}  // namespace softlbr
