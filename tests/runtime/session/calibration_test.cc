// The calibration measures single samples: one that follows another at once seems several times as dear, and a chain of
// them takes 10 ms.
#include "runtime/session/calibration.h"

#include <gtest/gtest.h>

#include <atomic>

#include "platform/trap_signal.h"
#include "runtime/trace/sig_data.h"

namespace softlbr {
namespace {

std::atomic<uint32_t> g_samples{0};

bool CountTrap(const platform::Trap& trap) {
  if (!IsOurSigData(trap.sig_data) || SlotOfSigData(trap.sig_data) != kCalibrationSlot) return false;
  ++g_samples;
  OnCalibrationTrap(trap);
  return true;
}

TEST(Calibration, TakesAboutOneSampleARound) {
  ASSERT_EQ(platform::InstallTrapHandler(CountTrap), Status::kOk);
  const TrapCosts costs = MeasureTrapCostsOnce(platform::SampleEvent::kTaskClock, false);
  platform::SetTrapSignalBlocked(false);
  platform::RestoreTrapHandler();
  if (g_samples == 0) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap";
  constexpr uint32_t kRounds = 3;
  EXPECT_GE(g_samples, kRounds);
  EXPECT_LE(g_samples, 2 * kRounds);
  EXPECT_GT(costs.sample_ns, 0u);
  EXPECT_GT(costs.toggle_ns, 0u);
  EXPECT_FALSE(costs.breakpoints_work);
}

}  // namespace
}  // namespace softlbr
