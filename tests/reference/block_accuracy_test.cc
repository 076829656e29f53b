// Tests the tools of studies/trust: errors of block counts against a count that is known, and the smallest form of its
// experiment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "studies/trust/reference_blocks.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::trust {
namespace {

bool RunQuietly(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1 < /dev/null").c_str()) == 0;
}

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
  // Writes a copy of a profile, changed.
  template <typename Change>
  void WriteChanged(const std::string& from, const std::string& name, const Change& change) const {
    auto read = toolchain::ReadProfileFile(In(from));
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
  const auto largest = std::max_element(reference.blocks().begin(), reference.blocks().end(),
                                        [](const ReferenceBlock& a, const ReferenceBlock& b) {
                                          return a.executions * a.mnemonics.size() < b.executions * b.mnemonics.size();
                                        });
  WriteChanged("exact", "one", [&](toolchain::Profile* profile) {
    profile->samples = {{{largest->module, largest->start}, 17}, {{toolchain::kNoModule, 0}, 17}};
  });
  const Estimate estimate = reference.Of(In("one"), Method::kSamples);
  EXPECT_EQ(estimate.events, 34u);
  EXPECT_DOUBLE_EQ(estimate.unmatched, 0.5);
  const double share = static_cast<double>(largest->executions * largest->mnemonics.size()) /
                       static_cast<double>(reference.instructions());
  EXPECT_NEAR(reference.ErrorsOf(estimate).by_block, 2 * (1 - share), 1e-9);
}

// The smallest form of studies/trust/hbbp.sh. The emulator repeats exactly.
TEST_F(BlockAccuracy, HybridCountsOfIdealSamplesGiveTheInstructionMix) {
  ASSERT_TRUE(CountExactly("--every 2003 --sampled " + In("ideal"), Program("particle_steps") + " 10000"));
  const Reference reference(In("exact"), {Program("particle_steps")});
  const Errors hybrid = reference.ErrorsOf(reference.Of(In("ideal"), Method::kHybrid));
  const Errors branches = reference.ErrorsOf(reference.Of(In("ideal"), Method::kRanges));
  EXPECT_LE(hybrid.by_mnemonic, 0.021);
  EXPECT_LT(hybrid.by_block, branches.by_block);
  double seen = 0;
  for (const TrainingRow& row : reference.TrainingRows(In("ideal"))) {
    EXPECT_TRUE(row.features.is_by_instructions);
    seen += row.exact;
  }
  EXPECT_GT(seen, 0.99);  // nearly all executed instructions are in blocks that the profile shows
}

// The PMU of a machine that has one samples by taken branches, and its pcs are those behind a branch: the counts of
// branches alone are right, without skid and with one of 30 instructions.
TEST_F(BlockAccuracy, CountsOfBranchEventsAreThoseOfTheBranches) {
  for (const std::string program :
       {"particle_steps 4000", "event_network 200000", "box_distance 300000", "latency_biased 2000000"}) {
    for (const std::string skid : {"", " --skid 30"}) {
      ASSERT_TRUE(CountExactly("--every 101 --branches" + skid + " --sampled " + In("taken"), Program(program)));
      const Reference reference(In("exact"), {Program(program.substr(0, program.find(' ')))});
      const double hybrid = reference.ErrorsOf(reference.Of(In("taken"), Method::kHybrid)).by_block;
      const double branches = reference.ErrorsOf(reference.Of(In("taken"), Method::kRanges)).by_block;
      const double samples = reference.ErrorsOf(reference.Of(In("taken"), Method::kSamples)).by_block;
      EXPECT_LE(hybrid, branches + 1e-9) << program << skid;
      // windows that all end alike behind a branch are not even
      EXPECT_LE(hybrid, skid.empty() ? 0.03 : 0.15) << program << skid;
      EXPECT_GT(samples, 3 * hybrid) << program << skid;
    }
  }
}

// What a profile that was merged from sessions of several events says of each sample is not known.
TEST_F(BlockAccuracy, SamplesOfSeveralEventsAreNotTakenForCounts) {
  ASSERT_TRUE(CountExactly("--every 101 --branches --sampled " + In("taken"), Program("particle_steps") + " 4000"));
  ASSERT_TRUE(CountExactly("--every 2003 --sampled " + In("sampled"), Program("particle_steps") + " 4000"));
  WriteChanged("sampled", "ideal", [](toolchain::Profile* profile) { ++profile->sessions[0].session_id; });
  ASSERT_TRUE(
      RunQuietly(std::string(SOFTLBR_COMMAND) + " merge -o " + In("both") + " " + In("taken") + " " + In("ideal")));
  const Reference reference(In("exact"), {Program("particle_steps")});
  const double hybrid = reference.ErrorsOf(reference.Of(In("both"), Method::kHybrid)).by_block;
  EXPECT_LE(hybrid, reference.ErrorsOf(reference.Of(In("both"), Method::kRanges)).by_block + 1e-9);
}

// Counts by name, which the rows of a CSV of a command begin with; another column may follow.
std::map<std::string, double> CountsOf(const std::string& command, const std::string& folder) {
  EXPECT_EQ(std::system((command + " > " + folder + "/csv").c_str()), 0) << command;
  std::ifstream file(folder + "/csv");
  std::map<std::string, double> counts;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const size_t name_end = line[0] == '"' ? line.find("\",") + 1 : line.find(',');
    std::string name = line.substr(0, name_end);
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    counts[name] = std::atof(line.c_str() + name_end + 1);
  }
  return counts;
}

