// Hazards that an app is to the session running in it: replaced handlers, closed descriptors, a debugger, forks.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

class SessionHazard : public SessionTest {
 protected:
  // Samples taken during this much work.
  static uint64_t SamplesDuring(milliseconds time) {
    const uint64_t before = Counters().samples;
    WorkForCpu(time);
    return Counters().samples - before;
  }
  static uint64_t Lost(const Profile& profile, LossReason reason) {
    return profile.counters.lost[static_cast<uint32_t>(reason)];
  }
};

struct sigaction g_ours;
std::atomic<uint64_t> g_chained;

// Chains to the previous handler, as crash reporters do.
void ChainOn(int number, siginfo_t* info, void* context) {
  ++g_chained;
  g_ours.sa_sigaction(number, info, context);
}

// The handler notices the replacement before it arms a breakpoint. Without breakpoints only the control thread notices
// it.
class ReplacedHandler : public SessionHazard, public ::testing::WithParamInterface<uint32_t> {};

TEST_P(ReplacedHandler, EndsSamplingForGood) {
  options_.flags = GetParam();
  START_OR_SKIP();
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  struct sigaction chain = {};
  chain.sa_sigaction = ChainOn;
  chain.sa_flags = SA_SIGINFO | SA_RESTART;
  ASSERT_EQ(sigaction(SIGTRAP, nullptr, &g_ours), 0);  // before the install: a sample may come as soon as that is done
  ASSERT_EQ(sigaction(SIGTRAP, &chain, nullptr), 0);
  WorkFor(milliseconds(100));
  g_chained = 0;
  EXPECT_EQ(SamplesDuring(milliseconds(100)), 0u);
  std::thread late([] { EXPECT_EQ(SamplesDuring(milliseconds(100)), 0u) << "in a thread born later"; });
  late.join();
  EXPECT_EQ(g_chained, 0u);
  ASSERT_EQ(sigaction(SIGTRAP, &g_ours, nullptr), 0);  // restoring it does not bring sampling back
  EXPECT_EQ(SamplesDuring(milliseconds(100)), 0u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_HANDLER_REPLACED);
  const Profile profile = Read();
  EXPECT_EQ(Lost(profile, LossReason::kHandlerReplaced), 1u);
  EXPECT_GT(profile.counters.taken_branches, 500u) << "earlier traces are kept";

  sink_.bytes.clear();  // a new session installs its own handler
  ASSERT_EQ(Start(), SOFTLBR_OK);
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

INSTANTIATE_TEST_SUITE_P(Session, ReplacedHandler, ::testing::Values(0u, uint32_t{SOFTLBR_NO_BREAKPOINTS}),
                         [](const auto& flags) { return flags.param == 0 ? "WithBreakpoints" : "WithoutBreakpoints"; });

// The thread spends its time in our own code: it reads the counters in a loop.
TEST_F(SessionHazard, NoBreakpointIsSetInOurOwnCode) {
  options_.resolve_plus_one = 1 + SOFTLBR_RESOLVE_STATIC;  // would arm at every conditional branch
  options_.branches_per_trace = 1;
  START_OR_SKIP();
  const uint64_t before = Counters().samples;
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
       Counters().samples < before + 200 && std::chrono::steady_clock::now() < end;) {
    softlbr_counters counters = {};
    counters.struct_size = sizeof counters;
    for (int i = 0; i < 200; ++i) (void)softlbr_get_counters(&counters);
  }
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  if (profile.sessions.at(0).has_breakpoints == 0) GTEST_SKIP() << "needs breakpoints";
  EXPECT_GE(profile.counters.traces_aborted[static_cast<uint32_t>(AbortReason::kForbiddenPc)],
            profile.counters.samples / 10);
}

TEST_F(SessionHazard, DebuggerPausesSamplingUntilItIsGone) {
  START_OR_SKIP();
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  int to_debugger[2];
  int from_debugger[2];
  ASSERT_EQ(pipe(to_debugger), 0);
  ASSERT_EQ(pipe(from_debugger), 0);
  const pid_t parent = getpid();
  const pid_t debugger = fork();
  if (debugger == 0) {
    // Forwards every signal, as a debugger does by default. Counts SIGTRAPs after the order 's', detaches at 'e'.
    if (ptrace(PTRACE_SEIZE, parent, nullptr, nullptr) != 0) _exit(77);
    fcntl(to_debugger[0], F_SETFL, O_NONBLOCK);
    (void)!write(from_debugger[1], "a", 1);
    char order = 0;
    unsigned char traps = 0;
    for (;;) {
      int status = 0;
      if (waitpid(parent, &status, __WALL | WNOHANG) == parent && WIFSTOPPED(status)) {
        const int number = WSTOPSIG(status);
        if (number == SIGTRAP && order == 's' && status >> 16 == 0 && traps < 255) ++traps;
        ptrace(PTRACE_CONT, parent, nullptr, status >> 16 == 0 ? number : 0);
      }
      (void)!read(to_debugger[0], &order, 1);
      if (order == 'e') {
        (void)!write(from_debugger[1], &traps, 1);
        _exit(0);  // detaches
      }
      usleep(200);
    }
  }
  char answer = 0;
  close(from_debugger[1]);
  if (read(from_debugger[0], &answer, 1) != 1) {
    waitpid(debugger, nullptr, 0);
    GTEST_SKIP() << "needs ptrace of the parent";
  }
  WorkFor(milliseconds(300));  // the control thread looks for a debugger every tenth round
  (void)!write(to_debugger[1], "s", 1);
  usleep(20000);
  EXPECT_EQ(SamplesDuring(milliseconds(200)), 0u);
  (void)!write(to_debugger[1], "e", 1);
  ASSERT_EQ(read(from_debugger[0], &answer, 1), 1);
  EXPECT_EQ(answer, 0) << "SIGTRAPs that the debugger saw";
  waitpid(debugger, nullptr, 0);
  WorkFor(milliseconds(300));
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u) << "sampling resumes";
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GE(Lost(Read(), LossReason::kDebuggerAttached), 1u);
  for (const int fd : {to_debugger[0], to_debugger[1], from_debugger[0]}) close(fd);
}

