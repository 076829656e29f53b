// Each system call of ours fails with each error that it can give: from the start, while a session runs, and for single
// calls. The session must start, if need be in a lesser mode, or refuse with a status. The program goes on; nothing
// crashes, hangs or leaks, and losses are counted.
//
// A case is a call and an error. Each of its turns runs in a child process of its own, so a crash or a hang ends only
// that turn.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "tests/platform/breakpoint_hits.h"
#include "tests/runtime/session/fault_plan.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;
using testing::Fault;
using testing::FaultAnswer;
using testing::FaultMatch;
using testing::FaultTurns;

constexpr int kCanary = 4711;
constexpr unsigned kHangSeconds = 20;  // far more than any turn takes; a stop waits for a few seconds at most
constexpr uint32_t kNoStatus = 99;

// Resources of the process that a session could leak.
struct Census {
  uint32_t descriptors;
  uint32_t threads;
  uint64_t mapped_kib;
  uint64_t handler;
  uint64_t mask;
};

Census TakeCensus() {
  Census census{};
  census.descriptors = CountDirectory("/proc/self/fd");
  census.threads = CountDirectory("/proc/self/task");
  const std::string status = ReadFile("/proc/self/status");
  census.mapped_kib = std::strtoull(status.c_str() + status.find("VmSize:") + 7, nullptr, 10);
  census.mask = std::strtoull(status.c_str() + status.find("SigBlk:") + 7, nullptr, 16);
  struct sigaction action = {};
  sigaction(SIGTRAP, nullptr, &action);
  census.handler = reinterpret_cast<uint64_t>(action.sa_sigaction);
  return census;
}

// The outcome of a turn, in memory shared with the parent.
struct Turn {
  uint32_t start = kNoStatus;
  uint32_t stop = kNoStatus;
  uint32_t second_start = kNoStatus;
  uint32_t second_stop = kNoStatus;
  uint32_t matched = 0;
  uint32_t failed = 0;
  bool is_errno_kept = false;
  bool is_work_right = false;
  bool is_second_sampled = false;
  Census before{};
  Census after{};
  uint64_t bytes = 0;
  uint8_t profile[8 << 20];
};

int TakeProfile(void* cookie, const void* data, size_t size) {
  auto* turn = static_cast<Turn*>(cookie);
  if (turn->bytes + size > sizeof(turn->profile)) return 1;
  std::memcpy(turn->profile + turn->bytes, data, size);
  turn->bytes += size;
  return 0;
}

// When the fault begins.
enum class Begin { kBeforeStart, kWhileRunning };

