// The compressor that apps link makes the same bytes as zstd's own library, from the same memory.
#include "runtime/profile/compressor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "platform/base/limits.h"

namespace softlbr {
namespace {

using CompressorInput = std::vector<uint8_t>;

// Columns of varints, as in a payload: most differences are small.
CompressorInput VarintColumns(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::geometric_distribution<int> small(0.1);
  CompressorInput input(bytes);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(random() % 8 == 0 ? random() : small(random));
  return input;
}

// Words of a small vocabulary: long and short matches.
CompressorInput Phrases(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  CompressorInput input;
  while (input.size() < bytes) {
    std::mt19937 word(random() % 200);
    for (uint32_t length = 1 + word() % 30; length != 0; --length) input.push_back(static_cast<uint8_t>(word()));
  }
  input.resize(bytes);
  return input;
}

CompressorInput RandomBytes(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  CompressorInput input(bytes);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
  return input;
}

std::vector<CompressorInput> CompressorInputs() {
  std::vector<CompressorInput> all;
  uint32_t seed = 1;
  for (const size_t bytes :
       {0, 1, 2, 7, 63, 64, 255, 256, 257, 1000, 4095, 16383, 16384, 16385, 20000, 32769, 65535, 65536}) {
    all.push_back(VarintColumns(bytes, seed++));
    all.push_back(Phrases(bytes, seed++));
    all.push_back(RandomBytes(bytes, seed++));
    all.push_back(CompressorInput(bytes, uint8_t{7}));
  }
  for (; seed < 400; ++seed) all.push_back(seed % 2 != 0 ? VarintColumns(seed * 163, seed) : Phrases(seed * 163, seed));
  std::shuffle(all.begin(), all.end(), std::mt19937(5));
  return all;
}

class Compressor : public ::testing::Test {
 protected:
  Compressor() : memory_(kProfileZstdBytes / 8), output_(SOFTLBR_COMPRESS_BOUND(kProfileEncodeBytes)) {
    compressor_ = SoftlbrInitCompressor(memory_.data(), kProfileZstdBytes, kProfileEncodeBytes);
  }
  size_t Run(const CompressorInput& input) {
    return SoftlbrCompress(compressor_, output_.data(), output_.size(), input.data(), input.size());
  }

