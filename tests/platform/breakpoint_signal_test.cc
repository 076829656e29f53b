// Breakpoints on the real kernel: the runtime's traces rely on exact hits.
#include <asm/unistd.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "platform/breakpoint.h"
#include "platform/syscall_filter.h"
#include "platform/thread.h"
#include "tests/platform/breakpoint_hits.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

class BreakpointSignal : public ::testing::Test {
 protected:
  void SetUp() override {
    SOFTLBR_NEEDS_BREAKPOINTS();
    ResetTrapLog();
    ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
    ASSERT_EQ(OpenBreakpoint(CurrentThreadId(), &breakpoint_), Status::kOk);
  }
  void TearDown() override {
    SetSyscallFilterForTest(nullptr);
    if (breakpoint_.fd >= 0) CloseBreakpoint(&breakpoint_);
    RestoreTrapHandler();
  }
  Breakpoint breakpoint_;
};

Breakpoint* g_moved = nullptr;
std::atomic<int> g_failures{0};

TEST_F(BreakpointSignal, HitsEveryCall) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0x1122334455667788), Status::kOk);
  for (int i = 0; i < 100; ++i) softlbr_test_target_a();
  ASSERT_EQ(DisarmBreakpoint(&breakpoint_), Status::kOk);
  ASSERT_EQ(g_log.count.load(), 100u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(g_log.traps[i].kind, TrapKind::kBreakpoint);
    EXPECT_EQ(g_log.traps[i].pc, TargetA());
    EXPECT_EQ(g_log.traps[i].sig_data, 0x1122334455667788u);
    EXPECT_FALSE(g_log.traps[i].is_asynchronous);
    EXPECT_EQ(g_log.tids[i], CurrentThreadId());
  }
  uint64_t hits = 0;
  ASSERT_EQ(CountBreakpointHits(breakpoint_, &hits), Status::kOk);
  EXPECT_EQ(hits, 100u);
}

TEST_F(BreakpointSignal, OpenLeavesItDisarmed) {
  softlbr_test_target_a();
  EXPECT_EQ(g_log.count.load(), 0u);
  EXPECT_FALSE(breakpoint_.is_armed);
}

TEST_F(BreakpointSignal, ArmEnablesADisarmedBreakpoint) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  for (uint64_t round = 0; round < 10; ++round) {
    ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), round), Status::kOk);
    EXPECT_TRUE(breakpoint_.is_armed);
    softlbr_test_target_a();
    ASSERT_EQ(g_log.count.load(), round + 1);
    EXPECT_EQ(g_log.traps[round].sig_data, round);
    ASSERT_EQ(DisarmBreakpoint(&breakpoint_), Status::kOk);
    EXPECT_FALSE(breakpoint_.is_armed);
    softlbr_test_target_a();
    ASSERT_EQ(g_log.count.load(), round + 1);
  }
}

TEST_F(BreakpointSignal, ArmMovesAnArmedBreakpoint) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 1), Status::kOk);
  softlbr_test_target_a();
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetB(), 2), Status::kOk);
  softlbr_test_target_a();
  softlbr_test_target_b();
  ASSERT_EQ(g_log.count.load(), 2u);
  EXPECT_EQ(g_log.traps[0].pc, TargetA());
  EXPECT_EQ(g_log.traps[0].sig_data, 1u);
  EXPECT_EQ(g_log.traps[1].pc, TargetB());
  EXPECT_EQ(g_log.traps[1].sig_data, 2u);
}

TEST_F(BreakpointSignal, HandlerCanMoveItAlongThePath) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  g_moved = &breakpoint_;
  g_log.action.store([](const Trap& trap) {
    const uint64_t next = trap.pc == TargetA() ? TargetB() : TargetA();
    if (ArmBreakpoint(g_moved, next, trap.sig_data + 1) != Status::kOk) ++g_failures;
  });
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  for (int i = 0; i < 500; ++i) {
    softlbr_test_target_a();
    softlbr_test_target_b();
  }
  ASSERT_EQ(DisarmBreakpoint(&breakpoint_), Status::kOk);
  EXPECT_EQ(g_failures.load(), 0);
  ASSERT_EQ(g_log.count.load(), 1000u);
  for (uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(g_log.traps[i].pc, i % 2 == 0 ? TargetA() : TargetB());
    ASSERT_EQ(g_log.traps[i].sig_data, i);
  }
}

