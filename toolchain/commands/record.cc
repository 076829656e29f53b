// `softlbr record`: runs a program with the preload library and prints a one-line summary.
//
// The command stays the program's parent: it ignores SIGINT and SIGQUIT, forwards SIGTERM, waits, and ends with the program's
// exit code or signal. The program keeps the terminal, its process group and its descriptors. The preload library gets its
// options through an environment variable and two descriptors, all of which it removes (runtime/attach/record_protocol.h).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "runtime/attach/record_protocol.h"
#include "toolchain/binary/program_check.h"
#include "toolchain/commands/commands.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/install_layout.h"
#include "toolchain/host/machine_probe.h"
#include "toolchain/host/names.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

// Bits of softlbr_option_flags (softlbr/softlbr.h), which are ABI.
constexpr unsigned kKeepTraces = 1u << 0;
constexpr unsigned kKeepPaths = 1u << 1;
constexpr unsigned kNoBreakpoints = 1u << 3;
// The passed descriptors are numbered from here, so that the program's own get the low numbers it would get without us.
constexpr int kFirstPassedDescriptor = 200;
// A larger profile is not read back for the summary, as that would take too long.
constexpr off_t kMaxSummaryFileBytes = 64 << 20;

volatile std::sig_atomic_t g_program = 0;

void PassOn(int signal_number) {
  const int saved = errno;
  if (g_program > 0) kill(static_cast<pid_t>(g_program), signal_number);
  errno = saved;
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// Moves a descriptor to a high number. Close-on-exec stays set until the child clears it.
Descriptor MoveHigh(Descriptor low) {
  const int fd = fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstPassedDescriptor);
  return fd >= 0 ? Descriptor(fd) : std::move(low);
}

Descriptor CreateOutput(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd.get() < 0) {
    throw StatedFailure(SafeText(path) + ": cannot be created: " + std::strerror(errno) + "; name another file with -o");
  }
  return MoveHigh(std::move(fd));
}

