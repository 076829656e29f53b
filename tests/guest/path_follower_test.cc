#include "tests/guest/path_follower.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softlbr::guest {
namespace {

constexpr uint32_t kReturn = 0xd65f03c0;     // ret
constexpr uint32_t kIfEqual16 = 0x54000080;  // b.eq .+16
constexpr uint32_t kJump32 = 0x14000008;     // b .+32
constexpr uint32_t kJumpBack = 0x17ffffff;   // b .-4

// What the sink received, as words.
class Heard final : public PathSink {
 public:
  void Branch(uint64_t from, uint64_t to, uint64_t steps) override {
    Say("branch " + std::to_string(from) + " " + std::to_string(to) + " after " + std::to_string(steps));
  }
  void EnterHandler(uint64_t entry) override { Say("enter " + std::to_string(entry)); }
  void LeaveHandler(uint32_t handlers) override { Say("leave " + std::to_string(handlers)); }
  void Move(uint64_t to) override { Say("move " + std::to_string(to)); }
  void Lost(uint64_t to) override { Say("lost " + std::to_string(to)); }
  std::vector<std::string> said;

 private:
  void Say(const std::string& text) { said.push_back(text); }
};
using Words = std::vector<std::string>;

class PathFollowerTest : public ::testing::Test {
 protected:
  void Block(uint64_t address, uint32_t instructions) {
    follower_.EnterBlock({address, instructions, false, false, false});
  }
  void AfterKernel(uint64_t address, uint32_t instructions) {
    follower_.EnterBlock({address, instructions, true, false, false});
  }
  void Handler(uint64_t address, uint32_t instructions) {
    follower_.EnterBlock({address, instructions, true, true, false});
  }
  void RuntimesHandler(uint64_t address, uint32_t instructions) {
    follower_.EnterBlock({address, instructions, true, true, true});
  }
  void ReturnTo(uint64_t address, uint32_t instructions) {
    follower_.ReachReturnFromSignal();
    AfterKernel(address, instructions);
  }