class SessionFault : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    ASSERT_EQ(softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()), SOFTLBR_OK);
    void* memory = mmap(nullptr, sizeof(Turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    turn_ = static_cast<Turn*>(memory);
  }
  void TearDown() override { munmap(turn_, sizeof(Turn)); }

  softlbr_options Options() const {
    softlbr_options options = {};
    options.struct_size = sizeof options;
    options.period = kSamplePeriodNs;
    options.event = GetParam().is_timer ? SOFTLBR_EVENT_THREAD_TIMER : SOFTLBR_EVENT_TASK_CLOCK;
    if (GetParam().number == SYS_perf_event_open) options.event = SOFTLBR_EVENT_BEST;
    options.sink = TakeProfile;
    options.sink_cookie = turn_;
    options.max_threads = 8;
    return options;
  }

  // In the child: a session with the fault, then one without.
  [[noreturn]] void LiveThrough(Begin begin, FaultTurns turns) {
    alarm(kHangSeconds);
    Turn* turn = turn_;
    softlbr_options options = Options();
    const uint64_t expected = Work(20000);
    std::atomic<bool> is_done{false};
    std::atomic<bool> is_right{true};
    std::atomic<bool> has_begun{false};
    std::thread companion([&] {
      has_begun = true;
      while (!is_done) {
        if (Work(20000) != expected) is_right = false;
      }
    });
    const bool is_file = GetParam().number == SYS_write || GetParam().number == SYS_fstat || GetParam().is_lending;
    const int file = is_file ? memfd_create("profile", MFD_CLOEXEC) : -1;
    if (is_file) {
      options.sink = nullptr;
      options.sink_fd = file;
    }
    while (!has_begun) std::this_thread::yield();  // a thread's start opens files under AddressSanitizer
    turn->before = TakeCensus();
    if (GetParam().number == SYS_clone && !testing::RefuseClone(GetParam().error)) _exit(77);
    errno = kCanary;
    if (begin == Begin::kBeforeStart) testing::BeginFault(GetParam(), turns);
    turn->start = static_cast<uint32_t>(softlbr_start(&options));
    if (turn->start == SOFTLBR_OK) {
      WorkForCpu(milliseconds(8));
      if (begin == Begin::kWhileRunning) testing::BeginFault(GetParam(), turns);
      const int rounds = begin == Begin::kWhileRunning ? 120 : 40;
      for (int round = 0; round < rounds; ++round) {
        if (Work(20000) != expected) is_right = false;
      }
      turn->stop = static_cast<uint32_t>(softlbr_stop());
    }
    turn->matched = testing::MatchedCalls();
    turn->failed = testing::FailedCalls();
    testing::EndFault();
    turn->is_errno_kept = errno == kCanary;
    turn->after = TakeCensus();
    if (is_file)
      turn->bytes = static_cast<uint64_t>(std::max<ssize_t>(0, pread(file, turn->profile, sizeof(turn->profile), 0)));
    if (GetParam().number != SYS_clone) {
      static Sink sink;
      sink.bytes.reserve(4 << 20);
      options.sink = Sink::Take;
      options.sink_cookie = &sink;
      options.max_overhead_ppm = 1000000;  // a busy machine makes samples seem dear, and the budget then rare
      turn->second_start = static_cast<uint32_t>(softlbr_start(&options));
      if (turn->second_start == SOFTLBR_OK) {
        softlbr_counters counters = {};
        counters.struct_size = sizeof counters;
        for (int round = 0; round < 5000 && counters.samples == 0; ++round) {
          if (Work(20000) != expected) is_right = false;
          (void)softlbr_get_counters(&counters);
        }
        turn->is_second_sampled = counters.samples != 0;
        turn->second_stop = static_cast<uint32_t>(softlbr_stop());
      }
    }
    is_done = true;
    companion.join();
    turn->is_work_right = is_right;
    _exit(0);
  }

  // False if a check failed.
  bool Try(const char* what, Begin begin, FaultTurns turns) {
    SCOPED_TRACE(what);
    new (turn_) Turn;
    const pid_t child = fork();
    if (child == 0) LiveThrough(begin, turns);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
      is_skipped_ = true;
      return false;
    }
    EXPECT_FALSE(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        << "hung; start " << turn_->start << " stop " << turn_->stop;
    EXPECT_TRUE(WIFEXITED(status)) << "killed by " << WTERMSIG(status);
    if (!WIFEXITED(status)) return false;
    Check();
    return !HasFailure();
  }

  void Check() {
    const Turn& turn = *turn_;
    EXPECT_TRUE(turn.is_work_right);
    EXPECT_TRUE(turn.is_errno_kept);
    EXPECT_NE(turn.start, kNoStatus);
    switch (turn.start) {
      case SOFTLBR_OK:
        // The last: if sigaction fails, the handler may be another one by now.
        EXPECT_TRUE(turn.stop == SOFTLBR_OK || turn.stop == SOFTLBR_SYSTEM_ERROR || turn.stop == SOFTLBR_SINK_FAILED ||
                    turn.stop == SOFTLBR_HANDLER_REPLACED)
            << turn.stop;
        break;
      case SOFTLBR_UNSUPPORTED:
      case SOFTLBR_PERMISSION_DENIED:
      case SOFTLBR_NOT_ENOUGH_MEMORY:
      case SOFTLBR_SYSTEM_ERROR:
      case SOFTLBR_NO_DESCRIPTOR: break;
      default: ADD_FAILURE() << "start returned " << turn.start;
    }
    EXPECT_EQ(turn.after.threads, turn.before.threads);
    EXPECT_EQ(turn.after.mask, turn.before.mask);
    if (!GetParam().leaks) {
      EXPECT_EQ(turn.after.descriptors, turn.before.descriptors);
      EXPECT_LT(turn.after.mapped_kib, turn.before.mapped_kib + 1024);
    }
    if (GetParam().number != SYS_clone) {
      EXPECT_EQ(turn.second_start, SOFTLBR_OK) << "a session without the fault";
      EXPECT_EQ(turn.second_stop, SOFTLBR_OK);
      EXPECT_TRUE(turn.is_second_sampled);
    }
    if (turn.bytes == 0) {
      EXPECT_TRUE(turn.start != SOFTLBR_OK || turn.stop == SOFTLBR_SINK_FAILED || turn.stop == SOFTLBR_SYSTEM_ERROR)
          << "no profile and no error";
      return;
    }
    auto read = toolchain::ReadProfile({turn.profile, turn.bytes}, "fault");
    if (const auto* error = std::get_if<toolchain::ReadError>(&read)) {
      EXPECT_EQ(turn.stop, SOFTLBR_SINK_FAILED) << error->message;
      return;
    }
    const Profile& profile = std::get<Profile>(read);
    if (turn.stop != SOFTLBR_OK) return;
    const uint64_t counted = SumOfBranches(profile);
    EXPECT_LE(counted, profile.counters.taken_branches);
    uint64_t lost = 0;
    for (const uint64_t count : profile.counters.lost) lost += count;
    if (counted < profile.counters.taken_branches) {
      EXPECT_GT(lost, 0u) << counted << " of " << profile.counters.taken_branches << " branches, and no loss counted";
    }
  }

  // Where events or breakpoints are refused from the first call on, the session falls back to the next best and records
  // that.
  void CheckMode() {
    const Fault& fault = GetParam();
    if (fault.number == SYS_ioctl && fault.value == static_cast<long>(PERF_EVENT_IOC_MODIFY_ATTRIBUTES)) {
      ASSERT_EQ(turn_->start, SOFTLBR_OK);
      const auto read = toolchain::ReadProfile({turn_->profile, turn_->bytes}, "fault");
      ASSERT_TRUE(std::holds_alternative<Profile>(read));
      EXPECT_EQ(std::get<Profile>(read).sessions.at(0).has_breakpoints, 0u)
          << "the self-test finds that they do not work";
      return;
    }
    if (fault.number != SYS_perf_event_open || fault.is_passing) return;
    if (fault.error == ESRCH) return;  // a kernel that looks for the thread refuses nothing (ChooseSampleEvent)
    ASSERT_EQ(turn_->start, SOFTLBR_OK);
    const auto read = toolchain::ReadProfile({turn_->profile, turn_->bytes}, "fault");
    ASSERT_TRUE(std::holds_alternative<Profile>(read));
    const Profile& profile = std::get<Profile>(read);
    EXPECT_EQ(profile.sessions.at(0).has_breakpoints, 0u);
    const bool is_clock = fault.match == FaultMatch::kEventType && fault.value == PERF_TYPE_BREAKPOINT;
    if (is_clock) {
      EXPECT_NE(profile.sessions.at(0).event, SOFTLBR_EVENT_THREAD_TIMER);
      EXPECT_GT(profile.counters.samples, 0u);
    } else {
      EXPECT_EQ(profile.sessions.at(0).event, SOFTLBR_EVENT_THREAD_TIMER);
    }
  }

  Turn* turn_ = nullptr;
  bool is_skipped_ = false;
};

