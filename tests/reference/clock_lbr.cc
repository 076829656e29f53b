// clock_lbr: a virtual LBR of this machine's CPU, read by its clock. Runs a program natively; whenever a thread has
// used PERIOD ns of CPU time in user mode, single-steps it until the next N taken branches are known, and lets it run
// on. What it writes is what a faultless recorder would show that samples by the clock, as ours does where there are no
// counters: same kernel event, same settings, same pcs.
//
// Shares no code with the runtime. A thread's event is disabled while the thread is stepped.
// Not seen: a conditional branch that is taken to its own end. A trace ends early where a signal arrives.
//
// Usage: see kUsage. Exit code: the program's; 1 for a stated failure, 2 for wrong usage.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/reference/exact_profile.h"
#include "tests/truth/step/step_cpu.h"
#include "toolchain/base/failure.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::reference {
namespace {

using toolchain::StatedFailure;
using truth::StepClass;
using truth::StepKind;

constexpr char kUsage[] =
    "clock_lbr [-o F] [-c PERIOD_NS] [--lbr N] -- PROGRAM [ARGUMENTS...]\n"
    "  -o F          profile to write; default clock.slbr\n"
    "  -c PERIOD_NS  CPU time between two readings; default 1000003\n"
    "  --lbr N       taken branches of a reading, 1 to 65536; default 16\n";

// A bound for code without branches, such as one long repeated string instruction.
constexpr uint64_t kMaxSteps = 200000;

[[noreturn]] void Fail(const std::string& what) { throw StatedFailure(what + ": " + std::strerror(errno)); }

// The files that the program's code comes from.
class Places {
 public:
  struct Place {
    int module = -1;
    uint64_t offset = 0;
    bool operator<(const Place& other) const { return std::tie(module, offset) < std::tie(other.module, other.offset); }
  };

  void Forget() { ranges_.clear(); }

  Place Find(pid_t pid, uint64_t pc) {
    if (ranges_.empty()) Read(pid);
    const auto behind = ranges_.upper_bound(pc);
    if (behind == ranges_.begin()) return {-1, pc};
    const auto& [start, range] = *std::prev(behind);
    if (pc >= range.end || range.module < 0) return {-1, pc};
    return {range.module, pc - start + range.offset};
  }

  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Range {
    uint64_t end = 0;
    uint64_t offset = 0;
    int module = -1;
  };

  void Read(pid_t pid) {
    std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
    for (std::string line; std::getline(maps, line);) {
      unsigned long start, end, offset;
      char flags[5];
      int path = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &start, &end, flags, &offset, &path) < 4) continue;
      if (flags[2] != 'x') continue;
      const std::string file = path == 0 ? "" : line.substr(static_cast<size_t>(path));
      Range range{end, offset, -1};
      if (!file.empty() && file[0] == '/') {
        const auto [entry, is_new] = numbers_.emplace(file, static_cast<int>(files_.size()));
        if (is_new) files_.push_back(file);
        range.module = entry->second;
      }
      ranges_[start] = range;
    }
  }

  std::map<uint64_t, Range> ranges_;
  std::map<std::string, int> numbers_;
  std::vector<std::string> files_;
};

class ClockLbr {
 public:
  ClockLbr(uint64_t period_ns, uint64_t length) : period_ns_(period_ns), length_(length) {}

  // Runs the program, which is stopped at its first instruction, to its end. Returns its wait status.
  int Run(pid_t program) {
    ptrace(PTRACE_SETOPTIONS, program, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
    OpenEvent(program);
    ptrace(PTRACE_CONT, program, nullptr, nullptr);
    for (;;) {
      int status = 0;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0 && errno == EINTR) continue;
      if (thread < 0) Fail("waitpid");
      if (HandleStop(thread, status) && thread == program) return status;
    }
  }

