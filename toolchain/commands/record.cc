// `softlbr record`: runs a program with the preload library and prints a one-line summary.
//
// The command stays the program's parent and ends as the program does (toolchain/base/recorded_program.h). The program
// keeps the terminal, its process group and its descriptors. The preload library gets its options through an
// environment variable and two descriptors, all of which it removes (runtime/process_tree/record_protocol.h). It hands
// the recording on to the programs that the program starts, unless --no-children is given; the command ends when the
// first process does.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "platform/base/status.h"
#include "runtime/process_tree/record_protocol.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/install_layout.h"
#include "toolchain/base/machine_probe.h"
#include "toolchain/base/names.h"
#include "toolchain/base/recorded_program.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/program_check.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/record/compact_file.h"
#include "toolchain/record/label_options.h"
#include "toolchain/record/record_causes.h"
#include "toolchain/record/record_output.h"
#include "toolchain/record/record_tree.h"
#include "toolchain/record/record_users.h"
#include "toolchain/record/record_wait.h"
#include "toolchain/weights/expected_overlap.h"

namespace softlbr::toolchain {
namespace {

// Bits of softlbr_option_flags (softlbr/softlbr.h), which are ABI.
constexpr unsigned kKeepTraces = 1u << 0;
constexpr unsigned kKeepPaths = 1u << 1;
constexpr unsigned kNoBreakpoints = 1u << 3;
constexpr unsigned kShareDescriptors = 1u << 4;
constexpr unsigned kDenseStart = 1u << 5;
// A larger profile is not read back for the summary, as that would take too long.
constexpr uint64_t kMaxSummaryFileBytes = 64 << 20;

Descriptor CreateTree(RecordTree** tree) {
  Descriptor fd(memfd_create(kRecordTreeName, MFD_CLOEXEC));
  if (fd.get() < 0 || ftruncate(fd.get(), sizeof(RecordTree)) != 0) {
    throw StatedFailure(std::string("no memory file for the status: ") + std::strerror(errno));
  }
  void* mapping = mmap(nullptr, sizeof(RecordTree), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (mapping == MAP_FAILED) throw StatedFailure(std::string("the status cannot be mapped: ") + std::strerror(errno));
  *tree = static_cast<RecordTree*>(mapping);
  std::memcpy((*tree)->program.magic, kRecordStatusMagic, sizeof kRecordStatusMagic);
  struct stat info {};
  if (stat("/proc/self/ns/pid", &info) == 0) (*tree)->process_namespace = info.st_ino;
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
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* trial = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
  if (trial == MAP_FAILED) {
    throw StatedFailure(
        SafeText(path) + ": cannot be loaded as code (" + std::strerror(errno) +
        "), as on a file system that is mounted noexec; install it elsewhere or name another folder in SOFTLBR_LIBDIR");
  }
  munmap(trial, 4096);
  if (path.find_first_of(": ") != std::string::npos) {
    throw StatedFailure(SafeText(path) +
                        ": the loader cannot preload from a path with a space or colon; install it elsewhere or name "
                        "another folder in SOFTLBR_LIBDIR");
  }
  return path;
}

// Has the same length in all runs: its length moves the program's stack, and what depends on addresses there.
std::string Padded(pid_t process) {
  std::string digits = std::to_string(process);
  constexpr size_t kMostDigits = 7;  // PID_MAX_LIMIT is 4194304
  return std::string(kMostDigits - std::min(kMostDigits, digits.size()), '0') + digits;
}

std::string OptionsText(const RecordOptions& options, pid_t command, int output_fd, int status_fd,
                        const std::string& socket_name) {
  std::string last;
  for (const std::string& label : options.labels) last = ";label=" + label + last;
  if (options.wait_trigger) {
    const std::string status = std::to_string(status_fd);
    return std::string(kRecordOptionsVersion) + ";fd=" + status + ";status=" + status +
           ";wait=1;record=" + Padded(command) + last;
  }
  // Whole traces have no weight, so their rate does not fall. The runtime ignores the flag if a rate is given.
  const bool is_dense = !options.production && !options.traces && options.resolve != "static";
  const unsigned flags = (is_dense ? kDenseStart : 0) | (options.traces ? kKeepTraces : 0) |
                         (options.paths ? kKeepPaths : 0) | (options.no_breakpoints ? kNoBreakpoints : 0) |
                         (DoesFetchingKill() ? kShareDescriptors : 0);
  return std::string(kRecordOptionsVersion) + ";fd=" + std::to_string(output_fd) +
         ";status=" + std::to_string(status_fd) + ";event=" + options.event +
         ";period=" + std::to_string(options.period) + ";freq=" + std::to_string(options.frequency_hz) +
         ";branches=" + std::to_string(options.branches) + ";resolve=" + options.resolve +
         ";overhead=" + std::to_string(options.max_overhead.empty() ? 0 : PartsPerMillion(options.max_overhead)) +
         (options.no_children ? "" : ";record=" + Padded(command)) +
         (socket_name.empty() ? "" : ";socket=" + socket_name) + ";verify=" + std::to_string(options.verify_every) +
         ";flags=" + std::to_string(flags) + last;
}

// In the child: executes the program with the preload library added to its environment. Returns errno on failure.
// output: null if the program writes no profile by itself.
int BecomeProgram(const RecordOptions& options, const std::string& path, const std::string& preload,
                  const RecordOutput* output, const Descriptor& status, const std::string& socket_name) {
  // Standard output belongs to the profile: the program's own output goes to standard error, as `perf record -o -` has
  // it.
  if (output != nullptr && output->is_standard_output()) dup2(STDERR_FILENO, STDOUT_FILENO);
  const int output_fd = output != nullptr ? output->descriptor() : -1;
  if (output_fd >= 0) fcntl(output_fd, F_SETFD, 0);
  fcntl(status.get(), F_SETFD, 0);
  const char* existing = std::getenv("LD_PRELOAD");
  const std::string preload_list = existing != nullptr ? preload + ":" + existing : preload;
  setenv("LD_PRELOAD", preload_list.c_str(), 1);
  if (existing != nullptr) setenv(kRecordFillerVariable, "", 1);
  setenv(kRecordOptionsVariable, OptionsText(options, getppid(), output_fd, status.get(), socket_name).c_str(), 1);
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
  return errno;
}

std::string EndText(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = sigabbrev_np(WTERMSIG(wait_status));
    return "the program was killed by " +
           (name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(WTERMSIG(wait_status))) +
           (WCOREDUMP(wait_status) ? " (core dumped)" : "");
  }
  return "the program ended";
}

// The program was killed or has ended by a raw system call: the runtime's helper now completes the profile.
void WaitForHelper(const TreeFile& tree, int wait_status) {
  const RecordStatus& status = tree.tree->program;
  constexpr int kLongestWaitMs = 10000;
  const auto state = static_cast<RecordState>(__atomic_load_n(&status.state, __ATOMIC_ACQUIRE));
  if (state != RecordState::kRunning || status.helper == 0) return;
  const Descriptor helper(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(status.helper), 0)));
  pollfd wait{helper.get(), POLLIN, 0};
  if (helper.get() < 0 || !IsHelperOf(tree, static_cast<uint32_t>(status.helper))) return;
  // The signal makes the helper check at once whether the program has ended (platform/helper.h). If the program died of
  // SIGTRAP, the helper would, too.
  if (!WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGTRAP) {
    syscall(SYS_pidfd_send_signal, helper.get(), SIGTRAP, nullptr, 0);
  }
  poll(&wait, 1, kLongestWaitMs);
}

