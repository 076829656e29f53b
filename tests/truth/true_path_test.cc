// Tests the reference itself, on a program whose path is known beforehand.
#include "tests/truth/true_path.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "tests/truth/recording.h"

namespace softlbr::truth {
namespace {

using Pair = std::pair<uint64_t, uint64_t>;

std::vector<Pair> AddressesOf(const TruePath& path, size_t chunk) {
  std::vector<Pair> pairs;
  for (const BranchNumber number : path.chunks.at(chunk)) {
    pairs.emplace_back(path.branches[number].from.address, path.branches[number].to.address);
  }
  return pairs;
}

class TruePathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = MissingCapability();
    if (missing.starts_with("ptrace")) GTEST_SKIP() << "needs " << missing;
    launch_.arguments = {SOFTLBR_TRUTH_PROGRAMS "/truth_known_path"};
    launch_.environment = {"LANG=C"};
    launch_.standard_output = output_;
  }
  void TearDown() override { std::filesystem::remove(output_); }

  const std::string output_ = ::testing::TempDir() + "/known_path." + std::to_string(getpid());
  Launch launch_;
  TruePath path_;
};

TEST_F(TruePathTest, EqualsThePathThatTheProgramPrints) {
  ASSERT_EQ(StepThrough(launch_, Stepped::kItself, {}, 10000, &path_), "");
  EXPECT_EQ(path_.exit_status, 0);
  std::vector<std::vector<Pair>> expected(1);
  std::ifstream table(output_, std::ios::binary);
  for (Pair pair; table.read(reinterpret_cast<char*>(&pair), sizeof pair);) {
    if (pair.first == 0) {
      expected.emplace_back();
    } else {
      expected.back().push_back(pair);
    }
  }
  ASSERT_EQ(expected.size(), 2u) << "the program did not print its table";
  ASSERT_EQ(path_.chunks.size(), 2u) << "one for the program, one for its signal handler";
  EXPECT_EQ(AddressesOf(path_, 0), expected[0]);
  EXPECT_EQ(AddressesOf(path_, 1), expected[1]);
  EXPECT_EQ(path_.signals, 1u);
  EXPECT_EQ(path_.kernel_moves, 0u);
}

TEST_F(TruePathTest, FollowsTheProgramThatACommandStarts) {
  TruePath direct;
  ASSERT_EQ(StepThrough(launch_, Stepped::kItself, {}, 10000, &direct), "");
  launch_.arguments = {"/bin/sh", "-c", launch_.arguments[0] + "; exit 3"};
  ASSERT_EQ(StepThrough(launch_, Stepped::kFirstChild, {}, 10000, &path_), "");
  ASSERT_EQ(path_.chunks.size(), 2u);
  EXPECT_EQ(AddressesOf(path_, 0), AddressesOf(direct, 0));
  EXPECT_EQ(path_.exit_status, 0) << "of the program, not of the shell";
}

TEST_F(TruePathTest, StopsAProgramThatTakesTooLong) {
  EXPECT_NE(StepThrough(launch_, Stepped::kItself, {}, 10, &path_).find("more than 10 steps"), std::string::npos);
}

TEST_F(TruePathTest, ReportsAProgramThatCannotBeStarted) {
  launch_.arguments = {"/nonexistent/program"};
  EXPECT_NE(StepThrough(launch_, Stepped::kItself, {}, 10, &path_).find("cannot start"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::truth
