// The tracer's defences against unexpected hits, signals and states, one by one, without a kernel.
#include <gtest/gtest.h>

#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

class TracerHazard : public TracerTest {
 protected:
  // 0: svc #0   4: b 4     The result of the call is UNKNOWN: a trace from 0 stops at 4, with no branch so far.
  void SampleAtTheCall() {
    Place({0xd4000001, kBranchToItself});
    Sample(0);
  }
  void SampleAndArm() {
    fake::Platform().is_sampling = true;
    SampleAtTheCall();
    ASSERT_EQ(fake::Platform().armed_pc, At(4));
    ASSERT_TRUE(slot_->is_trace_open);
    ASSERT_FALSE(fake::Platform().is_sampling) << "no samples while a trace is open";
  }
  platform::Trap HitTrap() { return TrapAt(At(4), platform::TrapKind::kBreakpoint); }
  void HitAs(const platform::Trap& trap) { Deliver(trap); }

  // There must be one trace, ended for this reason; nothing is armed and sampling is enabled, unless it is disabled.
  void ExpectGivenUp(AbortReason reason) {
    ASSERT_EQ(Committed().size(), 1u);
    EXPECT_EQ(Committed()[0].reason, reason);
    EXPECT_TRUE(Committed()[0].branches.empty());
    EXPECT_FALSE(slot_->is_trace_open);
    EXPECT_EQ(fake::Platform().armed_pc, 0u);
    EXPECT_EQ(fake::Platform().is_sampling, environment_->sampling_disabled == 0);
    EXPECT_EQ(slot_->arm_ticks, 0u) << "else the control thread would check it for a stall";
  }
  uint64_t Lost(LossReason reason) const { return slot_->counters.lost[static_cast<uint32_t>(reason)]; }
};

TEST_F(TracerHazard, ExpectedHitCompletesTrace) {
  SampleAndArm();
  HitAs(HitTrap());
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kNone);
  EXPECT_EQ(Committed()[0].branches, (Branches(8, {4, 4})));
  EXPECT_TRUE(fake::Platform().is_sampling);
}

TEST_F(TracerHazard, LateHitAbortsTrace) {
  SampleAndArm();
  platform::Trap late = HitTrap();  // even if pc and stack pointer agree: the thread may have left and come back
  late.is_asynchronous = true;
  HitAs(late);
  ExpectGivenUp(AbortReason::kAsynchronousHit);
}

// The control thread had the slot at the first hit. The second one is another execution of the armed instruction.
TEST_F(TracerHazard, HitAfterADroppedOneAbortsTrace) {
  SampleAndArm();
  slot_->handled_hits.fetch_add(1, std::memory_order_relaxed);
  HitAs(HitTrap());
  ExpectGivenUp(AbortReason::kAsynchronousHit);
  Sample(0);
  HitAs(HitTrap());
  ASSERT_EQ(Committed().size(), 2u);
  EXPECT_EQ(Committed()[1].reason, AbortReason::kNone) << "the next trace is not affected";
}

TEST_F(TracerHazard, HitAtAnotherPcAbortsTrace) {
  SampleAndArm();
  HitAs(TrapAt(At(8), platform::TrapKind::kBreakpoint));
  ExpectGivenUp(AbortReason::kPcMismatch);
}

// The kernel has moved the thread to an abort handler: the armed pc is in a critical section that no table lists.
TEST_F(TracerHazard, PcThatLedToAbortIsNotRearmed) {
  SampleAndArm();
  HitAs(TrapAt(At(12), platform::TrapKind::kBreakpoint));  // after a word of zero, the signature of the fake platform
  ExpectGivenUp(AbortReason::kCriticalSection);
  Sample(0);
  EXPECT_EQ(fake::Platform().ever_armed, (std::vector<uint64_t>{At(4)})) << "armed only once";
  ASSERT_EQ(Committed().size(), 2u);
  EXPECT_EQ(Committed()[1].reason, AbortReason::kCriticalSection);
}

TEST_F(TracerHazard, HitOfAnEarlierArmingAbortsTrace) {
  SampleAndArm();
  platform::Trap earlier = HitTrap();
  earlier.sig_data = MakeSigData(slot_->index, slot_->arm_generation - 1);
  HitAs(earlier);
  EXPECT_EQ(Lost(LossReason::kLateHit), 1u);
  ExpectGivenUp(AbortReason::kPcMismatch);
  HitAs(earlier);  // again, with no trace open
  EXPECT_EQ(Lost(LossReason::kLateHit), 2u);
  EXPECT_EQ(Committed().size(), 1u);
}

TEST_F(TracerHazard, HitOfAnAbandonedTraceIsDropped) {
  SampleAndArm();
  const platform::Trap pending = HitTrap();
  AbandonTrace(environment_.get(), slot_.get(), AbortReason::kTooOld, true);
  HitAs(pending);  // its generation is still the current one
  EXPECT_EQ(Lost(LossReason::kLateHit), 1u);
  ExpectGivenUp(AbortReason::kTooOld);
}

