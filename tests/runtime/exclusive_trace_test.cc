// The tracer on A64 code with load-exclusives: no breakpoint between one and its store, whatever blocks lie between.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/config.h"
#include "runtime/base/cells_aarch64.h"
#include "runtime/tracer.h"
#include "tests/fake/pointer_auth_fake.h"
#include "tests/fake/safe_read_fake.h"
#include "tests/fake/tracer_platform_fake.h"

namespace softlbr {
namespace {

constexpr uint32_t kBranchToItself = 0x14000000;

// An increment of *x1, in three blocks up to the store:
//    0: ldaxr w0, [x1]       4: cbz x5, c      8: nop
//    c: cmp w0, w2          10: b.ne 24       14: add w3, w0, #1
//   18: stlxr w4, w3, [x1]  1c: cbnz w4, 0    20: mov x9, #1       24: b 24
const std::vector<uint32_t> kThreeBlocks = {0x885ffc20, 0xb4000045, 0xd503201f, 0x6b02001f, 0x540000a1,
                                            0x11000403, 0x8804fc23, 0x35ffff24, 0xd2800029, kBranchToItself};
//    0: mov x5, #3   4: ldxr x0, [x1]   8: add x0, x0, #1   c: stxr w4, x0, [x1]   10: cbnz w4, 4   14: b 14
const std::vector<uint32_t> kOneBlock = {0xd2800065, 0xc85f7c20, 0x91000400, 0xc8047c20, 0x35ffffa4, kBranchToItself};

class ExclusiveTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::Platform() = fake::TracerPlatform{};
    fake::ForgetReadable();
    fake::SetSigningCpu(55);  // the code lies where this test does, above 48 bits perhaps
    environment_->plugin = softlbr_decoder_plugin_aarch64();
    ASSERT_EQ(environment_->plugin->open(arena_, sizeof arena_, &environment_->decoder), SOFTLBR_DECODER_OK);
    InitBlockCache(cache_.get(), store_.data() + (64 - reinterpret_cast<uintptr_t>(store_.data()) % 64), 65536);
    environment_->cache = cache_.get();
    environment_->code_map = map_.get();
    environment_->benches.benches = benches_.get();
    environment_->branches_per_trace = 8;
    environment_->entries_per_trace = 64;
    environment_->resolve = ResolvePolicy::kLookahead;
    environment_->verify_every = 1000000;
    environment_->modules_wanted = 1;  // nobody to tell
    slot_->buffer = buffer_.get();
    slot_->breakpoint.fd = 3;
    MachineContext& truth = fake::Platform().truth;
    for (uint8_t& known : truth.known) known = kAllKnown;
    fake::Platform().can_pass_breakpoint_once = true;
    truth.rounding_is_default = true;
    truth.flags_known = SOFTLBR_FLAG_ALL;
  }
  void TearDown() override {
    environment_->plugin->close(environment_->decoder);
    fake::SetSigningCpu(0);
  }

  void Place(const std::vector<uint32_t>& words) {
    std::copy(words.begin(), words.end(), code_);
    fake::AllowReading(code_, sizeof code_);
    fake::AllowReading(data_, sizeof data_);
    SetX(1, reinterpret_cast<uint64_t>(data_));
  }
  static void SetX(uint32_t number, uint64_t value) { fake::Platform().truth.cells[SOFTLBR_A64_X0 + number] = value; }
  static uint64_t At(uint64_t offset) { return reinterpret_cast<uint64_t>(code_) + offset; }
  static platform::Trap TrapAt(uint64_t pc, platform::TrapKind kind) {
    fake::Platform().truth.pc = pc;
    platform::Trap trap{};
    trap.kind = kind;
    trap.sig_data = fake::Platform().sig_data;
    trap.pc = pc;
    return trap;
  }
  void Sample(uint64_t offset) { OnSample(environment_.get(), slot_.get(), TrapAt(At(offset), platform::TrapKind::kSample)); }
  // And the step off the breakpoint, where the CPU needs one.
  void Hit() {
    OneHit();
    if (slot_->step_pc != 0) OneHit();
  }
  void OneHit() {
    ASSERT_NE(fake::Platform().armed_pc, 0u);
    OnHit(environment_.get(), slot_.get(), TrapAt(fake::Platform().armed_pc, platform::TrapKind::kBreakpoint));
  }

