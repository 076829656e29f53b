#include "tests/guest/path_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace softlbr::guest {
namespace {

using truth::BranchNumber;
using Piece = std::vector<BranchNumber>;

class PathLogTest : public ::testing::Test {
 protected:
  void Put(PathWord kind, uint64_t value) { words_.push_back(static_cast<uint64_t>(kind) << kPathWordShift | value); }
  void Branch(uint64_t from, uint64_t to, uint64_t steps) {
    Put(PathWord::kBranch, from);
    words_.push_back(steps << kPathStepsShift | to);
  }
  PathLog Written() {
    const std::string name = ::testing::TempDir() + "softlbr_path_log." + std::to_string(getpid());
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(words_.data()),
               static_cast<std::streamsize>(words_.size() * sizeof(uint64_t)));
    file.close();
    PathLog log(name);
    std::remove(name.c_str());
    return log;
  }
  std::vector<uint64_t> words_;
};

TEST_F(PathLogTest, InterruptedChunkContinuesAfterTheHandler) {
  Put(PathWord::kBegin, 100);
  Branch(104, 200, 2);
  Put(PathWord::kEnterHandler, 500);
  Branch(504, 600, 2);
  Put(PathWord::kLeaveHandler, 1);
  Branch(204, 104, 2);
  Branch(104, 200, 1);
  Put(PathWord::kEnd, 0);
  PathLog log = Written();
  EXPECT_EQ(log.PathCount(), 1u);
  truth::TruePath path;
  ASSERT_EQ(log.Next(&path), "");
  ASSERT_EQ(path.chunks.size(), 2u);
  EXPECT_EQ(path.chunks[0], (Piece{0, 2, 0}));
  EXPECT_EQ(path.chunks[1], (Piece{1}));
  EXPECT_EQ(path.run_steps[0], (std::vector<uint32_t>{2, 2, 1}));
  EXPECT_EQ(path.piece_starts[1].address, 500u);
  EXPECT_EQ(path.signals, 1u);
  EXPECT_EQ(path.TakenCount(), 4u);
  EXPECT_NE(log.Next(&path), "");
}

TEST_F(PathLogTest, ReadsSeveralPathsInOrder) {
  for (uint64_t i = 0; i < 2; ++i) {
    Put(PathWord::kBegin, 100);
    Branch(104 + i, 200, 2);
    Put(PathWord::kEnd, 0);
  }
  PathLog log = Written();
  EXPECT_EQ(log.PathCount(), 2u);
  truth::TruePath first, second;
  ASSERT_EQ(log.Next(&first), "");
  ASSERT_EQ(log.Next(&second), "");
  EXPECT_EQ(first.branches[0].from.address, 104u);
  EXPECT_EQ(second.branches[0].from.address, 105u);
}

TEST_F(PathLogTest, KeepsAllBitsOfAddresses) {
  constexpr uint64_t kHighest = (uint64_t{1} << 52) - 4;
  Put(PathWord::kBegin, kHighest - 40);
  Branch(kHighest, kHighest - 8, kMostPathSteps);
  Branch(kHighest, kHighest - 8, 3);
  Put(PathWord::kEnd, 0);
  PathLog log = Written();
  truth::TruePath path;
  ASSERT_EQ(log.Next(&path), "");
  EXPECT_EQ(path.piece_starts[0].address, kHighest - 40);
  ASSERT_EQ(path.branches.size(), 1u);
  EXPECT_EQ(path.branches[0].from.address, kHighest);
  EXPECT_EQ(path.branches[0].to.address, kHighest - 8);
  EXPECT_EQ(path.run_steps[0], (std::vector<uint32_t>{kMostPathSteps, 3}));
}

TEST_F(PathLogTest, MoveByTheKernelEndsTheChunk) {
  Put(PathWord::kBegin, 100);
  Branch(104, 200, 2);
  Put(PathWord::kMove, 900);
  Branch(904, 200, 2);
  Put(PathWord::kEnd, 0);
  PathLog log = Written();
  truth::TruePath path;
  ASSERT_EQ(log.Next(&path), "");
  EXPECT_EQ(path.kernel_moves, 1u);
  EXPECT_EQ(path.chunks.size(), 2u);
}

TEST_F(PathLogTest, LostAndUnfinishedPathsAreErrors) {
  Put(PathWord::kBegin, 100);
  Put(PathWord::kLost, 104);
  Put(PathWord::kEnd, 0);
  truth::TruePath lost;
  EXPECT_NE(Written().Next(&lost), "");
  words_.resize(1);
  truth::TruePath unfinished;
  EXPECT_NE(Written().Next(&unfinished), "");
}

}  // namespace
}  // namespace softlbr::guest