TEST_F(TracerHazard, HitInAnotherFrameAbortsTrace) {
  SampleAndArm();
  platform::Trap deeper = HitTrap();
  deeper.sp -= 64;
  HitAs(deeper);
  ExpectGivenUp(AbortReason::kStackMismatch);
}

TEST_F(TracerHazard, MispredictedStateAbortsTrace) {
  SetX(5, 7);
  SampleAndArm();
  SetX(5, 8);  // the call does not change x5
  HitAs(HitTrap());
  ExpectGivenUp(AbortReason::kStateMismatch);
}

TEST_F(TracerHazard, SampleDuringAnOpenTraceIsDropped) {
  SampleAndArm();
  OnSample(environment_.get(), slot_.get(), TrapAt(At(0), platform::TrapKind::kSample));
  EXPECT_EQ(Lost(LossReason::kLateSample), 1u);
  EXPECT_EQ(slot_->counters.samples, 1u);
  EXPECT_EQ(fake::Platform().armed_pc, At(4)) << "the trace stays open";
}

TEST_F(TracerHazard, NothingIsArmedInOurOwnCode) {
  environment_->forbidden[0] = AddressRange{At(4), At(8)};
  environment_->forbidden_count = 1;
  SampleAtTheCall();
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ExpectGivenUp(AbortReason::kForbiddenPc);
}

TEST_F(TracerHazard, NothingIsArmedOnceOurHandlerIsReplaced) {
  fake::Platform().is_handler_installed = false;
  SampleAtTheCall();
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  EXPECT_EQ(environment_->sampling_disabled, uint32_t{kDisabledHandlerReplaced})
      << "else the app would get the next sample";
  ExpectGivenUp(AbortReason::kHandlerReplaced);
}

TEST_F(TracerHazard, NothingIsArmedWhileSamplingIsDisabled) {
  environment_->sampling_disabled = kDisabledDebugger;
  SampleAtTheCall();
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ExpectGivenUp(AbortReason::kNoBreakpoint);
}

TEST_F(TracerHazard, ThreadWithoutBreakpointUsesLookaheadAlone) {
  slot_->breakpoint.fd = -1;
  SampleAtTheCall();
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ExpectGivenUp(AbortReason::kNoBreakpoint);
}

TEST_F(TracerHazard, RefusedBreakpointAbortsTrace) {
  fake::Platform().arm_answer = Status::kSystemError;
  SampleAtTheCall();
  ExpectGivenUp(AbortReason::kBreakpointFailed);
}

TEST_F(TracerHazard, StallSuspendsBreakpoint) {
  SampleAndArm();
  fake::Platform().counted_hits = 1000;  // not delivered
  const uint64_t armed_at = slot_->arm_ticks;
  platform::Trap late = HitTrap();
  late.is_asynchronous = true;
  HitAs(late);
  ExpectGivenUp(AbortReason::kAsynchronousHit);
  EXPECT_GE(slot_->suspended_until_ticks - armed_at, kStallSuspendFactor);
  EXPECT_EQ(slot_->handled_hits, 1000u) << "else the next hit would look like a stall too";
  Sample(0);
  EXPECT_EQ(fake::Platform().ever_armed.size(), 1u);
  ASSERT_EQ(Committed().size(), 2u);
  EXPECT_EQ(Committed()[1].reason, AbortReason::kTrapBlocked);
  slot_->suspended_until_ticks = 0;
  Sample(0);
  EXPECT_EQ(fake::Platform().ever_armed.size(), 2u);
}

// In a handler that interrupted sigsuspend, for example.
TEST_F(TracerHazard, NothingIsArmedWhereTrapsAreBlocked) {
  fake::Platform().is_trap_blocked = true;
  SampleAtTheCall();
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ExpectGivenUp(AbortReason::kTrapBlocked);
}

// A breakpoint behind the call would be hit while SIGTRAP is blocked.
TEST_F(TracerHazard, NothingIsArmedBehindACallThatMayBlockTraps) {
  SetX(8, fake::kBlockingCall);
  SampleAtTheCall();
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ExpectGivenUp(AbortReason::kTrapBlocked);
}

TEST_F(TracerHazard, HitsOfOneTraceAreBounded) {
  SampleAndArm();
  slot_->trace_hits = kMaxTraceHits - 1;
  Place({0xd4000001, 0xd4000001, kBranchToItself});  // the next stop is after a second call
  HitAs(HitTrap());
  ExpectGivenUp(AbortReason::kRunaway);
}

// The program's signal handler runs first and may jump away.
TEST_F(TracerHazard, PendingSignalArmsAtCurrentPc) {
  Place({0xd4000001, kBranchToItself});
  fake::Platform().is_signal_due = true;
  Sample(0);
  EXPECT_EQ(fake::Platform().ever_armed, (std::vector<uint64_t>{At(0)}));
  EXPECT_TRUE(Committed().empty());
  HitAs(TrapAt(At(0), platform::TrapKind::kBreakpoint));  // a signal is due again, now at a hit
  ExpectGivenUp(AbortReason::kSignalPending);
}

}  // namespace
}  // namespace softlbr
