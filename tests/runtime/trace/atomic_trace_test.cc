// The tracer on A64 code with an atomic operation: what it loads is predicted while one thread runs alone, or until a
// prediction proves wrong.
#include <gtest/gtest.h>

#include <vector>

#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

//    0: ldadd x2, x3, [x1]   4: cbz x3, c   8: b 8   c: b c
const std::vector<uint32_t> kBranchOnOldValue = {0xf8220023, 0xb4000043, kBranchToItself, kBranchToItself};
constexpr int32_t kOtherThread = 99;

class AtomicTrace : public TracerTest {
 protected:
  void SetUp() override {
    TracerTest::SetUp();
    Place(kBranchOnOldValue);
    SetX(2, 7);
    data_[0] = 0;
    slot_->tid = 1;
    environment_->sampled_tid = 1;
    environment_->branches_per_trace = 1;
  }
};

TEST_F(AtomicTrace, IsEvaluatedWhileOneThreadRunsAlone) {
  environment_->distrust = 100;
  Sample(0);
  data_[0] = 1;
  environment_->branches_per_trace = 2;
  Sample(0);
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ASSERT_EQ(Committed().size(), 2u);
  EXPECT_EQ(Committed()[0].branches, (Branches{{4, 0xc}}));
  EXPECT_EQ(Committed()[1].branches, (Branches{{8, 8}, {8, 8}}));
  EXPECT_EQ(data_[0], 1u) << "the program's memory is not written";
}

TEST_F(AtomicTrace, IsEvaluatedWhileSeveralThreadsRunAndPredictionsAreTrue) {
  environment_->sampled_tid = kOtherThread;
  Sample(0);
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  EXPECT_NE(environment_->thread_changes, 0u);
  EXPECT_EQ(environment_->sampled_tid, 1);
}

TEST_F(AtomicTrace, IsUnknownWhileSeveralThreadsRunAfterAWrongPrediction) {
  environment_->sampled_tid = kOtherThread;
  environment_->distrust = 100;
  Sample(0);
  EXPECT_EQ(fake::Platform().armed_pc, At(4));
  EXPECT_EQ(environment_->distrust, 99u);
}

TEST_F(AtomicTrace, WrongPredictionIsNoticedByVerification) {
  uint32_t verified = 0;
  for (uint32_t i = 0; i < 16; ++i) {
    environment_->sampled_tid = kOtherThread;
    Sample(0);
    if (fake::Platform().armed_pc == 0) continue;
    ++verified;
    EXPECT_EQ(environment_->distrust, 0u);
    SetX(3, 1);  // another thread wrote in between; the path is the predicted one by chance
    Hit();
    EXPECT_GT(environment_->distrust, 100u);
    environment_->distrust = 0;
  }
  EXPECT_EQ(verified, 2u);
  EXPECT_EQ(CounterValue(slot_->counters.verify_mismatches), 2u);
}

TEST_F(AtomicTrace, IsUnknownWhereNoBreakpointCanVerify) {
  environment_->sampled_tid = kOtherThread;
  slot_->breakpoint.fd = -1;
  Sample(0);
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_NE(Committed()[0].reason, AbortReason::kNone);
}

TEST_F(AtomicTrace, ThreadThatRunsSeldomCountsAsNone) {
  slot_->breakpoint.fd = -1;  // no trace stays open
  const auto sample = [this](uint32_t samples, uint32_t of_other_one_in) {
    for (uint32_t i = 0; i < samples; ++i) {
      if (of_other_one_in != 0 && i % of_other_one_in == 0) environment_->sampled_tid = kOtherThread;
      buffer_->used = 0;
      Sample(0);
    }
  };
  sample(100, 20);
  EXPECT_EQ(environment_->thread_changes, 0u);
  sample(100, 2);
  EXPECT_GT(environment_->thread_changes, 16u);
  sample(40, 0);
  EXPECT_EQ(environment_->thread_changes, 0u);
}

}  // namespace
}  // namespace softlbr
