// Tests the matcher with sequences that are known to be right (cuts of the true path) and with wrong ones.
#include "tests/truth/trace_check.h"

#include <gtest/gtest.h>

#include <random>

namespace softlbr::truth {
namespace {

constexpr uint32_t kBlocks = 40;
constexpr uint64_t kBlockBytes = 64;

// A walk over a small flow graph: from the end of a block to the start of one of its two successors.
TruePath SyntheticPath(size_t transfers, uint32_t seed) {
  TruePath path;
  std::mt19937 random(seed);
  std::map<TakenBranch, BranchNumber> numbers;
  auto& chunk = path.chunks.emplace_back();
  path.piece_starts.push_back({0, 0});
  uint32_t block = 0;
  for (size_t i = 0; i < transfers; ++i) {
    const uint32_t next = random() % 4 ? (block * 7 + 3) % kBlocks : (block * 11 + 5) % kBlocks;
    const TakenBranch branch{{0, block * kBlockBytes + 60}, {0, next * kBlockBytes}};
    const auto [entry, is_new] = numbers.emplace(branch, static_cast<BranchNumber>(path.branches.size()));
    if (is_new) path.branches.push_back(branch);
    chunk.push_back(entry->second);
    block = next;
  }
  return path;
}

RecordedTrace Cut(const TruePath& path, size_t offset, size_t length) {
  RecordedTrace trace;
  for (size_t i = 0; i < length; ++i) trace.branches.push_back(path.branches[path.chunks[0][offset + i]]);
  // Somewhere in the block whose end is the first branch.
  trace.sampled_pc = {0, trace.branches[0].from.address - 60 + offset % 60};
  return trace;
}

class TraceCheckTest : public ::testing::Test {
 protected:
  TraceReport CheckOne(const RecordedTrace& trace) {
    TraceReport report;
    checker_.Check(trace, &report);
    return report;
  }

