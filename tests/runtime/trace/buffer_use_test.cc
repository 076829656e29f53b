// Which trace buffer a trace is written to, and when the thread gives it back.
#include <gtest/gtest.h>

#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

class BufferUse : public TracerTest {
 protected:
  // 0: svc #0   4: b 4     A trace from 0 stays open until the hit at 4; one from 4 is complete at once.
  void SetUp() override {
    TracerTest::SetUp();
    Place({0xd4000001, kBranchToItself});
  }
  BufferPool* pool() { return &environment_->pool; }
};

TEST_F(BufferUse, LastsAsLongAsTheTraceIsOpen) {
  Sample(0);
  ASSERT_TRUE(slot_->is_trace_open);
  EXPECT_EQ(slot_->buffer, buffer_.get());
  EXPECT_EQ(TakeFreeBuffer(pool()), nullptr);
  Hit();
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(slot_->buffer, nullptr);
  EXPECT_EQ(TakeFreeBuffer(pool()), buffer_.get()) << "it has room for more";
}

TEST_F(BufferUse, EndsWithAnAbandonedTrace) {
  Sample(0);
  AbandonTrace(environment_.get(), slot_.get(), AbortReason::kThreadExited, false);
  EXPECT_EQ(slot_->buffer, nullptr);
  EXPECT_EQ(TakeFreeBuffer(pool()), buffer_.get());
}

TEST_F(BufferUse, IsSharedByThreadsOneAfterTheOther) {
  Sample(4);
  auto other = std::make_unique<ThreadSlot>();
  other->breakpoint.fd = -1;
  OnSample(environment_.get(), other.get(), TrapAt(At(4), platform::TrapKind::kSample));
  EXPECT_EQ(Committed().size(), 2u);
}

TEST_F(BufferUse, FullBufferIsQueued) {
  const uint32_t traces = kTraceBufferEntries / (1 + environment_->branches_per_trace);
  for (uint32_t i = 0; i < traces && TakeFilledBuffer(pool()) == nullptr; ++i) Sample(4);
  EXPECT_FALSE(buffer_->HasRoomFor(environment_->entries_per_trace));
  EXPECT_GT(buffer_->used, kTraceBufferEntries - 2 - environment_->entries_per_trace);
  EXPECT_EQ(TakeFreeBuffer(pool()), nullptr);
}

TEST_F(BufferUse, BufferBegunBeforeTheModulesChangedIsNotContinued) {
  environment_->module_generation = 1;
  Sample(4);
  ASSERT_EQ(TakeFreeBuffer(pool()), buffer_.get());
  auto empty = std::make_unique<TraceBuffer>();
  empty->generation = 1;  // of an earlier use
  PutFreeBuffer(pool(), empty.get());
  PutBackBuffer(pool(), buffer_.get());  // the first to be taken
  environment_->module_generation = 2;
  Sample(4);
  EXPECT_EQ(TakeFilledBuffer(pool()), buffer_.get());
  EXPECT_EQ(Committed().size(), 1u);
  EXPECT_EQ(empty->generation, 2u);
  EXPECT_NE(empty->used, 0u);
}

TEST_F(BufferUse, WithoutOneTheSampleIsLost) {
  (void)TakeFreeBuffer(pool());
  const uint32_t signal = environment_->filled_signal;
  Sample(4);
  EXPECT_EQ(slot_->counters.lost[static_cast<uint32_t>(LossReason::kNoFreeBuffer)], 1u);
  EXPECT_FALSE(slot_->is_trace_open);
  EXPECT_TRUE(fake::Platform().is_sampling);
  EXPECT_NE(environment_->filled_signal, signal) << "the control thread supplies more";
}

}  // namespace
}  // namespace softlbr