TEST_P(SessionFault, IsSurvivedAndCountedWithoutLeaks) {
  struct Plan {
    const char* what;
    Begin begin;
    FaultTurns turns;
  };
  constexpr Plan kPlans[] = {
      {"from before start", Begin::kBeforeStart, {1, 1}}, {"while it runs", Begin::kWhileRunning, {1, 1}},
      {"every third", Begin::kBeforeStart, {2, 3}},       {"the first alone", Begin::kBeforeStart, {1, 0}},
      {"the second alone", Begin::kBeforeStart, {2, 0}},  {"one in the middle", Begin::kWhileRunning, {3, 0}},
  };
  uint32_t failed = 0;
  uint32_t refused = 0;
  for (const Plan& plan : kPlans) {
    const bool is_good = Try(plan.what, plan.begin, plan.turns);
    if (is_skipped_) GTEST_SKIP() << "needs seccomp";
    if (!is_good) return;
    failed += turn_->failed;
    if (&plan == &kPlans[0]) CheckMode();
    refused += turn_->start != SOFTLBR_OK ? 1 : 0;
    if (GetParam().number == SYS_clone) {
      EXPECT_NE(turn_->start, SOFTLBR_OK);
      return;
    }
    if (plan.turns.step == 0 && turn_->failed == 0) break;  // there are not that many calls
    if (GetParam().is_policy && plan.begin == Begin::kWhileRunning) break;
  }
  if (failed == 0 && GetParam().is_of_breakpoints) SOFTLBR_NEEDS_BREAKPOINT_HITS();
  EXPECT_GT(failed, 0u) << "no such call was made: the case proves nothing";
  RecordProperty("calls_failed", static_cast<int>(failed));
  RecordProperty("sessions_refused", static_cast<int>(refused));
}

