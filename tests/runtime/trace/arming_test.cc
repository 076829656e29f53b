// Skip counts and stepping over: a path in a loop executes the pc at which it stops several times before.
#include "runtime/trace/arming.h"

#include <gtest/gtest.h>

#include "platform/base/config.h"
#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

constexpr uint32_t kNop = 0xd503201f;
constexpr uint32_t kCall = 0xd4000001;  // svc #0: x0 is UNKNOWN after it

// x0 iterations, then a system call; the path stops where the call returns:
//    0: cbnz x0, 8     4: svc #0     8: sub x0, x0, #1     c: b 0
const std::vector<uint32_t> kRoundsThenCall = {0xb5000040, kCall, 0xd1000400, 0x17fffffd};
constexpr uint64_t kStop = 8;

class Arming : public TracerTest {
 protected:
  void SetUp() override {
    TracerTest::SetUp();
    environment_->branches_per_trace = 4 * kMaxSkips;
    environment_->entries_per_trace = 4 * kMaxSkips + 1;
    Place(kRoundsThenCall);
  }
  void SampleWithX0(uint64_t offset, uint64_t x0) {
    SetX(0, x0);
    Sample(offset);
  }
  void HitWithX0(uint64_t x0) {
    SetX(0, x0);
    Hit();
  }
  void MakeCriticalSection(uint64_t begin, uint64_t end) {
    map_->critical_section_count = 1;
    map_->critical_sections[0] = AddressRange{At(begin), At(end)};
  }
};

TEST_F(Arming, FirstArrivalSkipsNoHit) {
  SampleWithX0(0, 0);
  EXPECT_EQ(fake::Platform().armed_pc, At(kStop));
  EXPECT_EQ(slot_->skip_count, 0u);
}

TEST_F(Arming, SkipsOneHitPerIteration) {
  SampleWithX0(0, 3);
  EXPECT_EQ(fake::Platform().armed_pc, At(kStop));
  EXPECT_EQ(slot_->skip_count, 3u);
  slot_->branch_limit = 7;
  for (uint64_t x0 = 3; x0 != 0; --x0) {
    HitWithX0(x0);
    EXPECT_EQ(slot_->skip_count, x0 - 1);
    EXPECT_EQ(fake::Platform().armed_pc, At(kStop)) << "armed until the hit that counts";
    EXPECT_TRUE(Committed().empty());
  }
  HitWithX0(7);  // the result of the call; after one more branch the trace is full
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kNone);
  EXPECT_EQ(Committed()[0].branches, (Branches{{0, 8}, {12, 0}, {0, 8}, {12, 0}, {0, 8}, {12, 0}, {12, 0}}));
}

TEST_F(Arming, SkipCountStartsAtTheLastHit) {
  SampleWithX0(0, 2);
  ASSERT_EQ(slot_->skip_count, 2u);
  HitWithX0(2);
  HitWithX0(1);
  HitWithX0(4);  // three more iterations, then the same stop
  EXPECT_EQ(slot_->armed_pc, At(kStop));
  EXPECT_EQ(slot_->skip_count, 3u);
  EXPECT_TRUE(slot_->is_trace_open);
}

TEST_F(Arming, StepsOverExecutionAtCurrentPc) {
  SampleWithX0(kStop, 3);  // the thread is about to execute kStop, and two iterations execute it again
  EXPECT_EQ(slot_->armed_pc, At(kStop));
  EXPECT_EQ(slot_->skip_count, 2u) << "the first execution does not hit";
  EXPECT_EQ(fake::Platform().armed_pc, SOFTLBR_CPU_HAS_RESUME_FLAG != 0 ? At(kStop) : At(kStop + 4));
  EXPECT_TRUE(slot_->is_trace_open);
}

TEST_F(Arming, TraceEndsIfThreadCannotStepOver) {
  fake::Platform().can_pass_breakpoint_once = false;  // for CPUs with a resume flag
  MakeCriticalSection(kStop + 4, kStop + 8);          // for others: no breakpoint may be armed at the next instruction
  SampleWithX0(kStop, 1);
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kForbiddenPc);
  EXPECT_EQ(Committed()[0].branches, (Branches{{12, 0}}));
  EXPECT_EQ(fake::Platform().armed_pc, 0u);
}

TEST_F(Arming, SkipCountIsBounded) {
  SampleWithX0(0, kMaxSkips);
  EXPECT_EQ(slot_->skip_count, uint32_t{kMaxSkips});
  EXPECT_EQ(fake::Platform().armed_pc, At(kStop));
  AbandonTrace(environment_.get(), slot_.get(), AbortReason::kTooOld, true);
  fake::Platform().ever_armed.clear();
  SampleWithX0(0, kMaxSkips + 1);
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ASSERT_EQ(Committed().size(), 2u);
  EXPECT_EQ(Committed()[1].reason, AbortReason::kRunaway);
}

TEST_F(Arming, SectionExitSkipsOneHitPerIteration) {
  MakeCriticalSection(kStop, kStop + 4);
  SampleWithX0(0, 2);
  EXPECT_EQ(fake::Platform().armed_pc, At(kStop + 4));
  EXPECT_EQ(slot_->skip_count, 2u);
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kCriticalSection);
  EXPECT_EQ(Committed()[0].branches, (Branches{{0, 8}, {12, 0}, {0, 8}, {12, 0}}));
  EXPECT_TRUE(slot_->is_trace_open);
  EXPECT_EQ(slot_->branch_limit, 4 * kMaxSkips - 4) << "the remaining length of the trace";
}

//    0: nop     4: nop     8: svc #0     c: b 4      [8, 10) is a critical section; the only exit is the jump
TEST_F(Arming, SectionExitPassedInTheLastRangeIsSkipped) {
  Place({kNop, kNop, kCall, 0x17fffffe});
  MakeCriticalSection(8, 16);
  Sample(0);
  EXPECT_EQ(fake::Platform().armed_pc, At(4));
  EXPECT_EQ(slot_->skip_count, 1u) << "on the way into the section";
}

TEST_F(Arming, StepsOverSectionExitAtCurrentPc) {
  Place({kNop, kNop, kCall, 0x17fffffe});
  MakeCriticalSection(8, 16);
  fake::Platform().can_pass_breakpoint_once = true;
  Sample(4);
  EXPECT_EQ(slot_->armed_pc, At(4));
  EXPECT_EQ(slot_->skip_count, 0u);
}

}  // namespace
}  // namespace softlbr