Descriptor CreateStatus(RecordStatus** status) {
  Descriptor fd(memfd_create("softlbr_status", MFD_CLOEXEC));
  if (fd.get() < 0 || ftruncate(fd.get(), sizeof(RecordStatus)) != 0) {
    throw StatedFailure(std::string("no memory file for the status: ") + std::strerror(errno));
  }
  void* mapping = mmap(nullptr, sizeof(RecordStatus), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (mapping == MAP_FAILED) throw StatedFailure(std::string("the status cannot be mapped: ") + std::strerror(errno));
  *status = static_cast<RecordStatus*>(mapping);
  std::memcpy((*status)->magic, kRecordStatusMagic, sizeof kRecordStatusMagic);
  return MoveHigh(std::move(fd));
}

std::string FindPreloadLibrary() {
  const std::string path = FindLibrary(kPreloadLibraryName);
  if (path.empty()) {
    std::string folders;
    for (const std::string& folder : LibraryFolders()) folders += (folders.empty() ? "" : ", ") + folder;
    throw StatedFailure(std::string(kPreloadLibraryName) + " not found in " + SafeText(folders) +
                        "; install it there or name its folder in SOFTLBR_LIBDIR");
  }
  if (path.find_first_of(": ") != std::string::npos) {
    throw StatedFailure(SafeText(path) +
                        ": the loader cannot preload from a path with a space or colon; install it elsewhere or name "
                        "another folder in SOFTLBR_LIBDIR");
  }
  return path;
}

std::string OptionsText(const RecordOptions& options, int output_fd, int status_fd) {
  const unsigned flags =
      (options.traces ? kKeepTraces : 0) | (options.paths ? kKeepPaths : 0) | (options.no_breakpoints ? kNoBreakpoints : 0);
  return std::string(kRecordOptionsVersion) + ";fd=" + std::to_string(output_fd) + ";status=" + std::to_string(status_fd) +
         ";event=" + options.event + ";period=" + std::to_string(options.period) + ";freq=" + std::to_string(options.frequency_hz) +
         ";branches=" + std::to_string(options.branches) + ";resolve=" + options.resolve +
         ";overhead=" + std::to_string(options.max_overhead.empty() ? 0 : PartsPerMillion(options.max_overhead)) +
         ";verify=" + std::to_string(options.verify_every) + ";flags=" + std::to_string(flags) +
         ";decoder=" + FindLibrary(DecoderLibraryName(HostMachine()));
}

// In the child: executes the program with the preload library added to its environment. Writes errno to `report` on failure.
[[noreturn]] void BecomeProgram(const RecordOptions& options, const std::string& path, const std::string& preload,
                                const Descriptor& output, const Descriptor& status, int report) {
  fcntl(output.get(), F_SETFD, 0);
  fcntl(status.get(), F_SETFD, 0);
  const char* existing = std::getenv("LD_PRELOAD");
  const std::string preload_list = existing != nullptr && existing[0] != '\0' ? preload + ":" + existing : preload;
  setenv("LD_PRELOAD", preload_list.c_str(), 1);
  setenv(kRecordOptionsVariable, OptionsText(options, output.get(), status.get()).c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : options.program) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(path.c_str(), arguments.data());
  // A script without #!: run it with sh, as execvp does.
  if (errno == ENOEXEC) {
    arguments[0] = const_cast<char*>(path.c_str());
    arguments.insert(arguments.begin(), const_cast<char*>("sh"));
    execv("/bin/sh", arguments.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

// Waits for the exec: 0 if it succeeded, else its errno.
int ExecError(int pipe_end) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(pipe_end, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

std::string EndText(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = sigabbrev_np(WTERMSIG(wait_status));
    return "the program was killed by " +
           (name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(WTERMSIG(wait_status)));
  }
  return "the program ended";
}

// Why there is no complete profile; empty if there is one.
std::string Explain(const RecordStatus& status, int wait_status) {
  const RecordState state = static_cast<RecordState>(__atomic_load_n(&status.state, __ATOMIC_ACQUIRE));
  switch (state) {
    case RecordState::kFinished: return "";
    case RecordState::kNotStarted:
      return EndText(wait_status) +
             " before the preload library ran; `softlbr doctor` checks the installation, and LD_DEBUG=libs shows what "
             "the loader did";
    case RecordState::kRunning:
      return EndText(wait_status) + " without its exit handlers; the profile holds what had been written until then";
    case RecordState::kStartFailed: {
      std::string text = "not recorded: " + StatusText(status.status);
      if (status.system_error != 0) text += std::string(" (") + std::strerror(static_cast<int>(status.system_error)) + ")";
      return text;
    }
    case RecordState::kOptionsRefused:
      return "not recorded: the preload library does not understand this command; install both from one build";
    case RecordState::kReplaced:
      return "the program replaced itself by another one (exec), which was not recorded; the profile ends there. "
             "Record "
             "that program itself if this was a wrapper";
    case RecordState::kDecoderFailed: return "not recorded: the decoder plugin cannot be used: " + StatusText(status.status);
  }
  return "not recorded: the preload library reports a state that this command does not know; install both from one "
         "build";
}

void PrintSummary(const RecordOptions& options, const RecordStatus& status, int wait_status) {
  struct stat info {};
  const bool has_file = stat(options.output.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  const std::string why = Explain(status, wait_status);
  if (!why.empty()) std::cerr << "softlbr: " << why << '\n';
  if (!has_file || info.st_size == 0) {
    if (has_file) unlink(options.output.c_str());  // an empty file is not a profile
    if (why.empty()) std::cerr << "softlbr: " << SafeText(options.output) << ": nothing was written\n";
    return;
  }
  if (options.quiet) return;
  uint64_t branches = status.taken_branches;
  uint64_t samples = status.samples;
  std::string rest;
  if (info.st_size <= kMaxSummaryFileBytes) {
    const auto read = ReadProfileFile(options.output);
    if (const Profile* profile = std::get_if<Profile>(&read)) {
      const SessionCounters& c = profile->counters;
      if (c.taken_branches != 0) branches = c.taken_branches;
      if (c.samples != 0) samples = c.samples;
      if (c.app_cpu_ns != 0) rest += ", overhead " + Share(c.overhead_total_ns, c.app_cpu_ns) + " of CPU time";
      if (!profile->sessions.empty()) rest += ", " + DescribeSampling(profile->sessions[0]);
    }
  }
  std::cerr << "softlbr: " << GroupedCount(branches) << " taken branches from " << GroupedCount(samples) << " samples in "
            << SafeText(options.output) << " (" << ByteSize(static_cast<uint64_t>(info.st_size)) << rest << ")\n";
  if (branches == 0) {
    std::cerr << "softlbr: no branch was recorded: the program may have been too short for a sample; try a smaller "
                 "-c PERIOD, and `softlbr doctor`\n";
  }
}

int EndAsProgramDid(int wait_status) {
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  const int signal_number = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};  // the core dump of interest is the program's
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal_number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal_number);
  return 128 + signal_number;
}

}  // namespace

int RunRecord(const RecordOptions& wanted) {
  RecordOptions options = wanted;
  if (options.program.empty()) throw UsageFailure("record: name a program after --, as in softlbr record -- ls -l");
  const std::string path = ResolveProgram(options.program[0]);
  CheckProgram(path);
  const std::string preload = FindPreloadLibrary();
  if (FindLibrary(DecoderLibraryName(HostMachine())).empty()) {
    throw StatedFailure(DecoderLibraryName(HostMachine()) + " not found beside " + SafeText(preload) +
                        "; install it there or name its folder in SOFTLBR_LIBDIR");
  }
  if ((options.event != "thread-timer" || !options.no_breakpoints) && DoPerfEventsKill()) {
    options.event = "thread-timer";
    options.no_breakpoints = true;
    std::cerr << "softlbr: warning: this sandbox kills processes that use perf events; recording as with -e thread-timer "
                 "--no-breakpoints\n";
  }
  RecordStatus* status = nullptr;
  const Descriptor status_fd = CreateStatus(&status);
  Descriptor output = CreateOutput(options.output);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw StatedFailure(std::string("no pipe: ") + std::strerror(errno));
  Descriptor report_read(pipe_ends[0]);
  Descriptor report_write(pipe_ends[1]);

  // Signals stay blocked until the handlers below are installed.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  // If the shell left SIGCHLD ignored, waitpid() would not return the program's status.
  struct sigaction default_action {};
  default_action.sa_handler = SIG_DFL;
  struct sigaction old_child {};
  sigaction(SIGCHLD, &default_action, &old_child);
  const pid_t program = fork();
  if (program < 0) {
    const int error = errno;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    throw StatedFailure(std::string("the program cannot be started: ") + std::strerror(error));
  }
  if (program == 0) {
    sigaction(SIGCHLD, &old_child, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    BecomeProgram(options, path, preload, output, status_fd, report_write.get());
  }
  g_program = program;
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, nullptr);
  sigaction(SIGQUIT, &ignore, nullptr);
  struct sigaction old_term {};
  sigaction(SIGTERM, nullptr, &old_term);
  if (old_term.sa_handler != SIG_IGN) {
    struct sigaction pass_on {};
    pass_on.sa_handler = PassOn;
    pass_on.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &pass_on, nullptr);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  report_write = Descriptor();
  output = Descriptor();

  const int exec_error = ExecError(report_read.get());
  int wait_status = 0;
  while (waitpid(program, &wait_status, 0) < 0 && errno == EINTR) {
  }
  g_program = 0;
  if (exec_error != 0) {
    struct stat info {};
    if (stat(options.output.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0) {
      unlink(options.output.c_str());
    }
    throw StatedFailure(SafeText(options.program[0]) + ": cannot be started: " + std::strerror(exec_error));
  }
  PrintSummary(options, *status, wait_status);
  return EndAsProgramDid(wait_status);
}

}  // namespace softlbr::toolchain