// Why there is no complete profile; empty if there is one. profile: what was written, nullptr if that is not readable.
std::string Explain(const RecordOptions& options, const Profile* profile, const RecordStatus& status, int wait_status) {
  const RecordState state = static_cast<RecordState>(__atomic_load_n(&status.state, __ATOMIC_ACQUIRE));
  switch (state) {
    case RecordState::kFinished:
      return status.status == static_cast<uint32_t>(Status::kHandlerReplaced)
                 ? StatusText(status.status) + "; record without that handler"
                 : "";
    case RecordState::kNotStarted:
      return EndText(wait_status) +
             " before the preload library ran; `softlbr doctor` checks the installation, and LD_DEBUG=libs shows what "
             "the loader did";
    case RecordState::kRunning:
      if (profile != nullptr && !profile->is_truncated) return "";
      return EndText(wait_status) + " without its exit handlers; the profile holds what had been written until then";
    case RecordState::kStartFailed: {
      std::string text = "not recorded: ";
      if (options.event != "best")
        text += "the event " + options.event + " cannot be used (-e best takes what there is): ";
      return text + StartFailureText(status.status, status.system_error);
    }
    case RecordState::kOptionsRefused:
      return "not recorded: the preload library does not understand this command; install both from one build";
    case RecordState::kReplaced:
      if (!options.no_children) return "the program replaced itself by another one (exec), which was not recorded";
      return "the program replaced itself by another one (exec), which was not recorded; the profile ends there. Leave "
             "out "
             "--no-children to record that program, too";
    case RecordState::kSandboxed:
      return "the program entered a sandbox (seccomp or system call dispatch) that does not allow the system calls of "
             "recording; "
             "it was recorded until then, and ran on unrecorded";
    case RecordState::kServesFaults:
      return "the program serves page faults itself (userfaultfd), and reading its memory ahead could block it; "
             "it was recorded until then, and ran on unrecorded";
    case RecordState::kNoEntryLeft:
      return "the program came to the limit of processes (RLIMIT_NPROC or pids.max of its control group), in which a "
             "recording "
             "takes one more for each process; it was recorded until then, and ran on unrecorded. Raise the limit to "
             "record all of "
             "it";
    case RecordState::kReserved:
    case RecordState::kWaiting: break;  // asked for by RunWaiting only
  }
  return "not recorded: the preload library reports a state that this command does not know; install both from one "
         "build";
}

