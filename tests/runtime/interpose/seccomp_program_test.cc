#include "runtime/interpose/seccomp_program.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <random>
#include <vector>

namespace softlbr {
namespace {

constexpr int64_t kAny = kAnyArgument;
constexpr uint32_t kNumber = offsetof(seccomp_data, nr);
constexpr uint32_t kFirstArgument = offsetof(seccomp_data, args);
constexpr sock_filter kAllow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
constexpr sock_filter kKill = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
constexpr sock_filter kRefuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);

constexpr sock_filter Load(uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
constexpr sock_filter Jump(uint16_t operation, uint32_t value, uint8_t if_true, uint8_t if_false) {
  return BPF_JUMP(static_cast<uint16_t>(BPF_JMP | operation | BPF_K), value, if_true, if_false);
}

uint32_t Answers(const std::vector<sock_filter>& code, const ExpectedCall& call, uint32_t steps = 100000) {
  return FilterAnswers(code.data(), static_cast<uint32_t>(code.size()), call, &steps);
}

constexpr ExpectedCall Call(int32_t number, int64_t first = kAny) {
  return {number, {first, kAny, kAny, kAny, kAny, kAny}};
}

TEST(SeccompProgram, AnswersByNumber) {
  const std::vector<sock_filter> code = {Load(kNumber), Jump(BPF_JEQ, SYS_read, 0, 1), kAllow, kKill};
  EXPECT_EQ(Answers(code, Call(SYS_read)), kFilterAllows);
  EXPECT_EQ(Answers(code, Call(SYS_write)), kFilterDoesMore);
}

TEST(SeccompProgram, FollowsUnknownArgumentsBothWays) {
  const std::vector<sock_filter> code = {Load(kFirstArgument), Jump(BPF_JGT, 7, 0, 1), kRefuse, kAllow};
  EXPECT_EQ(Answers(code, Call(SYS_ioctl, 8)), kFilterRefuses);
  EXPECT_EQ(Answers(code, Call(SYS_ioctl, 7)), kFilterAllows);
  EXPECT_EQ(Answers(code, Call(SYS_ioctl)), kFilterAllows | kFilterRefuses);
}

TEST(SeccompProgram, ReadsBothHalvesOfAnArgument) {
  const std::vector<sock_filter> code = {Load(kFirstArgument + 4), Jump(BPF_JEQ, 2, 0, 1), kAllow, kKill};
  EXPECT_EQ(Answers(code, Call(SYS_ioctl, 0x200000001)), kFilterAllows);
  EXPECT_EQ(Answers(code, Call(SYS_ioctl, 0x100000002)), kFilterDoesMore);
}

TEST(SeccompProgram, InstructionPointerIsUnknown) {
  const std::vector<sock_filter> code = {Load(offsetof(seccomp_data, instruction_pointer)), Jump(BPF_JSET, 1, 0, 1),
                                         kKill, kAllow};
  EXPECT_EQ(Answers(code, Call(SYS_read)), kFilterAllows | kFilterDoesMore);
}

TEST(SeccompProgram, OtherAnswersAreMore) {
  for (const uint32_t answer : {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
                                SECCOMP_RET_USER_NOTIF, SECCOMP_RET_TRACE, SECCOMP_RET_LOG}) {
    EXPECT_EQ(Answers({BPF_STMT(BPF_RET | BPF_K, answer)}, Call(SYS_read)), kFilterDoesMore) << std::hex << answer;
  }
}

TEST(SeccompProgram, GivesUpOnWhatItDoesNotUnderstand) {
  EXPECT_EQ(Answers({}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({Load(2), kAllow}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({Load(sizeof(seccomp_data)), kAllow}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({BPF_STMT(BPF_LD | BPF_H | BPF_IND, 0), kAllow}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({BPF_STMT(BPF_ST, 16), kAllow}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({Load(kNumber), Jump(BPF_JEQ, SYS_read, 200, 200)}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({BPF_JUMP(BPF_JMP | BPF_JA, ~0u, 0, 0), kAllow}, Call(SYS_read)), kFilterDoesMore);
  EXPECT_EQ(Answers({Load(kNumber), kAllow}, Call(SYS_read), /*steps=*/1), kFilterDoesMore);
}

TEST(SeccompProgram, TooManyPathsAreMore) {
  std::vector<sock_filter> code;
  for (int i = 0; i < 64; ++i) {
    code.push_back(Load(kFirstArgument));
    code.push_back(Jump(BPF_JEQ, static_cast<uint32_t>(i), 0, 0));
  }
  code.push_back(kAllow);
  EXPECT_EQ(Answers(code, Call(SYS_read)), kFilterDoesMore);
}

// Random programs that the kernel accepts, and its own answers: getpgid is made in a child with the filter, with known
// arguments.
class SeccompProgramRandom : public ::testing::Test {
 protected:
  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  // Leaves A and X in a state that depends on the call, by way of every kind of instruction.
  std::vector<sock_filter> Make() {
    static constexpr uint16_t kOperations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,
                                               BPF_AND, BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
    static constexpr uint16_t kJumps[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
    std::vector<sock_filter> code = {Load(kFirstArgument), BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_ST, 3),
                                     BPF_STMT(BPF_STX, 5)};
    for (uint32_t i = 0; i < 30; ++i) {
      const auto source = static_cast<uint16_t>(Pick(3) == 0 ? BPF_X : BPF_K);
      const uint32_t value = Pick(2) == 0 ? Pick(9) : static_cast<uint32_t>(random_());
      switch (Pick(8)) {
        case 0: code.push_back(Load(Pick(2) == 0 ? kFirstArgument + 8 * Pick(6) : kNumber)); break;
        case 1:
          code.push_back(BPF_STMT(static_cast<uint16_t>(Pick(2) == 0 ? BPF_LD | BPF_MEM : BPF_LDX | BPF_W | BPF_MEM),
                                  3 + 2 * Pick(2)));
          break;
        case 2:
          code.push_back(BPF_STMT(static_cast<uint16_t>(Pick(2) == 0 ? BPF_ST : BPF_STX), 3 + 2 * Pick(2)));
          break;
        case 3:
          code.push_back(BPF_STMT(static_cast<uint16_t>(BPF_MISC | (Pick(2) == 0 ? BPF_TAX : BPF_TXA)), 0));
          break;
        case 4:
          code.push_back(
              BPF_STMT(static_cast<uint16_t>(Pick(2) == 0 ? BPF_LD | BPF_IMM : BPF_LD | BPF_W | BPF_LEN), value));
          break;
        case 5:
        case 6: {
          const uint16_t operation = kOperations[Pick(10)];
          const bool is_shift = operation == BPF_LSH || operation == BPF_RSH;
          const bool by_constant = is_shift || operation == BPF_DIV || operation == BPF_NEG;
          code.push_back(BPF_STMT(static_cast<uint16_t>(BPF_ALU | operation | (by_constant ? BPF_K : source)),
                                  is_shift ? Pick(32) : (value | 1)));
          break;
        }
        default:
          code.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | kJumps[Pick(4)] | source), value, 1, 0));
          code.push_back(Load(kFirstArgument));
      }
    }
    // Calls that the child needs, then the answer by the lowest bit.
    code.push_back(BPF_STMT(BPF_ST, 1));
    code.push_back(Load(kNumber));
    code.push_back(Jump(BPF_JEQ, SYS_getpgid, 1, 0));
    code.push_back(kAllow);
    code.push_back(BPF_STMT(BPF_LD | BPF_MEM, 1));
    code.push_back(Jump(BPF_JSET, 1, 0, 1));
    code.push_back(kRefuse);
    code.push_back(kAllow);
    return code;
  }

  std::mt19937 random_{7};
};

TEST_F(SeccompProgramRandom, AgreesWithTheKernel) {
  int refused = 0;
  constexpr int kPrograms = 300;
  for (int round = 0; round < kPrograms; ++round) {
    const std::vector<sock_filter> code = Make();
    const int64_t arguments[6] = {static_cast<int64_t>(Pick(4)), static_cast<int64_t>(random_()), 2, 3, 4, 5};
    ExpectedCall call = {SYS_getpgid,
                         {arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]}};
    const uint32_t expected = Answers(code, call);
    const pid_t child = fork();
    if (child == 0) {
      const sock_fprog program = {static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
      if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
      const long result =
          syscall(SYS_getpgid, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
      _exit(result < 0 && errno == EPERM ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "missing: seccomp filters";
    EXPECT_EQ(expected, WEXITSTATUS(status) == 1 ? kFilterRefuses : kFilterAllows) << "program " << round;
    if (WEXITSTATUS(status) == 1) ++refused;
    // With its arguments unknown, the true answer is among the possible ones.
    EXPECT_NE(Answers(code, Call(SYS_getpgid)) & (expected | kFilterDoesMore), 0u);
  }
  EXPECT_GT(refused, kPrograms / 10);
  EXPECT_LT(refused, kPrograms - kPrograms / 10);
}

}  // namespace
}  // namespace softlbr