double Sum(const std::map<std::string, double>& counts) {
  double sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

// The average relative error, weighted by frequency.
double ErrorOf(const std::map<std::string, double>& measured, const std::map<std::string, double>& exact) {
  double error = 0;
  for (const auto& [name, count] : exact) {
    const auto found = measured.find(name);
    error += std::abs((found == measured.end() ? 0 : found->second / Sum(measured)) - count / Sum(exact));
  }
  return error;
}

// The counts that were chosen are those of every command. By ranges alone the error would be 8 %.
TEST_F(BlockAccuracy, TheMixTheDatabaseAndTheReportHaveTheChosenCounts) {
  ASSERT_TRUE(CountExactly("--every 2003 --sampled " + In("ideal"), Program("particle_steps") + " 10000"));
  const std::string binary = " -b " + Program("particle_steps"), command = SOFTLBR_COMMAND;
  const std::string by_mnemonic = command + " mix --csv --by mnemonic" + binary + " ";
  const auto exact = CountsOf(by_mnemonic + In("exact"), folder_), mix = CountsOf(by_mnemonic + In("ideal"), folder_);
  ASSERT_GT(Sum(mix), 0);
  EXPECT_LE(ErrorOf(mix, exact), 0.021);
  const auto functions = CountsOf(command + " mix --csv --by function" + binary + " " + In("ideal"), folder_);
  EXPECT_EQ(Sum(functions), Sum(mix));
  ASSERT_EQ(std::system((command + " report --json" + binary + " " + In("ideal") + " > " + In("report")).c_str()), 0);
  const auto report = nlohmann::json::parse(std::ifstream(In("report")));
  EXPECT_EQ(report["executed_instructions"].get<double>(), Sum(mix));
  std::map<std::string, double> reported;  // names may be in several modules
  for (const auto& function : report["functions"]) {
    const double count = function["executed_instructions"];
    if (count != 0)
      reported[function["name"].is_null() ? "(no symbols)" : function["name"].get<std::string>()] += count;
  }
  EXPECT_EQ(reported, functions);
  setenv("SOFTLBR_DUCKDB", SOFTLBR_ENGINE_FILE, 0);
  if (!RunQuietly(command + " db ingest " + In("x.db") + " " + In("ideal") + binary))
    GTEST_SKIP() << "missing: DuckDB's library";
  const std::string question = " \"SELECT mnemonic, sum(count) FROM asm GROUP BY ALL\"";
  EXPECT_LE(ErrorOf(CountsOf(command + " db query --csv " + In("x.db") + question, folder_), exact), 0.021);
}

// The smallest form of studies/trust/run.sh. Both errors are ratios of counts.
TEST_F(BlockAccuracy, LookAheadSeesTheLatencyBiasedKernelAsItIs) {
  const std::string program = Program("latency_biased") + " 20000000";
  ASSERT_TRUE(CountExactly("--every 20011 --sampled " + In("ideal"), program));
  const Reference reference(In("exact"), {Program("latency_biased")});
  EXPECT_LE(reference.ErrorsOf(reference.Of(In("ideal"), Method::kSamples)).by_block, 0.05);
  if (!RunQuietly(std::string(SOFTLBR_PC_SAMPLES) + " -c 50021 -o " + In("clock") + " -- " + program)) {
    GTEST_SKIP() << "needs a clock event of perf";
  }
  ASSERT_TRUE(RunQuietly(std::string(SOFTLBR_COMMAND) + " record -q --no-children -c 50021 --branches 128 -o " +
                         In("lookahead") + " -- " + program));
  const double by_clock = reference.ErrorsOf(reference.Of(In("clock"), Method::kSamples)).by_block;
  const double by_lookahead = reference.ErrorsOf(reference.Of(In("lookahead"), Method::kRanges)).by_block;
  EXPECT_LE(by_lookahead, 0.08);
  EXPECT_LT(by_lookahead, by_clock);
}

}  // namespace
}  // namespace softlbr::trust
