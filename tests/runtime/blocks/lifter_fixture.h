// Two pages of code that a test fills, with the plugin and scratch state to lift from them.
//
// The second page is readable until ProtectSecondPage. Memory is real and probed through the kernel.
#ifndef SOFTLBR_TESTS_RUNTIME_BLOCKS_LIFTER_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_BLOCKS_LIFTER_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <vector>

#include "platform/safe_read.h"
#include "runtime/blocks/lifter.h"

namespace softlbr {

class LifterFixture : public ::testing::Test {
 protected:
  explicit LifterFixture(const softlbr_decoder_plugin* plugin) : plugin_(*plugin) {}
  void SetUp() override {
    ASSERT_EQ(plugin_.open(arena_, sizeof arena_, SOFTLBR_DECODER_VARIANT_HOST, &decoder_), SOFTLBR_DECODER_OK);
    code_ = static_cast<uint8_t*>(mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(code_, MAP_FAILED);
    InitEvaluator(&scratch_->evaluator, ResolvePolicy::kLookahead, plugin_.arch);
    AdoptTrueState(&scratch_->evaluator);
  }
  void TearDown() override {
    plugin_.close(decoder_);
    munmap(code_, 2 * page_);
  }
  // Fills both pages with copies of `unit`.
  template <typename Unit>
  void Fill(const std::vector<Unit>& unit) {
    const uint64_t bytes = unit.size() * sizeof(Unit);
    for (uint64_t at = 0; at + bytes <= 2 * page_; at += bytes) std::memcpy(code_ + at, unit.data(), bytes);
  }
  template <typename Unit>
  void Write(uint64_t offset, const std::vector<Unit>& units) {
    std::memcpy(code_ + offset, units.data(), units.size() * sizeof(Unit));
  }
  void ProtectSecondPage() { ASSERT_EQ(mprotect(code_ + page_, page_, PROT_NONE), 0); }
  uint64_t At(uint64_t offset) const { return reinterpret_cast<uint64_t>(code_) + offset; }
  AbortReason Lift(uint64_t offset) {
    ClearPageCache(&scratch_->evaluator.memory.pages);
    return LiftBlock(plugin_, decoder_, scratch_.get(), At(offset));
  }
  const softlbr_block& block() const { return scratch_->block; }
  // The block must start at `offset`, and scratch->code must hold its bytes.
  void ExpectLiftedFrom(uint64_t offset, uint32_t bytes) {
    EXPECT_EQ(block().pc, At(offset));
    EXPECT_EQ(block().byte_length, bytes);
    EXPECT_EQ(std::memcmp(scratch_->code, code_ + offset, bytes), 0);
  }

  alignas(64) uint8_t arena_[kDecoderArenaBytes];
  softlbr_decoder_plugin plugin_;  // a copy, whose functions a test may replace
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<ScratchState> scratch_ = std::make_unique<ScratchState>();
  const uint64_t page_ = platform::PageBytes();
  uint8_t* code_ = nullptr;
};

}  // namespace softlbr

#endif  // SOFTLBR_TESTS_RUNTIME_BLOCKS_LIFTER_FIXTURE_H_