  struct Trace {
    AbortReason reason;
    bool is_continued;
    std::vector<std::pair<uint64_t, uint64_t>> branches;  // relative to the code
  };
  std::vector<Trace> Committed() const {
    std::vector<Trace> traces;
    for (uint32_t at = 0; at < buffer_->used;) {
      const TraceHeader& header = buffer_->entries[at++].header;
      Trace trace{header.reason, header.is_continued != 0, {}};
      for (uint32_t i = 0; i < header.branch_count; ++i, ++at) {
        trace.branches.emplace_back(buffer_->entries[at].branch.from - At(0), buffer_->entries[at].branch.to - At(0));
      }
      traces.push_back(trace);
    }
    return traces;
  }

  alignas(64) uint8_t arena_[4096];
  alignas(4096) static inline uint32_t code_[1024];
  alignas(4096) static inline uint64_t data_[512];
  std::vector<uint8_t> store_ = std::vector<uint8_t>(65536 + 64);
  std::unique_ptr<TraceEnvironment> environment_ = std::make_unique<TraceEnvironment>();
  std::unique_ptr<BlockCache> cache_ = std::make_unique<BlockCache>();
  std::unique_ptr<CodeMap> map_ = std::make_unique<CodeMap>();
  std::unique_ptr<Workbench[]> benches_ = std::make_unique<Workbench[]>(kWorkbenches);
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  std::unique_ptr<TraceBuffer> buffer_ = std::make_unique<TraceBuffer>();
};

using Branches = std::vector<std::pair<uint64_t, uint64_t>>;

TEST_F(ExclusiveTrace, StatusIsWaitedForBehindTheStore) {
  Place(kOneBlock);
  Sample(0);
  EXPECT_EQ(fake::Platform().armed_pc, At(0x10)) << "the branch on the status, in the trace that is open";
  EXPECT_TRUE(Committed().empty());
  SetX(4, 1);  // it failed: once more round
  SetX(5, 3);
  Hit();
  EXPECT_EQ(fake::Platform().armed_pc, At(0x10));
  SetX(4, 0);
  Hit();
  ASSERT_EQ(Committed().size(), 1u);
  const Trace trace = Committed()[0];
  EXPECT_EQ(trace.reason, AbortReason::kNone);
  EXPECT_EQ(trace.branches, (Branches{{0x10, 4}, {0x14, 0x14}, {0x14, 0x14}, {0x14, 0x14}, {0x14, 0x14}, {0x14, 0x14},
                                      {0x14, 0x14}, {0x14, 0x14}}));
  EXPECT_TRUE(fake::Platform().is_sampling);
}

TEST_F(ExclusiveTrace, BranchOnTheLoadedValueIsNotWaitedFor) {
  Place(kThreeBlocks);
  SetX(5, 0);
  Sample(0);  // cbz is known, and taken: the branch on what was loaded comes in a block that opens nothing itself
  EXPECT_EQ(fake::Platform().armed_pc, At(0x1c)) << "behind the store";
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kRestartable);
  EXPECT_EQ(Committed()[0].branches, (Branches{{4, 0xc}}));
  SetX(4, 1);
  Hit();  // and round again, into the same
  std::vector<uint64_t> armed = {At(0x1c), At(0x1c)};
  if (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) armed.insert(armed.end(), {At(0), At(0x1c)});  // at the load, not behind it
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

TEST_F(ExclusiveTrace, IsNotVerifiedWithinOne) {
  Place(kThreeBlocks);
  SetX(5, 0);
  environment_->branches_per_trace = 1;
  environment_->verify_every = 1;
  Sample(0);  // full at c, between load and store
  EXPECT_TRUE(fake::Platform().ever_armed.empty());
  ASSERT_EQ(Committed().size(), 1u);
  EXPECT_EQ(Committed()[0].reason, AbortReason::kNone);
  slot_->trace_serial = 0;
  environment_->branches_per_trace = 1;
  Sample(0x20);  // full at 24, outside
  EXPECT_EQ(fake::Platform().ever_armed.size(), 1u);
}

// 0: svc #0   4: ldaxr w0, [x1]   8: add w0, w0, #1   c: stlxr w4, w0, [x1]   10: b 0
TEST_F(ExclusiveTrace, IsNotSteppedIntoFromItsLoad) {
  Place({0xd4000001, 0x885ffc20, 0x11000400, 0x8804fc20, 0x17fffffc});
  Sample(4);  // round to the call, and to be armed behind it: where the thread stands
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

TEST_F(ExclusiveTrace, StatusUnknownIsNoReasonToStopWithin) {
  // The store-exclusive of an open one is never the place either, though the sample came behind the load.
  Place(kThreeBlocks);
  SetX(5, 1);
  Sample(0);  // cbz falls through; b.ne is in the third block
  EXPECT_EQ(fake::Platform().armed_pc, At(0x1c));
}

}  // namespace
}  // namespace softlbr