// True if the session never ran, so that the command must not report success.
bool HasFailedToStart(const RecordStatus& status) {
  switch (static_cast<RecordState>(__atomic_load_n(&status.state, __ATOMIC_ACQUIRE))) {
    case RecordState::kNotStarted:
    case RecordState::kStartFailed:
    case RecordState::kOptionsRefused: return true;
    default: return false;
  }
}

// CPU time of the children of this process that it has waited for, and of theirs.
struct FamilyCpu {
  uint64_t all_ns;
  uint64_t kernel_ns;  // of it
};

FamilyCpu FamilyCpuTime() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_usec) * 1000;
  };
  return {nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime), nanoseconds(usage.ru_stime)};
}

std::optional<Profile> ReadBack(const RecordOutput& output) {
  if (!output.is_file() || output.content_bytes() == 0 || output.content_bytes() > kMaxSummaryFileBytes)
    return std::nullopt;
  auto read = ReadProfileFile(output.content_path(), [](const Trace&) {});
  if (!std::holds_alternative<Profile>(read)) return std::nullopt;
  return std::move(std::get<Profile>(read));
}

void PrintSummary(const RecordOutput& output, const Profile* profile, const RecordStatus& status) {
  uint64_t branches = status.taken_branches;
  uint64_t samples = status.samples;
  std::string rest;
  if (profile != nullptr) {
    const SessionCounters& c = profile->counters;
    if (c.taken_branches != 0) branches = c.taken_branches;
    if (c.samples != 0) samples = c.samples;
    if (HasOverheadShare(c)) {
      rest += ", overhead " + Share(c.overhead_total_ns, c.app_cpu_ns) + " of CPU time";
    } else if (c.overhead_total_ns != 0) {
      rest += ", overhead " + Duration(c.overhead_total_ns);
    }
    if (c.paused_cpu_ns * 100 > c.app_cpu_ns) {
      rest += ", paused for " + Share(c.paused_cpu_ns, c.app_cpu_ns) + " because of context switches";
    }
    if (profile->sessions.size() > 1) rest += ", " + GroupedCount(profile->sessions.size()) + " processes";
    // All sessions of one recording have the same settings.
    if (!profile->sessions.empty()) {
      rest += ", " + DescribeSampling(profile->sessions[0]) + DescribeMeanPeriod(profile->sessions[0], c);
    }
  }
  const std::string size = output.is_file() ? ByteSize(output.content_bytes()) : "";
  if (size.empty() && !rest.empty()) rest.erase(0, 2);
  Say(Counted(branches, "taken branch", "taken branches") + " from " + Counted(samples, "sample") + " in " +
      output.shown() + (size.empty() && rest.empty() ? "" : " (" + size + rest + ")"));
  if (profile == nullptr) return;
  const std::string sufficiency = DescribeSufficiency(*profile);
  if (!sufficiency.empty()) Say(sufficiency);
}

