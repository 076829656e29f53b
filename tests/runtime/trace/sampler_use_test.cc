// When a trace turns its thread's sampler off and on, and what happens where that fails.
#include <gtest/gtest.h>

#include "platform/base/limits.h"
#include "runtime/threads/thread_slot.h"
#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

class SamplerUse : public TracerTest {
 protected:
  void SetUp() override {
    TracerTest::SetUp();
    environment_->is_period_random = true;
    environment_->period = 2 * kLongPeriodNs;
    slot_->random_state = 1;
    slot_->sampler.event = platform::SampleEvent::kTaskClock;
    slot_->sampler.period = 2 * kLongPeriodNs;
    fake::Platform().is_sampling = true;
  }
  // 0: b 0, which fills a trace at once.
  void SampleALoop() {
    Place({kBranchToItself});
    Sample(0);
  }
  // 0: svc #0   4: b 4     Stops at 4, with the breakpoint armed.
  void SampleACall() {
    Place({0xd4000001, kBranchToItself});
    Sample(0);
  }
  uint64_t Lost(LossReason reason) const { return slot_->counters.lost[static_cast<uint32_t>(reason)]; }
};

TEST_F(SamplerUse, LongPeriodStaysOnAndBeginsAgain) {
  SampleALoop();
  EXPECT_EQ(Committed().size(), 1u);
  EXPECT_TRUE(fake::Platform().is_sampling);
  EXPECT_EQ(fake::Platform().sampler_calls, 1u) << "the new period";
  EXPECT_NE(slot_->sampler.period, 2 * kLongPeriodNs);
}

TEST_F(SamplerUse, ShortPeriodIsTurnedOffAndOn) {
  slot_->sampler.period = kLongPeriodNs - 1;
  SampleALoop();
  EXPECT_EQ(Committed().size(), 1u);
  EXPECT_TRUE(fake::Platform().is_sampling);
  EXPECT_EQ(fake::Platform().sampler_calls, 3u) << "off, the new period, on";
}

TEST_F(SamplerUse, OtherEventsAndEqualPeriodsAreTurnedOffAndOn) {
  slot_->sampler.event = platform::SampleEvent::kCycles;
  SampleALoop();
  EXPECT_EQ(fake::Platform().sampler_calls, 3u);
  slot_->sampler.event = platform::SampleEvent::kTaskClock;
  environment_->is_period_random = false;
  slot_->sampler.period = environment_->period;
  SampleALoop();
  EXPECT_EQ(fake::Platform().sampler_calls, 5u) << "off and on";
}

TEST_F(SamplerUse, LongPeriodIsTurnedOffWhileATraceIsOpen) {
  SampleACall();
  ASSERT_TRUE(slot_->is_trace_open);
  EXPECT_FALSE(fake::Platform().is_sampling);
  Hit();
  EXPECT_FALSE(slot_->is_trace_open);
  EXPECT_TRUE(fake::Platform().is_sampling);
}

TEST_F(SamplerUse, StaysOffWhileSamplingIsDisabled) {
  environment_->sampling_disabled = kDisabledDebugger;
  SampleALoop();
  EXPECT_FALSE(fake::Platform().is_sampling);
}

TEST_F(SamplerUse, SampleThatCameWhileTheHandlerRanIsDropped) {
  SampleALoop();
  EXPECT_EQ(Committed().size(), 1u);
  platform::Trap late = TrapAt(At(0), platform::TrapKind::kSample);
  late.is_asynchronous = true;  // as the kernel marks a signal that was blocked at first
  OnSample(environment_.get(), slot_.get(), late);
  EXPECT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Lost(LossReason::kLateSample), 1u);
  SampleALoop();
  EXPECT_EQ(Committed().size(), 2u) << "the next one counts";
}

// One that the program's own mask has held back counts.
TEST_F(SamplerUse, LateSampleCountsIfTheSamplerWasOff) {
  slot_->sampler.period = kLongPeriodNs - 1;
  environment_->period = kLongPeriodNs / 2;
  SampleALoop();
  platform::Trap late = TrapAt(At(0), platform::TrapKind::kSample);
  late.is_asynchronous = true;
  OnSample(environment_.get(), slot_.get(), late);
  EXPECT_EQ(Committed().size(), 2u);
}

TEST_F(SamplerUse, UnreachableWithALongPeriodIsRecordedAllTheSame) {
  fake::Platform().event_answer = Status::kStaleDescriptor;
  SampleALoop();
  EXPECT_EQ(Committed().size(), 1u);
  EXPECT_EQ(slot_->sampler.period, 2 * kLongPeriodNs) << "as the kernel has it";
  EXPECT_EQ(slot_->requests.load(), kEndTraceForMe);
}

TEST_F(SamplerUse, UnreachableOfOtherEventsAndEqualPeriodsIsRecordedAllTheSame) {
  fake::Platform().event_answer = Status::kStaleDescriptor;
  slot_->sampler.event = platform::SampleEvent::kCycles;
  SampleALoop();
  slot_->sampler.event = platform::SampleEvent::kTaskClock;
  slot_->sampler.period = kAlonePeriod;
  SampleALoop();
  environment_->is_period_random = false;
  SampleALoop();
  EXPECT_EQ(Committed().size(), 3u);
  EXPECT_EQ(Lost(LossReason::kEventUnreachable), 0u);
}

// After one failed borrowing, for which the control thread has made the period longer.
TEST_F(SamplerUse, EqualPeriodsBecomeEqualAgain) {
  environment_->is_period_random = false;
  environment_->period = kAlonePeriod / 4;
  slot_->sampler.period = kAlonePeriod;
  SampleALoop();
  EXPECT_EQ(slot_->sampler.period, kAlonePeriod / 4);
}

TEST_F(SamplerUse, UnreachableWithAShortPeriodIsDroppedAndCounted) {
  slot_->sampler.period = kAlonePeriod - 1;
  fake::Platform().event_answer = Status::kStaleDescriptor;
  SampleALoop();
  EXPECT_EQ(Committed().size(), 0u);
  EXPECT_EQ(Lost(LossReason::kEventUnreachable), 1u);
  EXPECT_EQ(slot_->counters.samples, 0u);
  EXPECT_EQ(slot_->requests.load(), kEndTraceForMe);
  const uint32_t signal = environment_->filled_signal.load();
  EXPECT_NE(signal, 0u) << "the control thread is woken up";
  SampleALoop();
  EXPECT_EQ(environment_->filled_signal.load(), signal) << "once";
}

TEST_F(SamplerUse, UnreachableBreakpointStaysArmedForTheControlThread) {
  SampleACall();
  ASSERT_TRUE(slot_->is_trace_open);
  fake::Platform().event_answer = Status::kStaleDescriptor;
  Hit();
  EXPECT_FALSE(slot_->is_trace_open);
  EXPECT_TRUE(slot_->breakpoint.is_armed);
  EXPECT_EQ(slot_->requests.load(), kEndTraceForMe);
  fake::Platform().event_answer = Status::kOk;
  AbandonTrace(environment_.get(), slot_.get(), AbortReason::kBreakpointFailed, true);
  EXPECT_FALSE(slot_->breakpoint.is_armed);
  EXPECT_EQ(fake::Platform().armed_pc, 0u);
  EXPECT_TRUE(fake::Platform().is_sampling);
}

}  // namespace
}  // namespace softlbr
