// Tests exact_counts on programs whose counts are known: by construction, or by single-stepping them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/truth/recording.h"
#include "tests/truth/true_path.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::reference {
namespace {

using Pair = std::pair<uint64_t, uint64_t>;
using Counts = std::map<Pair, uint64_t>;

bool IsInPath(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

class ExactCounts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!IsInPath("qemu-x86_64")) GTEST_SKIP() << "needs qemu-x86_64 with plugins (Debian: qemu-user)";
    folder_ = ::testing::TempDir() + "/exact_counts." + std::to_string(getpid());
    ASSERT_EQ(std::system(("mkdir -p " + folder_).c_str()), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) (void)!std::system(("rm -rf " + folder_).c_str());
  }

  int Run(const std::string& arguments) const {
    const int status = std::system((std::string(SOFTLBR_EXACT_COUNTS) + " -o " + folder_ + "/exact.slbr " + arguments +
                                    " > " + folder_ + "/output 2> " + folder_ + "/error")
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  toolchain::Profile Profile(const std::string& name = "exact.slbr") const {
    auto read = toolchain::ReadProfileFile(folder_ + "/" + name);
    EXPECT_TRUE(std::holds_alternative<toolchain::Profile>(read)) << Text("error");
    return std::holds_alternative<toolchain::Profile>(read) ? std::get<toolchain::Profile>(read) : toolchain::Profile{};
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

// Counts of the branches within one module.
Counts OfModule(const toolchain::Profile& profile, const std::string& name) {
  Counts counts;
  for (const toolchain::BranchCount& row : profile.branches) {
    if (row.from.module == toolchain::kNoModule || row.to.module != row.from.module) continue;
    if (profile.modules[row.from.module].name == name) counts[{row.from.address, row.to.address}] = row.count;
  }
  return counts;
}

TEST_F(ExactCounts, EqualThePathThatTheProgramPrints) {
  ASSERT_EQ(Run(std::string("-- ") + SOFTLBR_TRUTH_PROGRAMS "/truth_known_path"), 0) << Text("error");
  Counts expected;
  const std::string table = Text("output");
  const auto* pairs = reinterpret_cast<const Pair*>(table.data());
  for (size_t i = 0; i < table.size() / sizeof(Pair); ++i) {
    // 0: a separator. The one conditional branch to its own end, of two bytes, cannot be seen (exact_counts_plugin.cc).
    if (pairs[i].first != 0 && pairs[i].second != pairs[i].first + 2) ++expected[pairs[i]];
  }
  ASSERT_GE(expected.size(), 8u) << "the program did not print its table";
  EXPECT_EQ(OfModule(Profile(), "truth_known_path"), expected);
}

TEST_F(ExactCounts, EqualThoseOfSingleStepping) {
  const std::string missing = truth::MissingCapability();
  if (missing.starts_with("ptrace")) GTEST_SKIP() << "needs " << missing;
  truth::Launch launch;
  launch.arguments = {SOFTLBR_TRUTH_PROGRAMS "/truth_string_moves", "20"};  // has repeated string instructions
  launch.environment = {"LANG=C"};
  truth::TruePath path;
  ASSERT_EQ(truth::StepThrough(launch, truth::Stepped::kItself, {}, 4000000, &path), "");
  // The program's own module: libc chooses functions by the CPU, and the emulator's is another.
  Counts expected;
  for (const auto& chunk : path.chunks) {
    for (const truth::BranchNumber number : chunk) {
      const truth::TakenBranch& branch = path.branches[number];
      if (branch.from.module != branch.to.module || branch.from.module == truth::kNoTruthModule) continue;
      if (path.modules.modules()[branch.from.module].path != launch.arguments[0]) continue;
      ++expected[{branch.from.address, branch.to.address}];
    }
  }
  ASSERT_EQ(Run("-- " + launch.arguments[0] + " 20"), 0) << Text("error");
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(OfModule(Profile(), "truth_string_moves"), expected);
}

// QEMU tells of instructions across page boundaries twice.
TEST_F(ExactCounts, BranchesAcrossPageBoundariesAreCountedOnce) {
  ASSERT_EQ(Run(std::string("-- ") + SOFTLBR_REFERENCE_PROGRAMS "/page_ends_x86_64"), 0) << Text("error");
  EXPECT_NE(Text("error").find(" 124 instructions, 69 taken branches"), std::string::npos) << Text("error");
  const toolchain::Profile profile = Profile();
  std::map<uint64_t, uint64_t> branches, ranges;
  for (const auto& [branch, count] : OfModule(profile, "page_ends_x86_64")) {
    EXPECT_NE(branch.first, branch.second);
    branches[branch.first] += count;
  }
  for (const toolchain::RangeCount& row : profile.ranges) ranges[row.last] += row.count;
  EXPECT_EQ(branches.size(), 7u);
  EXPECT_EQ(ranges, branches);  // each branch ends a range: none is cut
}

TEST_F(ExactCounts, OfAnAarch64ProgramAreThoseOfItsLoops) {
  if (!IsInPath("qemu-aarch64")) GTEST_SKIP() << "needs qemu-aarch64 with plugins (Debian: qemu-user)";
  const std::string program = SOFTLBR_REFERENCE_PROGRAMS "/counted_loops_aarch64";
  if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "needs aarch64-linux-gnu-gcc at build time";
  ASSERT_EQ(Run("-- " + program), 0) << Text("error");
  std::multimap<uint64_t, int> by_count;
  for (const auto& [branch, count] : OfModule(Profile(), "counted_loops_aarch64")) by_count.emplace(count, 0);
  std::vector<uint64_t> counts;
  for (const auto& [count, unused] : by_count) counts.push_back(count);
  EXPECT_EQ(counts, (std::vector<uint64_t>{4, 30, 35, 35}));  // outer, inner, call, return
  EXPECT_NE(Text("error").find(" 194 instructions, 104 taken branches"), std::string::npos) << Text("error");
}

// Samples at every 7th branch with an LBR of 5 hold each branch as often as 5/7 of its executions, but at the ends of
// the run.
TEST_F(ExactCounts, ASimulatedLbrAtEveryBranchHoldsTheTrueShares) {
  const std::string program = SOFTLBR_TRUTH_PROGRAMS "/truth_recursion 2";
  ASSERT_EQ(Run("--lbr 5 --every 7 --branches --sampled " + folder_ + "/sampled.slbr -- " + program), 0)
      << Text("error");
  const Counts exact = OfModule(Profile(), "truth_recursion");
  const toolchain::Profile sampled_profile = Profile("sampled.slbr");
  const Counts sampled = OfModule(sampled_profile, "truth_recursion");
  uint64_t checked = 0, samples = 0;
  for (const auto& [branch, count] : exact) {
    if (count < 300) continue;
    ASSERT_TRUE(sampled.contains(branch));
    EXPECT_NEAR(static_cast<double>(sampled.at(branch)), static_cast<double>(count) * 5 / 7,
                0.1 * static_cast<double>(count));
    ++checked;
  }
  EXPECT_GT(checked, 3u);
  for (const toolchain::SampleCount& row : sampled_profile.samples) samples += row.count;
  EXPECT_EQ(samples, sampled_profile.counters.samples);
}

TEST_F(ExactCounts, SamplesAreAtEveryPthInstruction) {
  ASSERT_EQ(Run("--every 100 --sampled " + folder_ + "/sampled.slbr -- " SOFTLBR_TRUTH_PROGRAMS "/truth_recursion 1"),
            0);
  const uint64_t instructions =
      std::strtoull(Text("error").c_str() + std::string("exact_counts: ").size(), nullptr, 10);
  const uint64_t samples = Profile("sampled.slbr").counters.samples;
  EXPECT_GT(samples, 1000u);
  // The first is at instruction number 100.
  EXPECT_EQ(samples, (instructions - 1) / 100);
}

TEST_F(ExactCounts, StateWhyThereAreNone) {
  EXPECT_EQ(Run("-- /nonexistent/program"), 1);
  EXPECT_NE(Text("error").find("/nonexistent/program"), std::string::npos);
  EXPECT_EQ(Run("--every 5 -- /bin/true"), 2);
  EXPECT_EQ(Run("--lbr 0 -- /bin/true"), 2);
  EXPECT_EQ(Run("-- "), 2);
  EXPECT_EQ(Run("-- /bin/sh -c 'exec /bin/true'"), 1);
  EXPECT_NE(Text("error").find("exec"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::reference