// Puts the profile in its place or removes it, and prints what was recorded or why not. False if recording failed.
bool Finish(const RecordOptions& options, RecordOutput* output, const RecordStatus& status, const TreeEnd& tree_end,
            int wait_status, const FamilyCpu& family) {
  const uint64_t family_cpu_ns = family.all_ns;
  const std::optional<Profile> read = ReadBack(*output);
  const Profile* profile = read.has_value() ? &*read : nullptr;
  std::string why = Explain(options, profile, status, wait_status);
  const std::string kept = output->has_earlier() ? "; the earlier profile in " + output->shown() + " is kept" : "";
  if (output->is_file() && output->content_bytes() == 0) {
    const int write_error = output->TryToWrite();
    output->Discard();  // an empty file is not a profile
    if (why.empty()) {
      why = write_error != 0 ? output->shown() + ": nothing could be written: " + std::strerror(write_error) +
                                   "; free space there, or name a file elsewhere with -o"
                             : output->shown() + ": nothing was written; `softlbr doctor` checks this machine";
    }
    Say(why + kept);
    return false;
  }
  if (!options.quiet) {
    for (const std::string& line : tree_end.messages) Say(line);
  }
  const bool is_without_branch =
      profile != nullptr && profile->branches.empty() && profile->counters.taken_branches == 0;
  if (!why.empty()) Say(why + (is_without_branch ? kept : ""));
  if (!options.quiet && why.empty() && WIFSIGNALED(wait_status)) {
    Say(EndText(wait_status) + "; the profile is complete");
  }
  if (is_without_branch && output->has_earlier()) {
    if (why.empty()) Say(WhyNoBranch(*profile, family_cpu_ns, !options.no_children) + kept);
    output->Discard();
    return !HasFailedToStart(status);
  }
  // In a folder each file keeps the frames of its own session.
  if (profile != nullptr && !tree_end.has_writers && !output->is_folder() && CanCompact(*profile)) {
    const std::string source = output->content_path();
    (void)output->Rewrite([&](const std::string& path) { return WriteCompact(*profile, source, path); });
  }
  if (!options.quiet) {
    PrintSummary(*output, profile, status);
    std::string note;
    if (is_without_branch && why.empty()) note = WhyNoBranch(*profile, family_cpu_ns, !options.no_children);
    if (!is_without_branch && profile != nullptr && profile->counters.app_cpu_ns != 0) {
      note = WhyFewSamples(profile->counters);
      if (note.empty()) note = DescribeChildren(profile->counters.app_cpu_ns, family_cpu_ns, !options.no_children);
      if (note.empty()) note = DescribeTracer(profile->counters);
    }
    if (!note.empty()) Say(note);
    const std::string kernel = DescribeKernelTime(family.kernel_ns, family.all_ns);
    if (!kernel.empty()) Say(kernel);
  }
  output->Keep();
  return !HasFailedToStart(status);
}

// Refuses an event that the user names and this machine does not have, before the program runs in vain.
void CheckEvent(const std::string& name) {
  const std::optional<uint32_t> event = EventFromName(name);
  if (!event.has_value() || name == "best") return;
  const int error = ProbeSampleEvent(static_cast<platform::SampleEvent>(*event));
  if (error == 0) return;
  const std::string cause = error == EACCES || error == EPERM
                                ? StatusText(static_cast<uint32_t>(Status::kPermissionDenied))
                                : EventErrorText(error);
  throw StatedFailure("the event " + name + " cannot be opened: " + cause +
                      "; -e best takes the best event that there is, and `softlbr doctor` lists them");
}

