// SIGTRAPs that are not ours must reach the app as they would without us.
#include "platform/trap_signal.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <cstddef>

#include "platform/linux/kernel_abi.h"
#include "platform/thread.h"
#include "tests/platform/trap_instruction.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

struct AppHandler {
  int calls;
  int signal;
  siginfo_t info;
  void* context;
  sigset_t mask;
  void* stack;
};
AppHandler g_app;
sigjmp_buf g_jump;

void NoteMask() {
  pthread_sigmask(SIG_SETMASK, nullptr, &g_app.mask);
  g_app.stack = __builtin_frame_address(0);
}

void OnAppSignalInfo(int signal, siginfo_t* info, void* context) {
  ++g_app.calls;
  g_app.signal = signal;
  g_app.info = *info;
  g_app.context = context;
  NoteMask();
  // else a test's own signal
  if (info->si_code == kTrapInstructionCode && info->si_addr != &g_app) SkipTrapInstruction(context);
}

void OnAppSignal(int signal) {
  ++g_app.calls;
  g_app.signal = signal;
  NoteMask();
}

void JumpOut(int) { siglongjmp(g_jump, 1); }

class TrapSignal : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    g_app = {};
    sigaction(SIGTRAP, nullptr, &before_);
  }
  void TearDown() override {
    RestoreTrapHandler();
    sigaction(SIGTRAP, &before_, nullptr);
  }
  void InstallApp(void (*handler)(int, siginfo_t*, void*), int flags, std::initializer_list<int> mask = {}) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = flags | SA_SIGINFO;
    for (const int signal : mask) sigaddset(&action.sa_mask, signal);
    ASSERT_EQ(sigaction(SIGTRAP, &action, nullptr), 0);
  }
  void InstallApp(void (*handler)(int), int flags) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ASSERT_EQ(sigaction(SIGTRAP, &action, nullptr), 0);
  }
  struct sigaction before_;
};

// Exit code or killing signal of a child that runs `body`; the child exits with 0 if body returns.
struct ChildEnd {
  int exit_code;
  int signal;
};
template <typename Body>
ChildEnd RunChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return ChildEnd{WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

void SetHandler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGTRAP, &action, nullptr);
}

