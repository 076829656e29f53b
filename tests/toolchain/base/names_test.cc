#include "toolchain/base/names.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "platform/base/elf_machine.h"
#include "platform/base/reasons.h"
#include "platform/base/sample_event.h"
#include "platform/base/status.h"

namespace softlbr::toolchain {
namespace {

// Profiles contain the numbers and scripts the names, so sample_events.def must keep the released ones.
TEST(EventNames, NamesAndNumbersAreStable) {
  const std::pair<uint32_t, const char*> expected[] = {
      {0, "best"},   {1, "taken-branches"}, {2, "branches"},     {3, "instructions"},
      {4, "cycles"}, {5, "task-clock"},     {6, "thread-timer"},
  };
  for (const auto& [event, name] : expected) {
    EXPECT_EQ(EventName(event), name);
    EXPECT_EQ(EventFromName(name), event);
  }
  EXPECT_EQ(platform::kSampleEventCount, std::size(expected)) << "append the new event here";
  EXPECT_EQ(EventNames().size(), std::size(expected));
}

TEST(SampleEvent, OnlyClocksHavePeriodsInNanoseconds) {
  for (uint32_t number = 0; number < 256; ++number) {
    const auto event = static_cast<platform::SampleEvent>(number);
    const bool is_clock = event == platform::SampleEvent::kTaskClock || event == platform::SampleEvent::kThreadTimer;
    EXPECT_EQ(platform::IsClock(event), is_clock) << number;
  }
}

TEST(ElfMachine, MatchesElfHeader) {
  EXPECT_EQ(kMachineNone, EM_NONE);
  EXPECT_EQ(kMachineI386, EM_386);
  EXPECT_EQ(kMachineArm, EM_ARM);
  EXPECT_EQ(kMachineX86_64, EM_X86_64);
  EXPECT_EQ(kMachineAarch64, EM_AARCH64);
  EXPECT_EQ(kMachineRiscv, EM_RISCV);
}

TEST(Names, AcceptUnknownNumbers) {
  EXPECT_EQ(EventName(99), "unknown(99)");
  EXPECT_EQ(EventFromName("nonsense"), std::nullopt);
  EXPECT_EQ(ResolveName(9), "unknown(9)");
  EXPECT_EQ(MachineName(0xffff), "unknown(65535)");
  EXPECT_EQ(AbortKey(250), "unknown(250)");
  EXPECT_EQ(LossKey(250), "unknown(250)");
  EXPECT_NE(StatusText(250), "");
}

TEST(Names, CoverEveryCode) {
  for (uint32_t i = 0; i < kAbortReasonCount; ++i) EXPECT_FALSE(AbortKey(i).starts_with("unknown")) << i;
  for (uint32_t i = 0; i < kLossReasonCount; ++i) EXPECT_FALSE(LossKey(i).starts_with("unknown")) << i;
  for (uint32_t i = 0; i <= static_cast<uint32_t>(Status::kMaxValue); ++i) {
    EXPECT_FALSE(StatusText(i).starts_with("failed with status")) << i;
  }
}

}  // namespace
}  // namespace softlbr::toolchain
