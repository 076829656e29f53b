// Calls a fuzzer's function for each file of its corpus and for truncated copies, without a fuzzing engine. Built once per fuzzer;
// SOFTLBR_CORPUS is the corpus folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

TEST(CorpusReplay, HandlesEveryFileAndItsPrefixes) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SOFTLBR_CORPUS)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
    std::vector<uint8_t> bytes(text.begin(), text.end());
    ++files;
    EXPECT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
    const size_t step = std::max<size_t>(1, bytes.size() / 64);
    for (size_t size = 0; size < bytes.size(); size += step) {
      const std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_EQ(LLVMFuzzerTestOneInput(shorter.data(), shorter.size()), 0);
    }
  }
  EXPECT_GT(files, 0u) << "no corpus at " << SOFTLBR_CORPUS;
}

}  // namespace