TEST_F(TrapSignal, RaiseReachesThePreviousHandlerWithItsSiginfo) {
  InstallApp(OnAppSignalInfo, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  raise(SIGTRAP);
  ASSERT_EQ(g_app.calls, 1);
  EXPECT_EQ(g_app.signal, SIGTRAP);
  EXPECT_EQ(g_app.info.si_signo, SIGTRAP);
  EXPECT_EQ(g_app.info.si_code, SI_TKILL);
  EXPECT_EQ(g_app.info.si_pid, getpid());
  EXPECT_EQ(g_log.traps[0].kind, TrapKind::kForeign);
  EXPECT_EQ(g_log.traps[0].ucontext, g_app.context);
}

TEST_F(TrapSignal, BreakpointInstructionReachesThePreviousHandlerWithItsSiginfo) {
  InstallApp(OnAppSignalInfo, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  ExecuteTrapInstruction();
  ASSERT_EQ(g_app.calls, 1);
  EXPECT_EQ(g_app.info.si_code, kTrapInstructionCode);
  EXPECT_EQ(g_log.traps[0].kind, TrapKind::kUnmarked);
  EXPECT_EQ(g_log.traps[0].raised_by_program, RaisedByProgram::kYes);
}

TEST_F(TrapSignal, QueuedValueReachesThePreviousHandler) {
  InstallApp(OnAppSignalInfo, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  sigval value;
  value.sival_ptr = reinterpret_cast<void*>(0x123456789abc);
  ASSERT_EQ(sigqueue(getpid(), SIGTRAP, value), 0);
  ASSERT_EQ(g_app.calls, 1);
  EXPECT_EQ(g_app.info.si_code, SI_QUEUE);
  EXPECT_EQ(g_app.info.si_value.sival_ptr, value.sival_ptr);
  EXPECT_EQ(g_app.info.si_uid, getuid());
  EXPECT_EQ(g_log.traps[0].kind, TrapKind::kForeign);
}

// As the kernel reports a breakpoint hit whose mark is lost; a thread may send itself any code.
TEST_F(TrapSignal, TrapOfAnyPositiveCodeCarriesItsPc) {
  InstallApp(OnAppSignalInfo, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  int calls = 0;
  for (const int code : {1, 2, 3, 4, 5, 7, 0x80, 1000}) {
    siginfo_t info = {};
    info.si_code = code;
    info.si_addr = &g_app;
    ASSERT_EQ(syscall(SYS_rt_tgsigqueueinfo, getpid(), CurrentThreadId(), SIGTRAP, &info), 0);
    const Trap& trap = g_log.traps[calls];
    EXPECT_EQ(trap.kind, TrapKind::kUnmarked) << code;
    EXPECT_EQ(trap.raised_by_program, code == 0x80 ? RaisedByProgram::kYes : RaisedByProgram::kNo) << code;
    EXPECT_EQ(trap.raised_pc, code == 0x80 ? trap.pc : reinterpret_cast<uint64_t>(&g_app)) << code;
    ASSERT_EQ(g_app.calls, ++calls);
    EXPECT_EQ(g_app.info.si_code, code);
    EXPECT_EQ(g_app.info.si_addr, &g_app);
  }
}

bool g_are_traps_blocked = false;
bool NoteBlockedTraps(const Trap& trap) {
  g_are_traps_blocked = DoesFrameBlockTraps(trap.ucontext);
  return true;
}

// A handler that interrupts sigsuspend returns to code that blocks SIGTRAP.
TEST_F(TrapSignal, FrameTellsWhetherTheInterruptedCodeBlocksTraps) {
  ASSERT_EQ(InstallTrapHandler(NoteBlockedTraps), Status::kOk);
  g_are_traps_blocked = true;
  raise(SIGTRAP);
  EXPECT_FALSE(g_are_traps_blocked);
  sigset_t trap;
  sigset_t none;
  sigemptyset(&none);
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, nullptr);
  raise(SIGTRAP);
  EXPECT_EQ(sigsuspend(&none), -1);
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  EXPECT_TRUE(g_are_traps_blocked);
  EXPECT_TRUE(MayBlockTraps(SYS_rt_sigprocmask));
  EXPECT_FALSE(MayBlockTraps(SYS_write));
}

TEST_F(TrapSignal, TgkillReachesAHandlerWithoutSiginfo) {
  InstallApp(OnAppSignal, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  ASSERT_EQ(syscall(SYS_tgkill, getpid(), CurrentThreadId(), SIGTRAP), 0);
  EXPECT_EQ(g_app.calls, 1);
  EXPECT_EQ(g_app.signal, SIGTRAP);
}

TEST_F(TrapSignal, PreviousHandlerRunsUnderItsOwnMask) {
  InstallApp(OnAppSignalInfo, 0, {SIGUSR2});
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  raise(SIGTRAP);
  ASSERT_EQ(g_app.calls, 1);
  for (int signal = 1; signal < 32; ++signal) {
    const bool is_expected = signal == SIGTRAP || signal == SIGUSR1 || signal == SIGUSR2;
    EXPECT_EQ(sigismember(&g_app.mask, signal) == 1, is_expected) << signal;
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) EXPECT_EQ(sigismember(&after, signal) == 1, signal == SIGUSR1) << signal;
  pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

TEST_F(TrapSignal, NoDeferLeavesTheSignalUnblocked) {
  InstallApp(OnAppSignalInfo, SA_NODEFER);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  raise(SIGTRAP);
  ASSERT_EQ(g_app.calls, 1);
  EXPECT_EQ(sigismember(&g_app.mask, SIGTRAP), 0);
}

TEST_F(TrapSignal, PreviousHandlerMayJumpOut) {
  InstallApp(JumpOut, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  volatile int jumps = 0;
  if (sigsetjmp(g_jump, 1) != 0) jumps = jumps + 1;
  if (jumps < 3) raise(SIGTRAP);
  EXPECT_EQ(jumps, 3);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGTRAP), 0);
}

TEST_F(TrapSignal, ForeignTrapKeepsErrno) {
  InstallApp(OnAppSignalInfo, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  errno = 4711;
  ExecuteTrapInstruction();
  EXPECT_EQ(errno, 4711);
}

TEST_F(TrapSignal, DefaultActionKillsWithSigtrap) {
  EXPECT_EQ(RunChild([] {
              SetHandler(SIG_DFL);
              if (InstallTrapHandler(LogTrap) != Status::kOk) _exit(1);
              raise(SIGTRAP);
              _exit(2);
            }).signal,
            SIGTRAP);
  EXPECT_EQ(RunChild([] {
              SetHandler(SIG_DFL);
              if (InstallTrapHandler(LogTrap) != Status::kOk) _exit(1);
              ExecuteTrapInstruction();
              _exit(2);
            }).signal,
            SIGTRAP);
}

TEST_F(TrapSignal, IgnoredSignalIsIgnoredButACpuTrapKills) {
  EXPECT_EQ(RunChild([] {
              SetHandler(SIG_IGN);
              if (InstallTrapHandler(LogTrap) != Status::kOk) _exit(1);
              raise(SIGTRAP);
              kill(getpid(), SIGTRAP);
              _exit(g_log.count.load() == 2 ? 3 : 2);
            }).exit_code,
            3);
  // The kernel does the same: a forced signal that is ignored gets the default action.
  const auto without_us = RunChild([] {
    SetHandler(SIG_IGN);
    ExecuteTrapInstruction();
  });
  const auto with_us = RunChild([] {
    SetHandler(SIG_IGN);
    if (InstallTrapHandler(LogTrap) != Status::kOk) _exit(1);
    ExecuteTrapInstruction();
  });
  EXPECT_EQ(without_us.signal, SIGTRAP);
  EXPECT_EQ(with_us.signal, without_us.signal);
}

TEST_F(TrapSignal, ResetHandHandlerIsCalledOnceThenTheDefaultKills) {
  EXPECT_EQ(RunChild([] {
              struct sigaction action = {};
              action.sa_handler = OnAppSignal;
              action.sa_flags = static_cast<int>(SA_RESETHAND);
              sigaction(SIGTRAP, &action, nullptr);
              if (InstallTrapHandler(LogTrap) != Status::kOk) _exit(1);
              raise(SIGTRAP);
              if (g_app.calls != 1) _exit(2);
              raise(SIGTRAP);
              _exit(3);
            }).signal,
            SIGTRAP);
}

TEST_F(TrapSignal, SecondInstallKeepsTheAppsHandler) {
  InstallApp(OnAppSignal, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  raise(SIGTRAP);
  EXPECT_EQ(g_app.calls, 1);
  const auto child = RunChild([] {
    if (InstallTrapHandler(LogTrap) != Status::kOk) _exit(1);
    raise(SIGTRAP);
    _exit(g_app.calls == 2 ? 3 : 2);
  });
  EXPECT_EQ(child.exit_code, 3);
}

TEST_F(TrapSignal, RestoreReinstatesThePreviousHandler) {
  InstallApp(OnAppSignalInfo, SA_NODEFER, {SIGUSR2});
  struct sigaction app = {};
  sigaction(SIGTRAP, nullptr, &app);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  EXPECT_TRUE(IsTrapHandlerInstalled());
  RestoreTrapHandler();
  EXPECT_FALSE(IsTrapHandlerInstalled());
  struct sigaction after = {};
  sigaction(SIGTRAP, nullptr, &after);
  EXPECT_EQ(after.sa_sigaction, app.sa_sigaction);
  EXPECT_EQ(after.sa_flags, app.sa_flags);
  EXPECT_EQ(sigismember(&after.sa_mask, SIGUSR2), 1);
  raise(SIGTRAP);
  EXPECT_EQ(g_app.calls, 1);
  EXPECT_EQ(g_log.count.load(), 0u);
}

TEST_F(TrapSignal, RestoreKeepsAHandlerInstalledByTheApp) {
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  InstallApp(OnAppSignal, 0);
  EXPECT_FALSE(IsTrapHandlerInstalled());
  RestoreTrapHandler();
  struct sigaction after = {};
  sigaction(SIGTRAP, nullptr, &after);
  EXPECT_EQ(after.sa_handler, OnAppSignal);
}

TEST_F(TrapSignal, RestoreKeepsOursWhileASignalIsPending) {
  InstallApp(OnAppSignal, 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, nullptr);
  raise(SIGTRAP);
  RestoreTrapHandler();
  EXPECT_TRUE(IsTrapHandlerInstalled());
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  EXPECT_EQ(g_log.count.load(), 1u) << "delivered to ours";
  RestoreTrapHandler();
  EXPECT_FALSE(IsTrapHandlerInstalled());
}

bool CheckContext(const Trap& trap) {
  NoteMask();
  SkipTrapInstruction(trap.ucontext);
  return true;
}

TEST_F(TrapSignal, OursRunsWithEverySignalBlockedOnTheAlternateStack) {
  alignas(16) static char stack[65536];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  stack_t old = {};
  ASSERT_EQ(sigaltstack(&alternate, &old), 0);
  ASSERT_EQ(InstallTrapHandler(CheckContext), Status::kOk);
  ExecuteTrapInstruction();
  ASSERT_EQ(sigaltstack(&old, nullptr), 0);
  for (int signal = 1; signal < 32; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    EXPECT_EQ(sigismember(&g_app.mask, signal), 1) << signal;
  }
  EXPECT_GE(g_app.stack, static_cast<void*>(stack));
  EXPECT_LT(g_app.stack, static_cast<void*>(stack + sizeof(stack)));
}

TEST_F(TrapSignal, BlockingChangesOneSignalOnly) {
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  g_log.takes_foreign.store(true);
  sigset_t before, blocked, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  SetTrapSignalBlocked(true);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  raise(SIGTRAP);
  EXPECT_EQ(g_log.count.load(), 0u);
  SetTrapSignalBlocked(false);
  EXPECT_EQ(g_log.count.load(), 1u);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 65; ++signal) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
    EXPECT_EQ(sigismember(&blocked, signal) == 1, signal == SIGTRAP || sigismember(&before, signal) == 1) << signal;
  }
}

TEST_F(TrapSignal, AbiConstantsMatchLibc) {
  EXPECT_EQ(kSigTrap, SIGTRAP);
  EXPECT_EQ(kSaSigInfo, static_cast<uint64_t>(SA_SIGINFO));
  EXPECT_EQ(kSaOnStack, static_cast<uint64_t>(SA_ONSTACK));
  EXPECT_EQ(kSaRestart, static_cast<uint64_t>(SA_RESTART));
  EXPECT_EQ(kSaNoDefer, static_cast<uint64_t>(SA_NODEFER));
  EXPECT_EQ(kSaResetHand, static_cast<uint64_t>(static_cast<uint32_t>(SA_RESETHAND)));
  EXPECT_EQ(kSiTimer, SI_TIMER);
  EXPECT_EQ(kSigSetMask, SIG_SETMASK);
  EXPECT_EQ(offsetof(KernelTrapInfo, code), offsetof(siginfo_t, si_code));
  EXPECT_EQ(offsetof(KernelTrapInfo, address), offsetof(siginfo_t, si_addr));
  EXPECT_EQ(offsetof(KernelTrapInfo, data), offsetof(siginfo_t, si_value));
}

}  // namespace
}  // namespace softlbr::platform::testing