TEST_F(BreakpointSignal, RearmedAtTheSameAddressHitsOncePerCall) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  g_moved = &breakpoint_;
  g_log.action.store([](const Trap& trap) {
    if (ArmBreakpoint(g_moved, trap.pc, trap.sig_data) != Status::kOk) ++g_failures;
  });
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  for (int i = 0; i < 100; ++i) softlbr_test_target_a();
  ASSERT_EQ(DisarmBreakpoint(&breakpoint_), Status::kOk);
  EXPECT_EQ(g_log.count.load(), 100u);
}

TEST_F(BreakpointSignal, RearmKeepsErrno) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  g_moved = &breakpoint_;
  g_log.action.store([](const Trap&) {
    // The kernel refuses the first arming, so a libc call in the handler would set errno.
    if (ArmBreakpoint(g_moved, ~uint64_t{7}, 0) == Status::kOk) ++g_failures;
    if (ArmBreakpoint(g_moved, TargetB(), 0) != Status::kOk) ++g_failures;
  });
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  errno = 4711;
  softlbr_test_target_a();
  EXPECT_EQ(errno, 4711);
  EXPECT_EQ(g_log.count.load(), 1u);
  EXPECT_EQ(g_failures.load(), 0);
}

TEST_F(BreakpointSignal, FailedArmLeavesItOff) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  EXPECT_EQ(ArmBreakpoint(&breakpoint_, ~uint64_t{7}, 0), Status::kInvalidArgument);
  EXPECT_FALSE(breakpoint_.is_armed);
  softlbr_test_target_a();
  EXPECT_EQ(g_log.count.load(), 0u);
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  softlbr_test_target_a();
  EXPECT_EQ(g_log.count.load(), 1u);
}

TEST_F(BreakpointSignal, FailedArmKeepsADisarmedBreakpointOff) {
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  ASSERT_EQ(DisarmBreakpoint(&breakpoint_), Status::kOk);
  EXPECT_EQ(ArmBreakpoint(&breakpoint_, ~uint64_t{7}, 0), Status::kInvalidArgument);
  softlbr_test_target_a();
  EXPECT_EQ(g_log.count.load(), 0u);
}

TEST_F(BreakpointSignal, TooManyAreRefusedWithNoSlot) {
  Breakpoint more[16];
  int opened = 0;
  Status last = Status::kOk;
  for (; opened < 16; ++opened) {
    last = OpenBreakpoint(CurrentThreadId(), &more[opened]);
    if (last != Status::kOk) break;
  }
  EXPECT_LT(opened, 16);
  EXPECT_EQ(last, Status::kNoBreakpointSlot);
  for (int i = 0; i < opened; ++i) CloseBreakpoint(&more[i]);
  ASSERT_EQ(OpenBreakpoint(CurrentThreadId(), &more[0]), Status::kOk) << "closing gives the slot back";
  CloseBreakpoint(&more[0]);
}

TEST_F(BreakpointSignal, HitsOnlyItsOwnThread) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  std::atomic<int32_t> tid{0};
  std::atomic<bool> is_armed{false};
  std::thread other([&] {
    tid.store(CurrentThreadId());
    while (!is_armed.load()) SleepNs(100000);
    for (int i = 0; i < 50; ++i) softlbr_test_target_b();
  });
  while (tid.load() == 0) SleepNs(100000);
  Breakpoint remote;
  ASSERT_EQ(OpenBreakpoint(tid.load(), &remote), Status::kOk);
  ASSERT_EQ(ArmBreakpoint(&remote, TargetB(), 7), Status::kOk);
  softlbr_test_target_b();
  EXPECT_EQ(g_log.count.load(), 0u);
  is_armed.store(true);
  other.join();
  EXPECT_EQ(g_log.count.load(), 50u);
  EXPECT_EQ(g_log.tids[0], tid.load());
  CloseBreakpoint(&remote);
}