  // In the grammar of exact_counts_plugin.cc.
  void Write(std::ostream& out) const {
    out << "softlbr-exact 1\ntotals 0 " << branches_ << " " << samples_ << "\n";
    for (size_t i = 0; i < places_.files().size(); ++i) out << "module " << i << " " << places_.files()[i] << "\n";
    const auto text = [](const Places::Place& place) {
      std::ostringstream result;
      result << place.module << " " << std::hex << place.offset;
      return result.str();
    };
    for (const auto& [run, counts] : runs_) {
      out << "run " << text(std::get<0>(run)) << " " << text(std::get<1>(run)) << " " << text(std::get<2>(run)) << " "
          << counts.first << " " << counts.first << " " << counts.second << "\n";
    }
    for (const auto& [pc, count] : pcs_) out << "pc " << text(pc) << " " << count << "\n";
  }

  uint64_t samples() const { return samples_; }
  uint64_t branches() const { return branches_; }

 private:
  using Run3 = std::tuple<Places::Place, Places::Place, Places::Place>;  // start, branch, target

  // As platform/linux opens its sampler, but with a signal that stops the thread for its debugger.
  void OpenEvent(pid_t thread) {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof(attributes);
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = period_ns_;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.wakeup_events = 1;
    const int fd = static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (fd < 0) Fail("perf_event_open");
    const f_owner_ex owner{F_OWNER_TID, thread};
    if (fcntl(fd, F_SETOWN_EX, &owner) != 0 || fcntl(fd, F_SETSIG, Signal()) != 0 || fcntl(fd, F_SETFL, O_ASYNC) != 0)
      Fail("fcntl");
    events_[thread] = fd;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
  }

  // A signal that programs do not use.
  static int Signal() { return SIGRTMAX - 3; }

  // True if the thread has ended.
  bool HandleStop(pid_t thread, int status) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      const auto event = events_.find(thread);
      if (event != events_.end()) {
        close(event->second);
        events_.erase(event);
      }
      return true;
    }
    const int stop = WSTOPSIG(status);
    const int event = status >> 16;
    int deliver = 0;
    if (event == PTRACE_EVENT_EXEC) {
      places_.Forget();
    } else if (event != 0) {
      // The parent of a new thread, which stops for itself.
    } else if (events_.count(thread) == 0) {
      OpenEvent(thread);  // the first stop of a new thread
    } else if (stop == Signal()) {
      ioctl(events_[thread], PERF_EVENT_IOC_DISABLE, 0);
      if (!Trace(thread, &status, &deliver)) return HandleStop(thread, status);
      ioctl(events_[thread], PERF_EVENT_IOC_ENABLE, 0);
    } else {
      deliver = stop == SIGSTOP ? 0 : stop;
    }
    ptrace(PTRACE_CONT, thread, nullptr, static_cast<long>(deliver));
    return false;
  }

  // Steps a stopped thread over its next taken branches. False if it stopped otherwise, with *status. *deliver: a
  // signal for it.
  bool Trace(pid_t thread, int* status, int* deliver) {
    uint64_t pc = truth::ReadPc(thread);
    places_.Forget();  // modules come and go
    ++samples_;
    Places::Place start = places_.Find(thread, pc);
    ++pcs_[start];
    bool is_first = true;
    uint64_t taken = 0;
    for (uint64_t steps = 0; taken < length_ && steps < kMaxSteps; ++steps) {
      uint8_t bytes[16] = {};
      iovec local{bytes, truth::kMaxInstructionLength};
      iovec remote{reinterpret_cast<void*>(pc), truth::kMaxInstructionLength};
      const ssize_t got = process_vm_readv(thread, &local, 1, &remote, 1, 0);
      const StepClass step = truth::ClassifyInstruction(bytes, got < 0 ? 0 : static_cast<size_t>(got));
      if (ptrace(PTRACE_SINGLESTEP, thread, nullptr, nullptr) != 0) Fail("PTRACE_SINGLESTEP");
      while (waitpid(thread, status, __WALL) < 0) {
        if (errno != EINTR) Fail("waitpid");
      }
      if (!WIFSTOPPED(*status) || *status >> 16 != 0) return false;
      const uint64_t next = truth::ReadPc(thread);
      if (WSTOPSIG(*status) != SIGTRAP) {
        // A signal. Ours, from an event that was still on its way, is dropped.
        if (WSTOPSIG(*status) == Signal()) continue;
        *deliver = WSTOPSIG(*status);
        return true;
      }
      const bool is_taken =
          step.kind == StepKind::kUnconditional || (step.kind == StepKind::kConditional && next != pc + step.length);
      if (is_taken) {
        const Places::Place to = places_.Find(thread, next);
        auto& counts = runs_[{start, places_.Find(thread, pc), to}];
        ++counts.first;
        counts.second += is_first ? 0 : 1;  // an LBR does not know where the run before its first branch began
        is_first = false;
        ++taken;
        ++branches_;
        start = to;
      }
      pc = next;
    }
    return true;
  }

  const uint64_t period_ns_;
  const uint64_t length_;
  uint64_t samples_ = 0;
  uint64_t branches_ = 0;
  Places places_;
  std::map<pid_t, int> events_;
  std::map<Run3, std::pair<uint64_t, uint64_t>> runs_;
  std::map<Places::Place, uint64_t> pcs_;
};