  std::vector<uint64_t> memory_;
  std::vector<uint8_t> output_;
  SoftlbrCompressor* compressor_;
};

TEST_F(Compressor, MakesTheBytesOfZstdsLibrary) {
  if (ZSTD_versionNumber() != 10504) GTEST_SKIP() << "missing: libzstd 1.5.4, whose bytes these are";
  ASSERT_NE(compressor_, nullptr);
  std::vector<uint64_t> memory(kProfileZstdBytes / 8);
  ZSTD_CCtx* theirs = ZSTD_initStaticCCtx(memory.data(), kProfileZstdBytes);
  ASSERT_NE(theirs, nullptr);
  ASSERT_EQ(ZSTD_isError(ZSTD_CCtx_setParameter(theirs, ZSTD_c_compressionLevel, SOFTLBR_COMPRESSION_LEVEL)), 0u);
  std::vector<uint8_t> expected(output_.size());
  for (const CompressorInput& input : CompressorInputs()) {
    const size_t bytes = ZSTD_compress2(theirs, expected.data(), expected.size(), input.data(), input.size());
    ASSERT_EQ(ZSTD_isError(bytes), 0u);
    ASSERT_EQ(Run(input), bytes) << input.size();
    ASSERT_EQ(std::memcmp(output_.data(), expected.data(), bytes), 0) << input.size();
  }
}

TEST_F(Compressor, RoundTrips) {
  ASSERT_NE(compressor_, nullptr);
  CompressorInput back(kProfileEncodeBytes);
  for (const CompressorInput& input : CompressorInputs()) {
    const size_t bytes = Run(input);
    ASSERT_NE(bytes, 0u);
    ASSERT_EQ(ZSTD_decompress(back.data(), back.size(), output_.data(), bytes), input.size());
    ASSERT_TRUE(std::equal(input.begin(), input.end(), back.begin()));
  }
}

TEST_F(Compressor, LongInputsAreCutIntoBlocksInTheSameMemory) {
  ASSERT_NE(compressor_, nullptr);
  for (const size_t bytes : {65537, 70000, 131072, 131073, 400001, 1 << 20}) {
    for (const CompressorInput& input :
         {VarintColumns(bytes, 1), Phrases(bytes, 2), RandomBytes(bytes, 3), CompressorInput(bytes, uint8_t{7})}) {
      std::vector<uint8_t> output(SOFTLBR_COMPRESS_BOUND(bytes));
      const size_t compressed = SoftlbrCompress(compressor_, output.data(), output.size(), input.data(), bytes);
      ASSERT_NE(compressed, 0u) << bytes;
      CompressorInput back(bytes);
      ASSERT_EQ(ZSTD_decompress(back.data(), back.size(), output.data(), compressed), bytes);
      ASSERT_EQ(back, input);
      // The bytes of zstd's library for the parameters of one block.
      if (ZSTD_versionNumber() != 10504) continue;
      std::vector<uint64_t> memory(kProfileZstdBytes / 8);
      ZSTD_CCtx* theirs = ZSTD_initStaticCCtx(memory.data(), kProfileZstdBytes);
      const ZSTD_compressionParameters of_block =
          ZSTD_getCParams(SOFTLBR_COMPRESSION_LEVEL, SOFTLBR_COMPRESSION_BLOCK, 0);
      std::vector<uint8_t> expected(output.size());
      for (const auto& [name, value] :
           std::initializer_list<std::pair<ZSTD_cParameter, unsigned>>{{ZSTD_c_windowLog, of_block.windowLog},
                                                                       {ZSTD_c_hashLog, of_block.hashLog},
                                                                       {ZSTD_c_chainLog, of_block.chainLog},
                                                                       {ZSTD_c_searchLog, of_block.searchLog},
                                                                       {ZSTD_c_minMatch, of_block.minMatch},
                                                                       {ZSTD_c_targetLength, of_block.targetLength},
                                                                       {ZSTD_c_strategy, of_block.strategy}}) {
        ASSERT_EQ(ZSTD_isError(ZSTD_CCtx_setParameter(theirs, name, static_cast<int>(value))), 0u);
      }
      const size_t expected_bytes = ZSTD_compress2(theirs, expected.data(), expected.size(), input.data(), bytes);
      ASSERT_EQ(compressed, expected_bytes);
      ASSERT_EQ(std::memcmp(output.data(), expected.data(), compressed), 0);
      // Too little room by a byte, and by a block.
      EXPECT_EQ(SoftlbrCompress(compressor_, output.data(), compressed - 1, input.data(), bytes), 0u);
      EXPECT_EQ(SoftlbrCompress(compressor_, output.data(), compressed / 2, input.data(), bytes), 0u);
    }
  }
}

TEST_F(Compressor, RefusesTooLittleMemory) {
  EXPECT_EQ(SoftlbrInitCompressor(memory_.data(), 0, kProfileEncodeBytes), nullptr);
  EXPECT_EQ(SoftlbrInitCompressor(memory_.data(), kProfileZstdBytes / 2, kProfileEncodeBytes), nullptr);
  EXPECT_NE(SoftlbrInitCompressor(memory_.data(), kProfileZstdBytes, kProfileEncodeBytes), nullptr);
}

TEST_F(Compressor, WritesNothingBeyondTheOutput) {
  ASSERT_NE(compressor_, nullptr);
  for (const CompressorInput& input : {Phrases(3000, 1), RandomBytes(3000, 2), VarintColumns(300, 3),
                                       CompressorInput(3000, uint8_t{7}), CompressorInput()}) {
    const size_t whole = Run(input);
    for (size_t room = 0; room < whole + 20; ++room) {
      std::vector<uint8_t> output(whole + 40, uint8_t{0x5a});
      const size_t bytes = SoftlbrCompress(compressor_, output.data(), room, input.data(), input.size());
      EXPECT_LE(bytes, room);
      for (size_t at = room; at < output.size(); ++at)
        ASSERT_EQ(output[at], 0x5a) << input.size() << " " << room << " " << at;
    }
    CompressorInput back(input.size() + 1);
    const size_t bytes = Run(input);  // a failure leaves nothing behind
    EXPECT_EQ(bytes, whole);
    EXPECT_EQ(ZSTD_decompress(back.data(), back.size(), output_.data(), bytes), input.size());
  }
}

}  // namespace
}  // namespace softlbr