TEST_F(BreakpointSignal, OpenOnAnEndedThreadIsNoSuchThread) {
  int32_t tid = 0;
  std::thread([&] { tid = CurrentThreadId(); }).join();
  ASSERT_TRUE(WaitUntilGone(tid));
  Breakpoint gone;
  EXPECT_EQ(OpenBreakpoint(tid, &gone), Status::kNoSuchThread);
}

TEST_F(BreakpointSignal, BlockedHitIsLateAndMarkedAsynchronous) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 3), Status::kOk);
  pthread_sigmask(SIG_BLOCK, &trap, nullptr);
  softlbr_test_target_a();
  EXPECT_EQ(g_log.count.load(), 0u);
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  ASSERT_GE(g_log.count.load(), 1u);
  EXPECT_TRUE(g_log.traps[0].is_asynchronous);
  EXPECT_EQ(g_log.traps[0].kind, TrapKind::kBreakpoint);
}

// Two signals become unblocked at once: the kernel delivers SIGTRAP, then the other one, whose handler runs before the
// program resumes.
TEST_F(BreakpointSignal, HandlerSeesADueSignal) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  static std::atomic<bool> is_due;
  g_log.action.store([](const Trap& trap) { is_due = IsSignalDue(trap.ucontext); });
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigset_t both = trap;
  sigaddset(&both, SIGUSR1);
  const auto previous = signal(SIGUSR1, [](int) {});
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 3), Status::kOk);
  for (const bool is_freed : {true, false}) {
    SCOPED_TRACE(is_freed);
    g_log.count = 0;
    is_due = !is_freed;
    pthread_sigmask(SIG_BLOCK, &both, nullptr);
    softlbr_test_target_a();
    raise(SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, is_freed ? &both : &trap, nullptr);
    ASSERT_EQ(g_log.count.load(), 1u);
    EXPECT_EQ(is_due.load(), is_freed);
    pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
  }
  signal(SIGUSR1, previous);
}

// Per thread, the kernel keeps only the first pending signal of a number. So the app loses a SIGTRAP that it sends to a
// thread with one of ours pending, and we lose ours in the opposite order. Neither is ever mistaken for the other.
TEST_F(BreakpointSignal, SecondPendingTrapIsLostNotConfused) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 3), Status::kOk);
  g_log.takes_foreign = true;
  for (const bool is_ours_first : {true, false}) {
    SCOPED_TRACE(is_ours_first);
    g_log.count = 0;
    pthread_sigmask(SIG_BLOCK, &trap, nullptr);
    if (!is_ours_first) raise(SIGTRAP);
    softlbr_test_target_a();
    if (is_ours_first) raise(SIGTRAP);
    pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
    ASSERT_EQ(g_log.count.load(), 1u);
    EXPECT_EQ(g_log.traps[0].kind, is_ours_first ? TrapKind::kBreakpoint : TrapKind::kForeign);
  }
  // A signal sent to the process is pending separately.
  g_log.count = 0;
  pthread_sigmask(SIG_BLOCK, &trap, nullptr);
  softlbr_test_target_a();
  kill(getpid(), SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  ASSERT_EQ(g_log.count.load(), 2u);
  EXPECT_NE(g_log.traps[0].kind, g_log.traps[1].kind);
}

TEST_F(BreakpointSignal, DescriptorIsHighAndClosedOnExec) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_GE(static_cast<rlim_t>(breakpoint_.fd), limit.rlim_cur >= 1024 ? 512 : limit.rlim_cur / 2);
  EXPECT_EQ(fcntl(breakpoint_.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST_F(BreakpointSignal, DetectsAReusedDescriptor) {
  EXPECT_TRUE(IsBreakpointOurs(breakpoint_));
  const int number = breakpoint_.fd;
  close(number);
  EXPECT_FALSE(IsBreakpointOurs(breakpoint_));
  EXPECT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kStaleDescriptor);

  const int other = open("/dev/null", O_RDWR | O_CLOEXEC);
  ASSERT_EQ(dup2(other, number), number);
  EXPECT_FALSE(IsBreakpointOurs(breakpoint_));
  EXPECT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kStaleDescriptor);
  CloseBreakpoint(&breakpoint_);
  EXPECT_GE(fcntl(number, F_GETFD), 0) << "the app's file was closed";

  Breakpoint second;  // another perf event under the same number is not ours either
  ASSERT_EQ(OpenBreakpoint(CurrentThreadId(), &second), Status::kOk);
  Breakpoint first = second;
  Breakpoint third;
  ASSERT_EQ(OpenBreakpoint(CurrentThreadId(), &third), Status::kOk);
  ASSERT_EQ(dup2(third.fd, first.fd), first.fd);
  EXPECT_FALSE(IsBreakpointOurs(first));
  CloseBreakpoint(&third);
  close(first.fd);
  close(number);
  close(other);
}