void CheckExec(const RecordOptions& options, const ProgramEnd& end) {
  if (end.exec_error == 0) return;
  throw StatedFailure(SafeText(options.program[0]) + ": cannot be started: " + std::strerror(end.exec_error) +
                          "; name a program that runs without softlbr",
                      ExitCodeOfExecError(end.exec_error));
}

// With --wait-trigger: the program runs, and others start sessions in it.
int RunWaiting(const RecordOptions& options, const std::string& path, const std::string& preload) {
  if (DoPerfEventsKill() || DoesFetchingKill()) {
    throw StatedFailure(
        "this sandbox kills processes that use perf events or pidfd_getfd, as a session that is triggered may; record "
        "without "
        "--wait-trigger");
  }
  RecordTree* tree = nullptr;
  const Descriptor status_fd = CreateTree(&tree);
  WaitingProgram waiting(&tree->program, options.quiet);
  const ProgramEnd end = RunProgram(
      [&options, &path, &preload, &status_fd] { return BecomeProgram(options, path, preload, nullptr, status_fd, ""); },
      [&waiting](pid_t program) { waiting.OnStarted(program); });
  CheckExec(options, end);
  std::signal(SIGPIPE, SIG_IGN);
  const bool could_be_triggered = waiting.OnEnd();
  const int code = EndAsProgramDid(end.wait_status);
  return code == 0 && !could_be_triggered ? kExitFailure : code;
}

}  // namespace

int RunRecord(const RecordOptions& wanted) {
  RecordOptions options = wanted;
  if (options.program.empty()) throw UsageFailure("record: name a program after --, as in softlbr record -- ls -l");
  (void)LabelsOf(options.labels);  // checks them
  const std::string path = ResolveProgram(options.program[0]);
  CheckProgram(path);
  RefuseInputAsOutput(options.output, {path});
  const std::string preload = FindPreloadLibrary();
  if (DoesPrctlKill()) {
    throw StatedFailure(
        "this sandbox kills processes that call prctl, which recording needs; allow the call in its filter");
  }
  if (options.wait_trigger) return RunWaiting(options, path, preload);
  if ((options.event != "thread-timer" || !options.no_breakpoints) && DoPerfEventsKill()) {
    options.event = "thread-timer";
    options.no_breakpoints = true;
    Warn("this sandbox kills processes that use perf events; recording as with -e thread-timer --no-breakpoints");
  }
  CheckEvent(options.event);
  RecordTree* tree = nullptr;
  const Descriptor status_fd = CreateTree(&tree);
  RecordOutput output(options.output, !options.no_children);
  const FamilyCpu before = FamilyCpuTime();
  std::optional<OtherUsers> users;
  if (!options.no_children) users.emplace(tree);
  const std::string socket_name = users.has_value() ? users->socket_name() : "";
  const ProgramEnd end =
      RunProgram([&] { return BecomeProgram(options, path, preload, &output, status_fd, socket_name); });
  FamilyCpu family = FamilyCpuTime();
  family = {family.all_ns - before.all_ns, family.kernel_ns - before.kernel_ns};
  std::vector<TreeFile> trees = {{tree, status_fd.get()}};
  if (users.has_value()) {
    users->Stop();
    for (const TreeFile& file : users->Trees()) trees.push_back(file);
  }
  for (const TreeFile& file : trees) WaitForHelper(file, end.wait_status);
  TreeEnd tree_end = EndTrees(trees);
  const RecordStatus* first = users.has_value() ? users->FirstProgram() : nullptr;
  const RecordStatus& status = first != nullptr ? *first : tree->program;
  CheckExec(options, end);
  std::signal(SIGPIPE, SIG_IGN);  // the command ends as the program did, even if nobody reads the summary
  bool is_recorded = false;
  try {
    if (users.has_value()) {
      for (std::string& message : users->Gather(output)) tree_end.messages.push_back(std::move(message));
    }
    is_recorded = Finish(options, &output, status, tree_end, end.wait_status, family);
  } catch (const StatedFailure& failure) {
    Say(failure.what());
  }
  const int code = EndAsProgramDid(end.wait_status);
  return code == 0 && !is_recorded ? kExitFailure : code;
}

}  // namespace softlbr::toolchain
