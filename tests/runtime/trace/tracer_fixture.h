// The tracer on a fake platform (tests/fake/tracer_platform_fake.h), with A64 code, on any host.
#ifndef SOFTLBR_TESTS_RUNTIME_TRACE_TRACER_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_TRACE_TRACER_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/base/registers_aarch64.h"
#include "runtime/trace/tracer.h"
#include "tests/fake/pointer_auth_fake.h"
#include "tests/fake/safe_read_fake.h"
#include "tests/fake/tracer_platform_fake.h"

namespace softlbr {

constexpr uint32_t kBranchToItself = 0x14000000;

class TracerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::Platform() = fake::TracerPlatform{};
    fake::ForgetReadable();
    fake::SetSigningCpu(55);  // the code is in this test, whose addresses may have more than 48 bits
    environment_->plugin = softlbr_decoder_plugin_aarch64();
    ASSERT_EQ(environment_->plugin->open(arena_, sizeof arena_, SOFTLBR_DECODER_VARIANT_HOST, &environment_->decoder),
              SOFTLBR_DECODER_OK);
    InitBlockCache(cache_.get(), store_.data() + (64 - reinterpret_cast<uintptr_t>(store_.data()) % 64), 65536);
    environment_->cache = cache_.get();
    environment_->code_map = map_.get();
    environment_->scratch_states.scratch_states = scratch_states_.get();
    environment_->scratch_states.guard_lines = guard_lines_.get();
    environment_->branches_per_trace = 8;
    environment_->entries_per_trace = 64;
    environment_->resolve = ResolvePolicy::kLookahead;
    environment_->verify_every = 1000000;
    environment_->modules_wanted = 1;  // set already, so that no control thread is woken
    InitBufferPool(&environment_->pool);
    PutFreeBuffer(&environment_->pool, buffer_.get());
    slot_->breakpoint.fd = 3;
    slot_->is_sampler_on = true;
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
    std::fill(std::copy(words.begin(), words.end(), code_), std::end(code_), 0u);
    fake::AllowReading(code_, sizeof code_);
    fake::AllowReading(data_, sizeof data_);
    SetX(1, reinterpret_cast<uint64_t>(data_));
  }
  static void SetX(uint32_t number, uint64_t value) { fake::Platform().truth.regs[SOFTLBR_A64_X0 + number] = value; }
  static uint64_t At(uint64_t offset) { return reinterpret_cast<uint64_t>(code_) + offset; }
  static platform::Trap TrapAt(uint64_t pc, platform::TrapKind kind) {
    fake::Platform().truth.pc = pc;
    platform::Trap trap{};
    trap.kind = kind;
    trap.sig_data = fake::Platform().sig_data;
    trap.pc = pc;
    return trap;
  }
  void Sample(uint64_t offset) {
    OnSample(environment_.get(), slot_.get(), TrapAt(At(offset), platform::TrapKind::kSample));
  }
  // A hit, and the second hit that ends the step over the breakpoint on CPUs without a resume flag.
  void Hit() {
    OneHit();
    if (slot_->step_pc != 0) OneHit();
  }
  void OneHit() {
    ASSERT_NE(fake::Platform().armed_pc, 0u);
    Deliver(TrapAt(fake::Platform().armed_pc, platform::TrapKind::kBreakpoint));
  }
  // As the dispatcher does.
  void Deliver(const platform::Trap& hit) {
    slot_->handled_hits.fetch_add(1, std::memory_order_relaxed);
    OnHit(environment_.get(), slot_.get(), hit);
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
  std::unique_ptr<ScratchState[]> scratch_states_ = std::make_unique<ScratchState[]>(kScratchStates);
  std::unique_ptr<GuardLines[]> guard_lines_ = std::make_unique<GuardLines[]>(kGuardStates);
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  std::unique_ptr<TraceBuffer> buffer_ = std::make_unique<TraceBuffer>();
};

using Branches = std::vector<std::pair<uint64_t, uint64_t>>;

}  // namespace softlbr

#endif  // SOFTLBR_TESTS_RUNTIME_TRACE_TRACER_FIXTURE_H_