uint64_t Number(const std::string& option, const char* text, uint64_t largest) {
  char* end = nullptr;
  const uint64_t value = text == nullptr ? 0 : std::strtoull(text, &end, 10);
  if (text == nullptr || *end != '\0' || value == 0 || value > largest) {
    throw toolchain::UsageFailure(option + " takes a number from 1 to " + std::to_string(largest));
  }
  return value;
}

int Main(int argc, char** argv) {
  std::string output = "clock.slbr";
  uint64_t period_ns = 1000003;
  uint64_t length = 16;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string option = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (option == "-o" && value != nullptr) {
      output = value;
    } else if (option == "-c") {
      period_ns = Number(option, value, uint64_t{1} << 50);
    } else if (option == "--lbr") {
      length = Number(option, value, 65536);
    } else {
      throw toolchain::UsageFailure("unknown option " + option + "; the program follows --");
    }
  }
  if (i + 1 >= argc) throw toolchain::UsageFailure("no program; it follows --");
  const pid_t program = fork();
  if (program < 0) Fail("fork");
  if (program == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
    execvp(argv[i + 1], argv + i + 1);
    _exit(127);
  }
  int status = 0;
  if (waitpid(program, &status, 0) < 0) Fail("waitpid");
  if (!WIFSTOPPED(status)) throw StatedFailure(std::string(argv[i + 1]) + ": cannot be run; is it installed?");
  const std::string file = std::filesystem::read_symlink("/proc/" + std::to_string(program) + "/exe").string();
  ClockLbr lbr(period_ns, length);
  status = lbr.Run(program);
  if (lbr.branches() == 0) throw StatedFailure("no sample: the program is too short; name a smaller period");
  std::stringstream counts;
  lbr.Write(counts);
  const ExactProfiles profiles = ReadExactCounts(counts, file);
  const std::string error = toolchain::WriteProfileFile(profiles.sampled, output);
  if (!error.empty()) throw StatedFailure(error);
  std::cerr << "clock_lbr: " << lbr.samples() << " readings, " << lbr.branches() << " taken branches in " << output
            << "\n";
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace softlbr::reference

int main(int argc, char** argv) {
  try {
    return softlbr::reference::Main(argc, argv);
  } catch (const softlbr::toolchain::UsageFailure& failure) {
    std::cerr << "clock_lbr: " << failure.what() << "\n" << softlbr::reference::kUsage;
    return softlbr::toolchain::kExitUsage;
  } catch (const softlbr::toolchain::StatedFailure& failure) {
    std::cerr << "clock_lbr: " << failure.what() << "\n";
    return failure.exit_code();
  }
}