Fault Of(const char* name, long number, int error) { return Fault{name, number, error}; }

Fault Ioctl(const char* name, long request, int error) {
  Fault fault{name, SYS_ioctl, error};
  fault.match = FaultMatch::kSecondArgument;
  fault.value = request;
  return fault;
}

Fault Event(const char* name, uint32_t type, int error) {
  Fault fault{name, SYS_perf_event_open, error};
  fault.match = FaultMatch::kEventType;
  fault.value = type;
  return fault;
}

Fault Open(const char* name, const char* path_end, int error) {
  Fault fault{name, SYS_openat, error};
  fault.match = FaultMatch::kPathEnd;
  fault.path = path_end;
  return fault;
}

Fault Passing(Fault fault) {
  fault.is_passing = true;
  return fault;
}
Fault Timer(Fault fault) {
  fault.is_timer = true;
  return fault;
}
Fault Lent(Fault fault) {
  fault.is_lending = true;
  return fault;
}
// Where a descriptor's identity cannot be confirmed, it may be the app's by now, so it is left open.
Fault Unknown(Fault fault) {
  fault.leaks = true;
  return fault;
}
Fault Leaking(Fault fault) {
  fault.leaks = true;
  return fault;
}
// A signal mask that was changed and cannot be restored stays wrong, so a single failure cannot be survived. No kernel
// and no sandbox refuses one such call and grants the next.
Fault OfBreakpoints(Fault fault) {
  fault.is_of_breakpoints = true;
  return fault;
}
Fault Policy(Fault fault) {
  fault.is_policy = true;
  return fault;
}
Fault With(FaultAnswer answer, Fault fault) {
  fault.answer = answer;
  return fault;
}

std::string NameOf(const ::testing::TestParamInfo<Fault>& info) { return info.param.name; }

// Opening events and breakpoints.
INSTANTIATE_TEST_SUITE_P(
    Open, SessionFault,
    ::testing::Values(
        Of("EventEperm", SYS_perf_event_open, EPERM), Of("EventEacces", SYS_perf_event_open, EACCES),
        Of("EventEnosys", SYS_perf_event_open, ENOSYS), Of("EventEnoent", SYS_perf_event_open, ENOENT),
        Of("EventEmfile", SYS_perf_event_open, EMFILE), Of("EventEnfile", SYS_perf_event_open, ENFILE),
        Of("EventEnospc", SYS_perf_event_open, ENOSPC), Of("EventEbusy", SYS_perf_event_open, EBUSY),
        Of("EventEnodev", SYS_perf_event_open, ENODEV), Of("EventEinval", SYS_perf_event_open, EINVAL),
        Of("EventEopnotsupp", SYS_perf_event_open, EOPNOTSUPP), Of("EventE2big", SYS_perf_event_open, E2BIG),
        Of("EventEsrch", SYS_perf_event_open, ESRCH), Of("EventEnomem", SYS_perf_event_open, ENOMEM),
        Of("EventEintr", SYS_perf_event_open, EINTR), Of("EventEfault", SYS_perf_event_open, EFAULT),
        Event("BreakpointEnospc", PERF_TYPE_BREAKPOINT, ENOSPC),
        Event("BreakpointEacces", PERF_TYPE_BREAKPOINT, EACCES), Event("BreakpointEbusy", PERF_TYPE_BREAKPOINT, EBUSY),
        Event("BreakpointEnosys", PERF_TYPE_BREAKPOINT, ENOSYS),
        Event("BreakpointEmfile", PERF_TYPE_BREAKPOINT, EMFILE), Event("BreakpointEsrch", PERF_TYPE_BREAKPOINT, ESRCH),
        Of("FcntlEmfile", SYS_fcntl, EMFILE), Of("FcntlEinval", SYS_fcntl, EINVAL), Of("FcntlEbadf", SYS_fcntl, EBADF),
        Of("FcntlEperm", SYS_fcntl, EPERM), Of("PrlimitEperm", SYS_prlimit64, EPERM),
        Of("PrlimitEnosys", SYS_prlimit64, ENOSYS), Timer(Of("TimerCreateEagain", SYS_timer_create, EAGAIN)),
        Timer(Of("TimerCreateEinval", SYS_timer_create, EINVAL)),
        Timer(Of("TimerCreateEnomem", SYS_timer_create, ENOMEM)),
        Timer(Of("TimerCreateEnosys", SYS_timer_create, ENOSYS)),
        Timer(Of("TimerCreateEperm", SYS_timer_create, EPERM))),
    NameOf);

