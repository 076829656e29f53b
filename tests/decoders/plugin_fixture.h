// The statically linked x86-64 plugin, opened for a fixed vendor on any machine, and helpers that match uops in tests
// of lift().
#ifndef SOFTLBR_TESTS_DECODERS_PLUGIN_FIXTURE_H_
#define SOFTLBR_TESTS_DECODERS_PLUGIN_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "decoders/api/plugin.h"
#include "decoders/x86_64/plugin_x86_64.h"
#include "platform/base/registers_x86_64.h"

namespace softlbr::test {

inline constexpr uint64_t kPc = 0x401000;

class PluginTest : public ::testing::Test {
 protected:
  explicit PluginTest(uint32_t variant = SOFTLBR_X86_64_TODAYS_INTEL)
      : plugin_(*softlbr_decoder_plugin_x86_64()), arena_(plugin_.arena_bytes + 64) {
    void* arena = arena_.data();
    size_t room = arena_.size();
    std::align(64, plugin_.arena_bytes, arena, room);
    EXPECT_EQ(plugin_.open(arena, plugin_.arena_bytes, variant, &decoder_), SOFTLBR_DECODER_OK);
  }
  ~PluginTest() override { plugin_.close(decoder_); }

  const softlbr_block& Lift(std::span<const uint8_t> code) {
    EXPECT_EQ(plugin_.lift(decoder_, code.data(), code.size(), kPc, &block_), SOFTLBR_DECODER_OK);
    return block_;
  }
  const softlbr_block& Lift(std::initializer_list<uint8_t> code) {
    return Lift(std::span<const uint8_t>(code.begin(), code.size()));
  }

  const softlbr_decoder_plugin& plugin_;
  softlbr_decoder* decoder_ = nullptr;
  softlbr_block block_ = {};

 private:
  std::vector<uint8_t> arena_;
};

// True if the block makes this register slot (or its low bytes) UNKNOWN.
inline bool Forgets(const softlbr_block& block, uint32_t slot) {
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    const softlbr_uop& uop = block.uops[i];
    if (uop.op != SOFTLBR_OP_UNKNOWN) continue;
    const uint32_t regs = (uop.width + 7u) / 8;
    if (slot >= uop.dst && slot < uop.dst + regs) return true;
  }
  return false;
}
inline bool HasOp(const softlbr_block& block, uint32_t op) {
  for (uint32_t i = 0; i < block.uop_count; ++i)
    if (block.uops[i].op == op) return true;
  return false;
}
inline const softlbr_uop* FindOp(const softlbr_block& block, uint32_t op) {
  for (uint32_t i = 0; i < block.uop_count; ++i)
    if (block.uops[i].op == op) return &block.uops[i];
  return nullptr;
}

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_DECODERS_PLUGIN_FIXTURE_H_