  const TruePath path_ = SyntheticPath(20000, 1);
  TraceChecker checker_{path_, {}};
  std::mt19937 random_{2};
};

TEST_F(TraceCheckTest, AcceptsEveryContiguousCut) {
  TraceReport report;
  for (int i = 0; i < 3000; ++i) {
    const size_t length = 1 + random_() % 64;
    checker_.Check(Cut(path_, random_() % (path_.chunks[0].size() - length + 1), length), &report);
  }
  EXPECT_EQ(report.compared, 3000u);
  EXPECT_EQ(report.Failed(), 0u) << report.Summary();
}

TEST_F(TraceCheckTest, AcceptsTheFirstAndTheLastWindow) {
  const size_t all = path_.chunks[0].size();
  EXPECT_EQ(CheckOne(Cut(path_, 0, 16)).Failed(), 0u);
  EXPECT_EQ(CheckOne(Cut(path_, all - 16, 16)).Failed(), 0u);
  EXPECT_EQ(CheckOne(Cut(path_, 0, all)).Failed(), 0u);
}

TEST_F(TraceCheckTest, RejectsATraceWithOneBranchMissing) {
  TraceReport report;
  for (int i = 0; i < 500; ++i) {
    RecordedTrace trace = Cut(path_, random_() % 19000, 16);
    trace.branches.erase(trace.branches.begin() + 1 + static_cast<ptrdiff_t>(random_() % 14));
    checker_.Check(trace, &report);
  }
  EXPECT_EQ(report.not_contiguous, 500u) << report.Summary();
}

TEST_F(TraceCheckTest, RejectsABranchThatNeverExecuted) {
  TraceReport report;
  for (int i = 0; i < 500; ++i) {
    RecordedTrace trace = Cut(path_, random_() % 19000, 16);
    trace.branches[random_() % 16].to.address += 4;
    checker_.Check(trace, &report);
  }
  EXPECT_EQ(report.never_executed, 500u) << report.Summary();
}

TEST_F(TraceCheckTest, RejectsAConditionalTakenTheWrongWay) {
  // The sequence takes one branch that the program, that time, did not take, and follows real branches after it.
  TraceReport report;
  for (size_t offset = 100; offset < 19000; offset += 97) {
    RecordedTrace trace = Cut(path_, offset, 8);
    const RecordedTrace other = Cut(path_, offset + 41, 8);
    trace.branches.insert(trace.branches.end(), other.branches.begin(), other.branches.end());
    if (trace.branches[7].to == other.branches[0].from) continue;
    checker_.Check(trace, &report);
  }
  // Random joins are right only by chance: a block's end leads to a block's start.
  EXPECT_GT(report.not_contiguous, report.compared * 9 / 10) << report.Summary();
}

TEST_F(TraceCheckTest, RejectsASampledPcOffThePath) {
  RecordedTrace trace = Cut(path_, 500, 16);
  trace.sampled_pc.address = trace.branches[0].from.address + 1;
  EXPECT_EQ(CheckOne(trace).wrong_start, 1u);
  trace.sampled_pc.address = trace.branches[0].from.address - 61;  // in the block before
  EXPECT_EQ(CheckOne(trace).wrong_start, 1u);
}

TEST_F(TraceCheckTest, DoesNotJoinChunks) {
  TruePath path = path_;
  const size_t middle = path.chunks[0].size() / 2;
  const std::vector<BranchNumber> second(path.chunks[0].begin() + static_cast<ptrdiff_t>(middle), path.chunks[0].end());
  // A sequence that occurs once only: long enough.
  const RecordedTrace across = Cut(path_, middle - 40, 80);
  path.chunks[0].resize(middle);
  path.chunks.push_back(second);
  path.piece_starts.push_back(path.branches[second[0]].from);
  TraceChecker checker(path, {});
  TraceReport report;
  checker.Check(across, &report);
  EXPECT_EQ(report.not_contiguous, 1u);
  EXPECT_NE(report.failures.at(0).find("[40]"), std::string::npos) << report.failures[0];
}

TEST_F(TraceCheckTest, NamesTheFirstDivergence) {
  RecordedTrace trace = Cut(path_, 700, 16);
  trace.branches[9].from.address += 2;
  const TraceReport report = CheckOne(trace);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_NE(report.failures[0].find("!!  [9]"), std::string::npos) << report.failures[0];
  EXPECT_NE(report.failures[0].find("never executed"), std::string::npos);
}

TEST_F(TraceCheckTest, CountsEmptyTracesSeparately) {
  const TraceReport report = CheckOne(RecordedTrace{});
  EXPECT_EQ(report.empty, 1u);
  EXPECT_EQ(report.compared, 0u);
}

TEST(PathIndex, AgreesWithBruteForceSearch) {
  std::mt19937 random(3);
  std::vector<std::vector<BranchNumber>> chunks(3);
  for (auto& chunk : chunks) {
    for (int i = 0; i < 200; ++i) chunk.push_back(random() % 3);
  }
  PathIndex index(chunks);
  for (int round = 0; round < 2000; ++round) {
    std::vector<BranchNumber> wanted;
    for (size_t i = 0; i < 1 + round % 9u; ++i) wanted.push_back(random() % 3);
    bool is_there = false;
    for (const auto& chunk : chunks) {
      is_there |= std::search(chunk.begin(), chunk.end(), wanted.begin(), wanted.end()) != chunk.end();
    }
    EXPECT_EQ(index.Find(wanted).has_value(), is_there);
  }
}

TEST(PathIndex, LongestPrefixStopsAtTheFirstMismatch) {
  const std::vector<std::vector<BranchNumber>> chunks = {{1, 2, 3, 4, 5, 6, 7}};
  PathIndex index(chunks);
  const std::vector<BranchNumber> wanted = {3, 4, 5, 9, 6};
  EXPECT_EQ(index.LongestPrefix(wanted), 3u);
  EXPECT_EQ(index.LongestPrefix(std::vector<BranchNumber>{9}), 0u);
}

TEST(Overlap, IsOneForEqualSharesAndZeroForDisjointOnes) {
  const TakenBranch a{{0, 1}, {0, 2}}, b{{0, 3}, {0, 4}};
  EXPECT_DOUBLE_EQ(Overlap({{a, 10}, {b, 30}}, {{a, 1}, {b, 3}}), 1.0);
  EXPECT_DOUBLE_EQ(Overlap({{a, 10}}, {{b, 3}}), 0.0);
  EXPECT_DOUBLE_EQ(Overlap({{a, 3}, {b, 1}}, {{a, 1}, {b, 1}}), 0.75);
  EXPECT_DOUBLE_EQ(Overlap({}, {{b, 1}}), 0.0);
}

}  // namespace
}  // namespace softlbr::truth