// Using and closing events and breakpoints.
INSTANTIATE_TEST_SUITE_P(
    Use, SessionFault,
    ::testing::Values(
        Unknown(Of("IoctlEperm", SYS_ioctl, EPERM)), Unknown(Of("IoctlEnosys", SYS_ioctl, ENOSYS)),
        Unknown(Of("IoctlEbadf", SYS_ioctl, EBADF)), Unknown(Ioctl("IdEnotty", PERF_EVENT_IOC_ID, ENOTTY)),
        Unknown(Ioctl("IdEbadf", PERF_EVENT_IOC_ID, EBADF)), Ioctl("EnableEbadf", PERF_EVENT_IOC_ENABLE, EBADF),
        Ioctl("EnableEperm", PERF_EVENT_IOC_ENABLE, EPERM), Ioctl("DisableEbadf", PERF_EVENT_IOC_DISABLE, EBADF),
        Ioctl("DisableEperm", PERF_EVENT_IOC_DISABLE, EPERM), Ioctl("PeriodEinval", PERF_EVENT_IOC_PERIOD, EINVAL),
        Ioctl("PeriodEperm", PERF_EVENT_IOC_PERIOD, EPERM),
        Ioctl("ModifyEinval", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, EINVAL),
        Ioctl("ModifyEnospc", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, ENOSPC),
        Ioctl("ModifyEopnotsupp", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, EOPNOTSUPP),
        Ioctl("ModifyEnomem", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, ENOMEM),
        Ioctl("ModifyEperm", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, EPERM),
        Ioctl("ModifyDoesNothing", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0),  // and reports success
        Timer(Of("TimerSetEinval", SYS_timer_settime, EINVAL)), Timer(Of("TimerSetEperm", SYS_timer_settime, EPERM)),
        Timer(Leaking(Of("TimerDeleteEinval", SYS_timer_delete, EINVAL))),
        With(FaultAnswer::kAfterwards, Of("CloseEintr", SYS_close, EINTR)),
        With(FaultAnswer::kAfterwards, Of("CloseEio", SYS_close, EIO)), Leaking(Of("CloseEperm", SYS_close, EPERM)),
        Of("PrctlEperm", SYS_prctl, EPERM), Of("PrctlEinval", SYS_prctl, EINVAL)),
    NameOf);

// A helper with descriptors of its own, and handlers that borrow its events.
INSTANTIATE_TEST_SUITE_P(
    Lend, SessionFault,
    ::testing::Values(
        Lent(Of("PidfdOpenEmfile", SYS_pidfd_open, EMFILE)), Lent(Of("PidfdOpenEsrch", SYS_pidfd_open, ESRCH)),
        Lent(Of("PidfdOpenEnosys", SYS_pidfd_open, ENOSYS)), Lent(Of("PidfdGetfdEperm", SYS_pidfd_getfd, EPERM)),
        Lent(Of("PidfdGetfdEmfile", SYS_pidfd_getfd, EMFILE)), Lent(Of("PidfdGetfdEbadf", SYS_pidfd_getfd, EBADF)),
        Lent(Of("PidfdGetfdEnosys", SYS_pidfd_getfd, ENOSYS)), Lent(Of("CloseRangeEnosys", SYS_close_range, ENOSYS)),
        Unknown(Lent(Of("LentIoctlEbadf", SYS_ioctl, EBADF))), Unknown(Lent(Of("LentIoctlEperm", SYS_ioctl, EPERM))),
        Lent(Ioctl("LentEnableEperm", PERF_EVENT_IOC_ENABLE, EPERM)),
        Lent(Ioctl("LentDisableEperm", PERF_EVENT_IOC_DISABLE, EPERM)),
        Lent(Ioctl("LentPeriodEinval", PERF_EVENT_IOC_PERIOD, EINVAL)),
        Lent(Ioctl("LentModifyEnospc", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, ENOSPC)),
        Lent(Of("LentPrctlEperm", SYS_prctl, EPERM)), Lent(Of("LentPrlimitEperm", SYS_prlimit64, EPERM)),
        Lent(With(FaultAnswer::kAfterwards, Of("LentCloseEintr", SYS_close, EINTR))),
        Lent(Of("LentEventEmfile", SYS_perf_event_open, EMFILE)),
        Lent(Event("LentBreakpointEnospc", PERF_TYPE_BREAKPOINT, ENOSPC))),
    NameOf);

