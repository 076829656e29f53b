// A scratch state and memory for machine code, for tests of how critical sections are found and left.
//
// The constructor's plugin decides the CPU. Memory is real and probed through the kernel.
#ifndef SOFTLBR_TESTS_RUNTIME_TRACE_RESTARTABLE_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_TRACE_RESTARTABLE_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/lookahead/evaluator.h"
#include "runtime/trace/restartable.h"

namespace softlbr {

class RestartableFixture : public ::testing::Test {
 protected:
  static constexpr size_t kRoom = 65536;
  explicit RestartableFixture(const softlbr_decoder_plugin* plugin) : plugin_(plugin) {}
  void SetUp() override {
    ASSERT_EQ(plugin_->open(arena_, sizeof arena_, SOFTLBR_DECODER_VARIANT_HOST, &decoder_), SOFTLBR_DECODER_OK);
    memory_ = static_cast<uint8_t*>(mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory_, MAP_FAILED);
    code_ = memory_ + 256;
    InitEvaluator(&scratch_->evaluator, ResolvePolicy::kLookahead, plugin_->arch);
    AdoptTrueState(&scratch_->evaluator);
  }
  void TearDown() override {
    plugin_->close(decoder_);
    munmap(memory_, kRoom);
  }
  uint64_t Place(uint64_t offset) const { return reinterpret_cast<uint64_t>(code_) + offset; }
  // The exit of the section [0, length) of `code` for a thread at `from`, relative to code_; ~0 if there is none.
  template <typename Unit>
  uint64_t Exit(const std::vector<Unit>& code, uint64_t length, uint64_t from = 0) {
    std::memcpy(code_, code.data(), code.size() * sizeof(Unit));
    ClearPageCache(&scratch_->evaluator.memory.pages);
    const AddressRange section{Place(0), Place(length)};
    const uint64_t exit = FindCriticalSectionExit(*plugin_, decoder_, scratch_.get(), section, Place(from));
    return exit == 0 ? ~0ull : exit - Place(0);
  }

  alignas(64) uint8_t arena_[kDecoderArenaBytes];
  const softlbr_decoder_plugin* plugin_;
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<ScratchState> scratch_ = std::make_unique<ScratchState>();
  uint8_t* memory_ = nullptr;
  uint8_t* code_ = nullptr;
};

}  // namespace softlbr

#endif  // SOFTLBR_TESTS_RUNTIME_TRACE_RESTARTABLE_FIXTURE_H_
