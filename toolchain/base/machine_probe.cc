#include "toolchain/base/machine_probe.h"

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <vector>

#include "platform/base/branch_events.h"
#include "platform/base/trap_code.h"

namespace softlbr::toolchain {
namespace {

using platform::SampleEvent;

constexpr uint64_t kNeverReached = 100000000;
constexpr uint64_t kNowhere = 4096;
constexpr uint32_t kMostSlots = 16;
constexpr uint32_t kSelfTestCalls = 8;
// Of these, some may arrive without their mark: where any do, it is one in 10^4 to 10^5.
constexpr uint32_t kMarkedCalls = 20000;
constexpr std::chrono::milliseconds kMarkedTime(500);
#if defined(__x86_64__)
constexpr uint64_t kBreakpointBytes = 8;
#else
constexpr uint64_t kBreakpointBytes = 4;
#endif

perf_event_attr TrapAttributes(uint32_t type, uint64_t config, uint64_t period) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.type = type;
  attributes.size = sizeof attributes;
  attributes.config = config;
  attributes.sample_period = period;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.remove_on_exec = 1;
  attributes.sigtrap = 1;
  return attributes;
}

perf_event_attr BreakpointAttributes(uint64_t address) {
  perf_event_attr attributes = TrapAttributes(PERF_TYPE_BREAKPOINT, 0, 1);
  attributes.bp_type = HW_BREAKPOINT_X;
  attributes.bp_addr = address;
  attributes.bp_len = kBreakpointBytes;
  return attributes;
}

// A descriptor, or -1 with errno set.
int OpenEvent(perf_event_attr* attributes) {
  if (DoPerfEventsKill()) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(syscall(SYS_perf_event_open, attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

int OpenAndClose(perf_event_attr attributes) {
  const int fd = OpenEvent(&attributes);
  if (fd < 0) return errno;
  uint64_t id = 0;
  // The runtime makes this call too, and a sandbox may refuse only this one.
  const int error = ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0 ? errno : 0;
  close(fd);
  return error;
}

// As the runtime tries the event for taken branches (platform/linux/sampling/sampler_linux.cc): it must count.
int ProbeTakenBranches() {
#if defined(__x86_64__)
  platform::X86Identity cpu = {};
  uint32_t leaves = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  __cpuid(0, leaves, cpu.ebx, cpu.ecx, cpu.edx);
  __cpuid(1, cpu.signature, ebx, ecx, edx);
  const uint64_t event = platform::TakenBranchEventOf(cpu);
#elif defined(__aarch64__)
  const uint64_t event = platform::kTakenBranchEventOfA64;
#else
  const uint64_t event = platform::kNoBranchEvent;
#endif
  if (event == platform::kNoBranchEvent) return ENOENT;
  perf_event_attr attributes = TrapAttributes(PERF_TYPE_RAW, event, kNeverReached);
  if (const int error = OpenAndClose(attributes); error != 0) return error;
  const int fd = OpenEvent(&attributes);
  if (fd < 0) return errno;
  uint64_t count = 0;
  ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
  platform::TakeBranches();
  ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  const bool does_count = read(fd, &count, sizeof count) == sizeof count && count != 0;
  close(fd);
  return does_count ? 0 : ENOENT;
}

bool HasDifferentCpus() {
#if defined(__x86_64__)
  constexpr uint32_t kHybrid = 1u << 15;
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kHybrid) != 0;
#else
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> parts;
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("CPU part", 0) == 0) parts.insert(line);
  }
  return parts.size() > 1;
#endif
}

volatile std::sig_atomic_t g_traps = 0;
volatile std::sig_atomic_t g_unmarked = 0;
volatile std::sig_atomic_t g_trap_descriptor = -1;
volatile uint32_t g_calls = 0;

// Disables the breakpoint before the instruction is executed: not every CPU can step over its own breakpoint. After a
// hit without its mark the thread hits again.
void CountTrap(int, siginfo_t* info, void*) {
  constexpr int kMostUnmarked = 1000;
  if (info->si_code != kTrapPerf && g_unmarked < kMostUnmarked) {
    g_unmarked = g_unmarked + 1;
    return;
  }
  g_traps = g_traps + 1;
  ioctl(g_trap_descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

__attribute__((noinline)) void TrappedFunction() { g_calls = g_calls + 1; }

// True if a seccomp filter kills a process for these system calls. Makes them in a child process.
bool DoesKill(void (*make_calls)()) {
  constexpr int64_t kFiltered = 2;
  if (ReadStatusField("Seccomp").value_or(0) != kFiltered) return false;
  const pid_t child = fork();
  if (child == 0) {
    make_calls();
    _exit(0);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFSIGNALED(status);
}

}  // namespace

bool DoPerfEventsKill() {
  static const bool is_killed = DoesKill([] {
    perf_event_attr attributes = TrapAttributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, kNeverReached);
    const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    uint64_t id = 0;
    ioctl(static_cast<int>(fd), PERF_EVENT_IOC_ID, &id);
  });
  return is_killed;
}

bool DoesPrctlKill() {
  static const bool is_killed = DoesKill([] {
    int mode = 0;
    syscall(SYS_prctl, PR_GET_TSC, &mode, 0, 0, 0);
  });
  return is_killed;
}

bool DoesFetchingKill() {
  static const bool is_killed = DoesKill([] {
    const long process = syscall(SYS_pidfd_open, getpid(), 0);
    syscall(SYS_pidfd_getfd, process, 0, 0);
  });
  return is_killed;
}

bool CountsOnSomeCpusOnly(SampleEvent event) { return !platform::IsClock(event) && HasDifferentCpus(); }

int ProbeSampleEvent(SampleEvent event) {
  switch (event) {
    case SampleEvent::kTakenBranches: return ProbeTakenBranches();
    case SampleEvent::kBranches:
      return OpenAndClose(TrapAttributes(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, kNeverReached));
    case SampleEvent::kInstructions:
      return OpenAndClose(TrapAttributes(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, kNeverReached));
    case SampleEvent::kCycles:
      return OpenAndClose(TrapAttributes(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, kNeverReached));
    case SampleEvent::kTaskClock:
      return OpenAndClose(TrapAttributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, kNeverReached));
    case SampleEvent::kThreadTimer: {
      sigevent event_spec{};
      event_spec.sigev_notify = SIGEV_NONE;
      timer_t timer;
      if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event_spec, &timer) != 0) return errno;
      timer_delete(timer);
      return 0;
    }
    case SampleEvent::kBest: break;
  }
  return EINVAL;
}