  Heard heard_;
  PathFollower follower_{&heard_, 1000, 1016};  // four instructions of a block to go
};

TEST_F(PathFollowerTest, CountsInstructionsOverBlocksThatFallThrough) {
  Block(1016, 2);
  follower_.ReachBranch(1020, kReturn);
  Block(2000, 1);
  EXPECT_EQ(heard_.said, (Words{"branch 1020 2000 after 6"}));
}

TEST_F(PathFollowerTest, ConditionalBranchIsTakenOrFallsThrough) {
  follower_.ReachBranch(1012, kIfEqual16);
  Block(1016, 3);
  follower_.ReachBranch(1024, kIfEqual16);
  Block(1040, 1);
  EXPECT_EQ(heard_.said, (Words{"branch 1024 1040 after 7"}));
}

TEST_F(PathFollowerTest, JumpToTheNextInstructionIsTaken) {
  follower_.ReachBranch(1012, 0x14000001);
  Block(1016, 1);
  EXPECT_EQ(heard_.said, (Words{"branch 1012 1016 after 4"}));
}

TEST_F(PathFollowerTest, BackwardJumpIsTaken) {
  follower_.ReachBranch(1012, kJumpBack);
  AfterKernel(1008, 2);
  EXPECT_EQ(heard_.said, (Words{"branch 1012 1008 after 4"}));
}

TEST_F(PathFollowerTest, FaultedInstructionIsNotCountedTwice) {
  AfterKernel(1008, 2);
  follower_.ReachBranch(1012, kJump32);
  AfterKernel(1044, 1);
  EXPECT_EQ(heard_.said, (Words{"branch 1012 1044 after 4"}));
}

TEST_F(PathFollowerTest, HandlerRunsBetweenABranchAndItsTarget) {
  follower_.ReachBranch(1012, kJump32);
  Handler(5000, 2);
  follower_.ReachBranch(5004, kReturn);
  Block(7000, 2);
  ReturnTo(1044, 1);
  EXPECT_EQ(heard_.said, (Words{"enter 5000", "branch 5004 7000 after 2", "leave 1", "branch 1012 1044 after 4"}));
}

TEST_F(PathFollowerTest, SignalFrameDistinguishesHandlerFromIndirectTarget) {
  follower_.ReachBranch(1012, kReturn);
  Handler(5000, 2);
  ReturnTo(9000, 1);
  follower_.ReachBranch(9000, kReturn);
  AfterKernel(5000, 1);
  EXPECT_EQ(heard_.said, (Words{"enter 5000", "leave 1", "branch 1012 9000 after 4", "branch 9000 5000 after 1"}));
}

TEST_F(PathFollowerTest, SystemCallThatWritesABufferIsNoHandler) {
  follower_.EnterBlock({1016, 1, true, true, false});
  follower_.ReachBranch(1016, kReturn);
  Block(2000, 1);
  EXPECT_EQ(heard_.said, (Words{"branch 1016 2000 after 5"}));
}

TEST_F(PathFollowerTest, RuntimesHandlerIsSilent) {
  follower_.ReachBranch(1012, kReturn);
  RuntimesHandler(5000, 2);
  follower_.ReachBranch(5004, kReturn);
  Block(7000, 2);
  ReturnTo(9000, 1);
  EXPECT_EQ(heard_.said, (Words{"branch 1012 9000 after 4"}));
}

TEST_F(PathFollowerTest, RuntimesHandlerMayInterruptAHandler) {
  Handler(5000, 2);
  RuntimesHandler(6000, 2);
  ReturnTo(5004, 1);
  follower_.ReachBranch(5004, kReturn);
  Block(7000, 2);
  ReturnTo(1008, 2);
  EXPECT_EQ(heard_.said, (Words{"enter 5000", "branch 5004 7000 after 2", "leave 1"}));
}

TEST_F(PathFollowerTest, SigreturnMayBeInABlockOfItsOwn) {
  Handler(5000, 1);
  follower_.ReachReturnFromSignal();
  Block(5004, 1);
  AfterKernel(1000, 4);
  EXPECT_EQ(heard_.said, (Words{"enter 5000", "leave 1"}));
}

TEST_F(PathFollowerTest, HandlerMayFollowAnotherAtOnce) {
  follower_.ReachBranch(1012, kReturn);
  RuntimesHandler(5000, 2);
  follower_.ReachReturnFromSignal();
  RuntimesHandler(5000, 2);
  follower_.ReachReturnFromSignal();
  Handler(6000, 1);
  follower_.ReachReturnFromSignal();
  RuntimesHandler(5000, 2);
  ReturnTo(9000, 1);
  EXPECT_EQ(heard_.said, (Words{"enter 6000", "leave 1", "branch 1012 9000 after 4"}));
}

TEST_F(PathFollowerTest, HandlersOfTwoSignalsAtOnceRunInSequence) {
  RuntimesHandler(5000, 2);
  ReturnTo(1008, 2);
  follower_.ReachBranch(1012, kReturn);
  Handler(6000, 1);
  follower_.ReachReturnFromSignal();
  follower_.EnterBlock({5000, 2, true, false, true});
  ReturnTo(9000, 1);
  EXPECT_EQ(heard_.said, (Words{"enter 6000", "leave 1", "branch 1012 9000 after 4"}));
}

// siglongjmp: the handler's flow continues as the program's, and the interrupted flow never continues.
TEST_F(PathFollowerTest, HandlerThatJumpsOutContinues) {
  Handler(5000, 1);
  follower_.ReachBranch(5000, kReturn);
  Block(1000, 4);
  Handler(6000, 1);
  ReturnTo(1012, 1);
  EXPECT_EQ(heard_.said, (Words{"enter 5000", "branch 5000 1000 after 1", "enter 6000", "leave 1"}));
}

TEST_F(PathFollowerTest, ReportsMovesByTheKernelAndLostOnes) {
  AfterKernel(3000, 2);
  Block(4000, 1);
  EXPECT_EQ(heard_.said, (Words{"move 3000", "lost 4000"}));
}

}  // namespace
}  // namespace softlbr::guest
