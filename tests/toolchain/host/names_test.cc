#include "toolchain/host/names.h"

#include <gtest/gtest.h>

#include "platform/base/reasons.h"
#include "platform/base/status.h"
#include "platform/sampler.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr::toolchain {
namespace {

TEST(EventNames, HaveTheNumbersOfThePlatformAndTheApi) {
  using platform::SampleEvent;
  const std::pair<SampleEvent, const char*> expected[] = {
      {SampleEvent::kBest, "best"},
      {SampleEvent::kTakenBranches, "taken-branches"},
      {SampleEvent::kBranches, "branches"},
      {SampleEvent::kInstructions, "instructions"},
      {SampleEvent::kCycles, "cycles"},
      {SampleEvent::kTaskClock, "task-clock"},
      {SampleEvent::kThreadTimer, "thread-timer"},
  };
  for (const auto& [event, name] : expected) {
    EXPECT_EQ(EventName(static_cast<uint32_t>(event)), name);
    EXPECT_EQ(EventFromName(name), static_cast<uint32_t>(event));
  }
  EXPECT_EQ(std::size(expected), static_cast<size_t>(SampleEvent::kMaxValue) + 1);
  EXPECT_EQ(EventNames().size(), std::size(expected));
  EXPECT_EQ(SOFTLBR_EVENT_THREAD_TIMER, static_cast<int>(SampleEvent::kThreadTimer));
  EXPECT_TRUE(IsClockEvent(SOFTLBR_EVENT_TASK_CLOCK));
  EXPECT_FALSE(IsClockEvent(SOFTLBR_EVENT_CYCLES));
}

TEST(Names, AnswerForNumbersTheyDoNotKnow) {
  EXPECT_EQ(EventName(99), "unknown(99)");
  EXPECT_EQ(EventFromName("nonsense"), std::nullopt);
  EXPECT_EQ(ResolveName(9), "unknown(9)");
  EXPECT_EQ(MachineName(0xffff), "unknown(65535)");
  EXPECT_EQ(AbortKey(250), "unknown(250)");
  EXPECT_EQ(LossKey(250), "unknown(250)");
  EXPECT_NE(StatusText(250), "");
}

TEST(Names, HaveATextForEveryCode) {
  for (uint32_t i = 0; i < kAbortReasonCount; ++i) EXPECT_FALSE(AbortKey(i).starts_with("unknown")) << i;
  for (uint32_t i = 0; i < kLossReasonCount; ++i) EXPECT_FALSE(LossKey(i).starts_with("unknown")) << i;
  for (uint32_t i = 0; i <= static_cast<uint32_t>(Status::kMaxValue); ++i) {
    EXPECT_FALSE(StatusText(i).starts_with("failed with status")) << i;
  }
}

}  // namespace
}  // namespace softlbr::toolchain
