// Tests the tools of bench/trust: errors of block counts against a count that is known, and the smallest form of its experiment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "bench/trust/reference_blocks.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::trust {
namespace {

bool RunQuietly(const std::string& command) { return std::system((command + " > /dev/null 2>&1 < /dev/null").c_str()) == 0; }

class BlockAccuracy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RunQuietly("command -v qemu-x86_64")) GTEST_SKIP() << "needs qemu-x86_64 with plugins (Debian: qemu-user)";
    folder_ = ::testing::TempDir() + "/block_accuracy." + std::to_string(getpid());
    ASSERT_TRUE(RunQuietly("mkdir -p " + folder_));
  }
  void TearDown() override {
    if (!folder_.empty()) RunQuietly("rm -rf " + folder_);
  }

  std::string In(const std::string& name) const { return folder_ + "/" + name; }
  static std::string Program(const std::string& name) { return std::string(SOFTLBR_TRUST_PROGRAMS) + "/" + name; }

  bool CountExactly(const std::string& options, const std::string& program) const {
    return RunQuietly(std::string(SOFTLBR_EXACT_COUNTS) + " -q -o " + In("exact") + " " + options + " -- " + program);
  }
  // Writes a copy of the exact counts, changed.
  template <typename Change>
  void WriteChanged(const std::string& name, const Change& change) const {
    auto read = toolchain::ReadProfileFile(In("exact"));
    ASSERT_TRUE(std::holds_alternative<toolchain::Profile>(read));
    toolchain::Profile profile = std::get<toolchain::Profile>(std::move(read));
    change(&profile);
    ASSERT_EQ(toolchain::WriteProfileFile(profile, In(name)), "");
  }

  std::string folder_;
};

TEST_F(BlockAccuracy, ExactCountsHaveNoError) {
  ASSERT_TRUE(CountExactly("", Program("latency_biased") + " 10000"));
  const Reference reference(In("exact"), {Program("latency_biased")});
  const Errors errors = reference.ErrorsOf(reference.Of(In("exact"), Method::kRanges));
  EXPECT_DOUBLE_EQ(errors.by_block, 0);
  EXPECT_DOUBLE_EQ(errors.by_mnemonic, 0);
}

TEST_F(BlockAccuracy, SamplesInOneInstructionAreAsWrongAsTheShareOfAllOtherBlocks) {
  ASSERT_TRUE(CountExactly("", Program("latency_biased") + " 10000"));
  const Reference reference(In("exact"), {Program("latency_biased")});
  const auto largest =
      std::max_element(reference.blocks().begin(), reference.blocks().end(), [](const ReferenceBlock& a, const ReferenceBlock& b) {
        return a.executions * a.mnemonics.size() < b.executions * b.mnemonics.size();
      });
  WriteChanged("one", [&](toolchain::Profile* profile) {
    profile->samples = {{{largest->module, largest->start}, 17}, {{toolchain::kNoModule, 0}, 17}};
  });
  const Estimate estimate = reference.Of(In("one"), Method::kSamples);
  EXPECT_EQ(estimate.events, 34u);
  EXPECT_DOUBLE_EQ(estimate.unmatched, 0.5);
  const double share =
      static_cast<double>(largest->executions * largest->mnemonics.size()) / static_cast<double>(reference.instructions());
  EXPECT_NEAR(reference.ErrorsOf(estimate).by_block, 2 * (1 - share), 1e-9);
}

// The smallest form of bench/trust/hbbp.sh. The emulator repeats exactly.
TEST_F(BlockAccuracy, HybridCountsOfIdealSamplesGiveTheInstructionMix) {
  ASSERT_TRUE(CountExactly("--every 2003 --sampled " + In("ideal"), Program("particle_steps") + " 10000"));
  const Reference reference(In("exact"), {Program("particle_steps")});
  const Errors hybrid = reference.ErrorsOf(reference.Of(In("ideal"), Method::kHybrid));
  const Errors branches = reference.ErrorsOf(reference.Of(In("ideal"), Method::kRanges));
  EXPECT_LE(hybrid.by_mnemonic, 0.021);
  EXPECT_LT(hybrid.by_block, branches.by_block);
  double seen = 0;
  for (const TrainingRow& row : reference.TrainingRows(In("ideal"))) {
    EXPECT_FALSE(row.features.is_by_time);
    seen += row.exact;
  }
  EXPECT_GT(seen, 0.99);  // nearly all executed instructions are in blocks that the profile shows
}

// The smallest form of bench/trust/run.sh. Both errors are ratios of counts.
TEST_F(BlockAccuracy, LookAheadSeesTheLatencyBiasedKernelAsItIs) {
  const std::string program = Program("latency_biased") + " 20000000";
  ASSERT_TRUE(CountExactly("--every 20011 --sampled " + In("ideal"), program));
  const Reference reference(In("exact"), {Program("latency_biased")});
  EXPECT_LE(reference.ErrorsOf(reference.Of(In("ideal"), Method::kSamples)).by_block, 0.05);
  if (!RunQuietly(std::string(SOFTLBR_PC_SAMPLES) + " -c 50021 -o " + In("clock") + " -- " + program)) {
    GTEST_SKIP() << "needs a clock event of perf";
  }
  ASSERT_TRUE(RunQuietly(std::string(SOFTLBR_COMMAND) + " record -q --no-children -c 50021 --branches 128 -o " + In("lookahead") +
                         " -- " + program));
  const double by_clock = reference.ErrorsOf(reference.Of(In("clock"), Method::kSamples)).by_block;
  const double by_lookahead = reference.ErrorsOf(reference.Of(In("lookahead"), Method::kRanges)).by_block;
  EXPECT_LE(by_lookahead, 0.08);
  EXPECT_LT(by_lookahead, by_clock);
}

}  // namespace
}  // namespace softlbr::trust