// Memory, threads, waiting, signals.
INSTANTIATE_TEST_SUITE_P(
    Process, SessionFault,
    ::testing::Values(Of("MmapEnomem", SYS_mmap, ENOMEM), Of("MmapEagain", SYS_mmap, EAGAIN),
                      Of("MmapEperm", SYS_mmap, EPERM), Of("MadviseEinval", SYS_madvise, EINVAL),
                      Of("MadviseEnosys", SYS_madvise, ENOSYS), Of("MadviseEagain", SYS_madvise, EAGAIN),
                      Leaking(Of("MunmapEnomem", SYS_munmap, ENOMEM)), Leaking(Of("MunmapEperm", SYS_munmap, EPERM)),
                      Of("CloneEagain", SYS_clone, EAGAIN), Of("CloneEnomem", SYS_clone, ENOMEM),
                      Of("CloneEperm", SYS_clone, EPERM), Of("CloneEnosys", SYS_clone, ENOSYS),
                      Passing(Of("FutexEintr", SYS_futex, EINTR)), Of("FutexEagain", SYS_futex, EAGAIN),
                      Of("FutexEnosys", SYS_futex, ENOSYS), Of("FutexEperm", SYS_futex, EPERM),
                      Passing(Of("NanosleepEintr", SYS_nanosleep, EINTR)), Of("NanosleepEperm", SYS_nanosleep, EPERM),
                      Of("ClockEperm", SYS_clock_gettime, EPERM), Of("ClockEnosys", SYS_clock_gettime, ENOSYS),
                      Of("TgkillEperm", SYS_tgkill, EPERM), Of("TgkillEnosys", SYS_tgkill, ENOSYS),
                      Of("SigactionEinval", SYS_rt_sigaction, EINVAL), Of("SigactionEperm", SYS_rt_sigaction, EPERM),
                      Of("SigactionEnosys", SYS_rt_sigaction, ENOSYS), Of("GettidEnosys", SYS_gettid, ENOSYS)),
    NameOf);

// Files, and reading memory.
INSTANTIATE_TEST_SUITE_P(
    Files, SessionFault,
    ::testing::Values(
        Of("OpenEnoent", SYS_openat, ENOENT), Of("OpenEacces", SYS_openat, EACCES),
        Of("OpenEmfile", SYS_openat, EMFILE), Of("OpenEnfile", SYS_openat, ENFILE), Of("OpenEperm", SYS_openat, EPERM),
        Of("OpenEnosys", SYS_openat, ENOSYS), Open("MapsEacces", "/maps", EACCES), Open("TaskEacces", "/task", EACCES),
        Open("StatusEacces", "/status", EACCES), Of("ReadEio", SYS_read, EIO), Of("ReadEbadf", SYS_read, EBADF),
        Of("ReadEsrch", SYS_read, ESRCH), Passing(Of("ReadEintr", SYS_read, EINTR)),
        With(FaultAnswer::kShort, Of("ReadShort", SYS_read, 0)), OfBreakpoints(Of("PreadEio", SYS_pread64, EIO)),
        Of("GetdentsEnoent", SYS_getdents64, ENOENT), Of("GetdentsEinval", SYS_getdents64, EINVAL),
        Unknown(Of("FstatEbadf", SYS_fstat, EBADF)), Unknown(Of("FstatEperm", SYS_fstat, EPERM)),
        Of("WriteEnospc", SYS_write, ENOSPC), Of("WriteEio", SYS_write, EIO), Of("WriteEpipe", SYS_write, EPIPE),
        Of("WriteEagain", SYS_write, EAGAIN), Passing(Of("WriteEintr", SYS_write, EINTR)),
        With(FaultAnswer::kShort, Of("WriteShort", SYS_write, 0)), Of("ReadvEnosys", SYS_process_vm_readv, ENOSYS),
        Of("ReadvEperm", SYS_process_vm_readv, EPERM), Of("ReadvEsrch", SYS_process_vm_readv, ESRCH),
        Of("ReadvEfault", SYS_process_vm_readv, EFAULT), Of("ReadvEnomem", SYS_process_vm_readv, ENOMEM),
        Policy(Of("SigprocmaskEperm", SYS_rt_sigprocmask, EPERM)),
        Policy(Of("SigprocmaskEnosys", SYS_rt_sigprocmask, ENOSYS))),
    NameOf);

}  // namespace
}  // namespace softlbr