// Closes every descriptor except the standard ones and those listed.
void CloseAllBut(std::initializer_list<int> kept) {
  std::vector<int> numbers;
  DIR* directory = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    if (fd > 2 && fd != dirfd(directory) && std::find(kept.begin(), kept.end(), fd) == kept.end())
      numbers.push_back(fd);
  }
  closedir(directory);
  for (const int fd : numbers) close(fd);
}

TEST_F(SessionHazard, DescriptorsClosedByTheAppAreReopened) {
  START_OR_SKIP();
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  for (int round = 0; round < 3; ++round) {
    CloseAllBut({});
    WorkFor(milliseconds(300));
    EXPECT_GT(SamplesDuring(milliseconds(100)), 50u) << round;
  }
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_EQ(profile.counters.threads_traced, 1u);
  EXPECT_EQ(Lost(profile, LossReason::kDescriptorClosed), 3u);
}

TEST_F(SessionHazard, DescriptorNumbersReusedByTheAppAreNotTouched) {
  START_OR_SKIP();
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  CloseAllBut({});
  // The app opens a perf event of its own under each number that was ours. It must stay open and enabled.
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  const int own = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  ASSERT_GE(own, 0);
  std::vector<int> numbers;
  for (int number = 500; number < 1100; ++number) {
    if (fcntl(number, F_GETFD) < 0 && dup2(own, number) == number) numbers.push_back(number);
  }
  ASSERT_FALSE(numbers.empty());
  WorkFor(milliseconds(300));
  uint64_t before = 0;
  uint64_t after = 0;
  ASSERT_EQ(read(own, &before, sizeof before), static_cast<ssize_t>(sizeof before));
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u) << "sampling resumes with other numbers";
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  (void)Work(10000000);
  ASSERT_EQ(read(own, &after, sizeof after), static_cast<ssize_t>(sizeof after));
  EXPECT_GT(after, before + 1000000) << "the app's event still counts";
  for (const int number : numbers) EXPECT_EQ(close(number), 0) << number;
  close(own);
}

TEST_F(SessionHazard, EventsThatAChildKeepsAliveAreOffAfterStop) {
  START_OR_SKIP();
  EXPECT_GT(SamplesDuring(milliseconds(50)), 10u);
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();  // with copies of our descriptors
  if (child == 0) {
    char byte;
    close(hold[1]);
    (void)!read(hold[0], &byte, 1);
    _exit(0);
  }
  close(hold[0]);
  CloseAllBut({hold[1]});
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  // The default action is back: one more sample would kill the process.
  struct sigaction now;
  ASSERT_EQ(sigaction(SIGTRAP, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  WorkFor(milliseconds(200));
  close(hold[1]);
  waitpid(child, nullptr, 0);
}

// Where the helper shares the app's descriptors. Else it keeps its own of the profile (session_lending_test.cc).
TEST_F(SessionHazard, ProfileIsNotWrittenIntoAFileOfTheApp) {
  options_.flags = SOFTLBR_SHARE_DESCRIPTORS;
  char path[] = "/tmp/softlbr_hazard_XXXXXX";
  const int profile = mkstemp(path);
  ASSERT_GE(profile, 0);
  unlink(path);
  options_.sink = nullptr;
  options_.sink_fd = profile;
  START_OR_SKIP();
  WorkFor(milliseconds(50));
  char other_path[] = "/tmp/softlbr_hazard_XXXXXX";
  const int other = mkstemp(other_path);
  ASSERT_GE(other, 0);
  unlink(other_path);
  ASSERT_EQ(dup2(other, profile), profile);  // the number now refers to another file
  WorkFor(milliseconds(100));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SINK_FAILED) << "the loss is reported";
  EXPECT_EQ(lseek(other, 0, SEEK_END), 0);
  close(profile);
  close(other);
}

TEST_F(SessionHazard, AppThatDisablesItsPerfEventsDoesNotStopSampling) {
  START_OR_SKIP();
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  ASSERT_EQ(prctl(PR_TASK_PERF_EVENTS_DISABLE), 0);
  EXPECT_GT(SamplesDuring(milliseconds(200)), 50u);
  ASSERT_EQ(prctl(PR_TASK_PERF_EVENTS_ENABLE), 0);
  EXPECT_GT(SamplesDuring(milliseconds(100)), 50u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

}  // namespace
}  // namespace softlbr
