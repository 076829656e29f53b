// The statically linked AArch64 plugin, opened, for tests.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_PLUGIN_FIXTURE_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_PLUGIN_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/base/registers_aarch64.h"

namespace softlbr::test {

inline constexpr uint64_t kA64Pc = 0x401000;
// A real AArch64 library, from Debian's libc6-arm64-cross.
inline constexpr char kA64Libc[] = "/usr/aarch64-linux-gnu/lib/libc.so.6";

class A64PluginTest : public ::testing::Test {
 protected:
  A64PluginTest() : plugin_(*softlbr_decoder_plugin_aarch64()) {
    EXPECT_LE(plugin_.arena_bytes, sizeof(arena_));
    EXPECT_EQ(plugin_.open(arena_, sizeof(arena_), SOFTLBR_DECODER_VARIANT_HOST, &decoder_), SOFTLBR_DECODER_OK);
  }
  ~A64PluginTest() override { plugin_.close(decoder_); }

  const softlbr_block& Lift(const std::vector<uint32_t>& words, uint64_t pc = kA64Pc) {
    std::vector<uint8_t> code(4 * words.size());
    if (!words.empty()) std::memcpy(code.data(), words.data(), code.size());
    EXPECT_EQ(plugin_.lift(decoder_, code.data(), code.size(), pc, &block_), SOFTLBR_DECODER_OK);
    return block_;
  }

  const softlbr_decoder_plugin& plugin_;
  softlbr_decoder* decoder_ = nullptr;
  softlbr_block block_ = {};

 private:
  alignas(64) uint8_t arena_[4096] = {};
};

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_PLUGIN_FIXTURE_H_