int ProbeTaskClockWithoutTrap() {
  perf_event_attr attributes = TrapAttributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, kNeverReached);
  attributes.sigtrap = 0;
  attributes.remove_on_exec = 0;
  attributes.size = PERF_ATTR_SIZE_VER5;  // accepted since Linux 4.1
  return OpenAndClose(attributes);
}

BreakpointProbe ProbeBreakpoints() {
  BreakpointProbe probe;
  std::vector<int> opened;
  while (opened.size() < kMostSlots) {
    perf_event_attr attributes = BreakpointAttributes(kNowhere);
    const int fd = OpenEvent(&attributes);
    if (fd < 0) {
      probe.error = errno;
      break;
    }
    opened.push_back(fd);
  }
  for (const int fd : opened) close(fd);
  probe.free_slots = static_cast<uint32_t>(opened.size());
  return probe;
}

TrapProbe ProbeTraps() {
  TrapProbe probe;
  struct sigaction action {};
  struct sigaction previous {};
  action.sa_sigaction = CountTrap;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGTRAP, &action, &previous) != 0) {
    probe.error = errno;
    return probe;
  }
  sigset_t trap;
  sigset_t mask;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigprocmask(SIG_UNBLOCK, &trap, &mask);
  perf_event_attr attributes = BreakpointAttributes(reinterpret_cast<uint64_t>(&TrappedFunction));
  const int fd = OpenEvent(&attributes);
  if (fd < 0) {
    probe.error = errno;
  } else {
    g_traps = 0;
    g_unmarked = 0;
    g_trap_descriptor = fd;
    void (*volatile function)() = TrappedFunction;
    const auto end = std::chrono::steady_clock::now() + kMarkedTime;
    for (; probe.calls < kMarkedCalls; ++probe.calls) {
      const bool is_tested = probe.calls >= kSelfTestCalls;
      const bool does_work = static_cast<uint32_t>(g_traps) == probe.calls;
      if (is_tested && (!does_work || std::chrono::steady_clock::now() > end)) break;
      ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
      function();
    }
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    close(fd);
    probe.traps = static_cast<uint32_t>(g_traps);
    probe.unmarked = static_cast<uint32_t>(g_unmarked);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGTRAP, &previous, nullptr);
  return probe;
}

std::optional<int64_t> ReadNumber(const std::string& path) {
  std::ifstream stream(path);
  int64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

std::optional<int64_t> ReadStatusField(const std::string& field) {
  std::ifstream stream("/proc/self/status");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(field + ":")) return std::strtoll(line.c_str() + field.size() + 1, nullptr, 10);
  }
  return std::nullopt;
}

bool MayUsePerfEvents() {
  constexpr int kCapSysAdmin = 21;
  constexpr int kCapPerfmon = 38;
  std::ifstream stream("/proc/self/status");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("CapEff:")) continue;
    const uint64_t held = std::strtoull(line.c_str() + 7, nullptr, 16);
    return ((held >> kCapSysAdmin) & 1) != 0 || ((held >> kCapPerfmon) & 1) != 0;
  }
  return false;
}

}  // namespace softlbr::toolchain