TEST_F(BreakpointSignal, ForkedChildIsNotHit) {
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  const pid_t child = fork();
  if (child == 0) {
    softlbr_test_target_a();
    _exit(g_log.count.load() == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// An event lives as long as any copy of its descriptor.
TEST_F(BreakpointSignal, CloseDisarmsEvenIfAChildHoldsACopy) {
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(hold[1]);
    (void)!read(hold[0], &byte, 1);
    _exit(0);
  }
  close(hold[0]);
  ASSERT_EQ(ArmBreakpoint(&breakpoint_, TargetA(), 0), Status::kOk);
  CloseBreakpoint(&breakpoint_);
  softlbr_test_target_a();
  EXPECT_EQ(g_log.count.load(), 0u);
  close(hold[1]);
  waitpid(child, nullptr, 0);
}

long g_answer = 0;

long AnswerPerfOpen(long number, long*, bool* handled) {
  *handled = number == __NR_perf_event_open;
  return g_answer;
}

TEST_F(BreakpointSignal, RefusalsMapToStatuses) {
  const struct {
    int error;
    Status status;
  } cases[] = {
      {EACCES, Status::kPermissionDenied}, {EPERM, Status::kPermissionDenied}, {ENOENT, Status::kUnsupported},
      {EOPNOTSUPP, Status::kUnsupported},  {ENODEV, Status::kUnsupported},     {EINVAL, Status::kUnsupported},
      {E2BIG, Status::kUnsupported},       {ENOSYS, Status::kUnsupported},     {ESRCH, Status::kNoSuchThread},
      {EMFILE, Status::kNoDescriptor},     {ENFILE, Status::kNoDescriptor},    {ENOSPC, Status::kNoBreakpointSlot},
      {ENOMEM, Status::kSystemError}};
  for (const auto& each : cases) {
    g_answer = -each.error;
    SetSyscallFilterForTest(AnswerPerfOpen);
    Breakpoint refused;
    EXPECT_EQ(OpenBreakpoint(CurrentThreadId(), &refused), each.status) << each.error;
    EXPECT_EQ(refused.fd, -1);
    SetSyscallFilterForTest(nullptr);
  }
}

TEST_F(BreakpointSignal, NoHighDescriptorLeftIsNoDescriptor) {
  const pid_t child = fork();
  if (child == 0) {
    CloseBreakpoint(&breakpoint_);
    const int lowest_free = open("/dev/null", O_RDONLY);
    close(lowest_free);
    // Leaves one free number in the upper half and some low ones; perf_event_open first returns a low one.
    const auto numbers = static_cast<rlim_t>(2 * (lowest_free + 4));
    const rlimit limit{numbers, numbers};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(10);
    // The parent process may have left descriptors open there.
    for (auto number = static_cast<int>(numbers / 2 + 1); number < static_cast<int>(numbers); ++number) {
      if (fcntl(number, F_GETFD) < 0 && fcntl(0, F_DUPFD, number) != number) _exit(11);
    }
    close(static_cast<int>(numbers / 2));
    Breakpoint first;
    Breakpoint second;
    if (OpenBreakpoint(CurrentThreadId(), &first) != Status::kOk) _exit(12);
    if (first.fd != static_cast<int>(numbers / 2)) _exit(13);
    if (OpenBreakpoint(CurrentThreadId(), &second) != Status::kNoDescriptor) _exit(14);
    if (open("/dev/null", O_RDONLY) != lowest_free) _exit(15);  // the low half stays available to the app
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

}  // namespace
}  // namespace softlbr::platform::testing
