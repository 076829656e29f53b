// The tracer on A64 code with load-exclusives: no breakpoint between load and store, even across several blocks.
#include <gtest/gtest.h>

#include <vector>

#include "platform/base/config.h"
#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

// An increment of *x1, in three blocks up to the store:
//    0: ldaxr w0, [x1]       4: cbz x5, c      8: nop
//    c: cmp w0, w2          10: b.ne 24       14: add w3, w0, #1
//   18: stlxr w4, w3, [x1]  1c: cbnz w4, 0    20: mov x9, #1       24: b 24
const std::vector<uint32_t> kThreeBlocks = {0x885ffc20, 0xb4000045, 0xd503201f, 0x6b02001f, 0x540000a1,
                                            0x11000403, 0x8804fc23, 0x35ffff24, 0xd2800029, kBranchToItself};
//    0: mov x5, #3   4: ldxr x0, [x1]   8: add x0, x0, #1   c: stxr w4, x0, [x1]   10: cbnz w4, 4   14: b 14
const std::vector<uint32_t> kOneBlock = {0xd2800065, 0xc85f7c20, 0x91000400, 0xc8047c20, 0x35ffffa4, kBranchToItself};

class ExclusiveTrace : public TracerTest {};

TEST_F(ExclusiveTrace, BreakpointIsArmedAfterTheStore) {
  Place(kOneBlock);
  Sample(0);
  EXPECT_EQ(fake::Platform().armed_pc, At(0x10)) << "the branch on the status, in the same trace";
  EXPECT_TRUE(Committed().empty());
  SetX(4, 1);  // the store failed: another iteration
  SetX(5, 3);
  Hit();
  EXPECT_EQ(fake::Platform().armed_pc, At(0x10));
  SetX(4, 0);
  Hit();
  ASSERT_EQ(Committed().size(), 1u);
  const Trace trace = Committed()[0];
  EXPECT_EQ(trace.reason, AbortReason::kNone);
  EXPECT_EQ(trace.branches, (Branches{{0x10, 4},
                                      {0x14, 0x14},
                                      {0x14, 0x14},
                                      {0x14, 0x14},
                                      {0x14, 0x14},
                                      {0x14, 0x14},
                                      {0x14, 0x14},
                                      {0x14, 0x14}}));
  EXPECT_TRUE(fake::Platform().is_sampling);
}

TEST_F(ExclusiveTrace, NoBreakpointAtABranchOnTheLoadedValue) {
  Place(kThreeBlocks);
  SetX(5, 0);
  Sample(0);  // cbz is known and taken: the branch on the loaded value is in a block without a load-exclusive
  EXPECT_EQ(fake::Platform().armed_pc, At(0x1c)) << "after the store";
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kCriticalSection);
  EXPECT_EQ(Committed()[0].branches, (Branches{{4, 0xc}}));
  SetX(4, 1);
  Hit();  // another iteration, with the same stop
  std::vector<uint64_t> armed = {At(0x1c), At(0x1c)};
  if (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) armed.insert(armed.end(), {At(0), At(0x1c)});  // at the load, not after it
  EXPECT_EQ(fake::Platform().ever_armed, armed);
  SetX(4, 0);
  Hit();
  const std::vector<Trace> traces = Committed();
  ASSERT_EQ(traces.size(), 3u);
  EXPECT_TRUE(traces[1].is_continued);
  EXPECT_EQ(traces[1].branches, (Branches{{0x1c, 0}, {4, 0xc}}));
  EXPECT_EQ(traces[2].reason, AbortReason::kNone);
  EXPECT_TRUE(traces[2].is_continued);
  EXPECT_EQ(traces[2].branches, (Branches{{0x24, 0x24}, {0x24, 0x24}, {0x24, 0x24}, {0x24, 0x24}, {0x24, 0x24}}));
}

TEST_F(ExclusiveTrace, TraceThatEndsInRegionIsNotVerified) {
  Place(kThreeBlocks);
  SetX(5, 0);
  environment_->branches_per_trace = 1;
  environment_->verify_every = 1;
  Sample(0);  // the trace is full at c, between load and store
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kNone);
  slot_->trace_serial = 0;
  environment_->branches_per_trace = 1;
  Sample(0x20);  // the trace is full at 24, outside
  EXPECT_EQ(fake::Platform().ever_armed.size(), 1u);
}

// 0: svc #0   4: ldaxr w0, [x1]   8: add w0, w0, #1   c: stlxr w4, w0, [x1]   10: b 0
TEST_F(ExclusiveTrace, LoadIsNotSteppedOver) {
  Place({0xd4000001, 0x885ffc20, 0x11000400, 0x8804fc20, 0x17fffffc});
  Sample(4);  // the path stops after the call, which is the thread's present pc
  EXPECT_EQ(fake::Platform().ever_armed, (std::vector<uint64_t>{At(4)}));
  if (SOFTLBR_CPU_HAS_RESUME_FLAG != 0) {
    EXPECT_EQ(fake::Platform().armed_pc, At(4));
    return;
  }
  EXPECT_EQ(fake::Platform().armed_pc, 0u) << "the step would end between load and store";
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kForbiddenPc);
  EXPECT_EQ(Committed()[0].branches, (Branches{{0x10, 0}}));
}

TEST_F(ExclusiveTrace, StopInRegionArmsAfterTheStore) {
  // No breakpoint at the store-exclusive either.
  Place(kThreeBlocks);
  SetX(5, 1);
  Sample(0);  // cbz falls through; b.ne is in the third block
  EXPECT_EQ(fake::Platform().armed_pc, At(0x1c));
}

}  // namespace
}  // namespace softlbr
