#include "toolchain/base/recorded_program.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

// Signals that affect a process that does not handle them. SIGPIPE is not among them, because the command's own writes
// raise it.
constexpr std::array kPassedSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,  SIGVTALRM,
                                       SIGPROF, SIGXCPU, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGWINCH, SIGPWR};
using SavedActions = std::array<struct sigaction, kPassedSignals.size()>;

volatile std::sig_atomic_t g_program = 0;

void PassOn(int signal_number, siginfo_t* info, void*) {
  const int saved = errno;
  const pid_t program = static_cast<pid_t>(g_program);
  const bool came_from_program = info->si_code <= 0 && info->si_pid == program;
  // The kernel sends to the process group, unless the program has left it.
  const bool has_program_received_it = info->si_code > 0 && getpgid(program) == getpgrp();
  if (program > 0 && !came_from_program && !has_program_received_it) kill(program, signal_number);
  errno = saved;
}

void InstallHandlers(SavedActions* saved) {
  struct sigaction pass_on {};
  pass_on.sa_sigaction = PassOn;
  pass_on.sa_flags = SA_RESTART | SA_SIGINFO;
  for (size_t i = 0; i < kPassedSignals.size(); ++i) sigaction(kPassedSignals[i], &pass_on, &(*saved)[i]);
}

// Those that ask the command to end keep the handler, which now does nothing: a second one must not end it before the
// profile is complete.
void RestoreHandlers(const SavedActions& saved) {
  for (size_t i = 0; i < kPassedSignals.size(); ++i) {
    const int signal_number = kPassedSignals[i];
    const bool asks_for_end =
        signal_number == SIGHUP || signal_number == SIGINT || signal_number == SIGQUIT || signal_number == SIGTERM;
    if (!asks_for_end) sigaction(signal_number, &saved[i], nullptr);
  }
}

sigset_t SetOf(int signal_number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  return set;
}

// Sends the signal to this process, with its default action.
void RaiseWithDefaultAction(int signal_number) {
  struct sigaction default_action {};
  default_action.sa_handler = SIG_DFL;
  struct sigaction before {};
  sigaction(signal_number, &default_action, &before);
  const sigset_t set = SetOf(signal_number);
  sigset_t mask;
  sigprocmask(SIG_UNBLOCK, &set, &mask);
  raise(signal_number);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigaction(signal_number, &before, nullptr);
}

bool IsStopped(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(stat, line);
  const size_t state = line.rfind(')') + 2;  // "PID (NAME) STATE": t is a stop of a traced process
  return state < line.size() && (line[state] == 'T' || line[state] == 't');
}

// The program has stopped by `signal_number`. Stops this process too, unless both have been continued since. PassOn
// sends the program the SIGCONT that continues this process.
void StopToo(pid_t program, int signal_number) {
  const sigset_t set = SetOf(SIGCONT);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &set, &mask);  // SIGCONT still ends the stop; PassOn runs when it is unblocked
  if (IsStopped(program)) RaiseWithDefaultAction(signal_number);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

// A process of which we are the tracer has stopped; false if we are not.
bool ResumeTraced(pid_t traced, int signal_number) {
  siginfo_t info{};
  if (ptrace(PTRACE_GETSIGINFO, traced, nullptr, &info) != 0) {
    if (errno != EINVAL) return false;
    // A stop by job control. It began when we delivered the signal, and ends when we say so.
    StopToo(traced, signal_number);
    signal_number = 0;
  } else if (signal_number == SIGTRAP && info.si_code == SI_USER && info.si_pid == traced) {
    signal_number = 0;  // told to tracers after an exec; it would kill the new program
  }
  ptrace(PTRACE_CONT, traced, nullptr, static_cast<long>(signal_number));
  return true;
}

// The program's wait status. Waits for every child, because a thread of the program that calls PTRACE_TRACEME reports
// its stops under its own id.
int WaitForEnd(pid_t program) {
  for (;;) {
    int status = 0;
    const pid_t who = waitpid(-1, &status, WUNTRACED | __WALL);
    if (who < 0 && errno != EINTR) return 0;
    if (who < 0) continue;
    if (WIFSTOPPED(status)) {
      if (!ResumeTraced(who, WSTOPSIG(status)) && who == program) StopToo(program, WSTOPSIG(status));
    } else if (who == program) {
      return status;
    }
  }
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

// Changes to a new directory, which a child process removes with its content when this process has ended.
// False if that cannot be done.
bool MoveToPassingFolder() {
  std::string folder = (std::filesystem::temp_directory_path() / "softlbr-XXXXXX").string();
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0 || mkdtemp(folder.data()) == nullptr) return false;
  const pid_t child = fork();
  if (child < 0) rmdir(folder.c_str());
  if (child != 0) return child > 0 && chdir(folder.c_str()) == 0;
  setsid();
  // Keeps no descriptor but the end of the pipe, so that nobody has to wait for this process.
  dup2(pipe_ends[0], 0);
  const auto most = static_cast<int>(sysconf(_SC_OPEN_MAX));
  for (int fd = 1; fd < most; ++fd) close(fd);
  char end = 0;
  while (read(0, &end, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  _exit(0);
}

// Sets whether the signal that is raised next dumps core. The core dump of interest is the program's and must not be
// overwritten; the kernel reports a dump even if the file is as small as a page. If cores do not go to the working
// directory, none is made.
void PrepareCoreDump(bool is_wanted) {
  constexpr rlim_t kSmallestCore = 4096;
  rlimit limit{0, 0};
  char first = '/';
  std::ifstream("/proc/sys/kernel/core_pattern") >> first;
  if (is_wanted && first != '/' && first != '|' && MoveToPassingFolder())
    limit.rlim_cur = limit.rlim_max = kSmallestCore;
  setrlimit(RLIMIT_CORE, &limit);
}

}  // namespace

ProgramEnd RunProgram(const std::function<int()>& execute, const std::function<void(pid_t)>& started) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw StatedFailure(std::string("no pipe: ") + std::strerror(errno));
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
    const int error = execute();
    [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &error, sizeof error);
    _exit(ExitCodeOfExecError(error));
  }
  close(pipe_ends[1]);
  g_program = program;
  SavedActions saved;
  InstallHandlers(&saved);
  sigset_t needed = before;  // a shell may have left some of them blocked
  for (const int signal_number : kPassedSignals) sigdelset(&needed, signal_number);
  sigprocmask(SIG_SETMASK, &needed, nullptr);

  ProgramEnd end{};
  end.exec_error = ExecError(pipe_ends[0]);
  close(pipe_ends[0]);
  if (end.exec_error == 0 && started != nullptr) started(program);
  end.wait_status = WaitForEnd(program);
  g_program = 0;
  RestoreHandlers(saved);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return end;
}

int ExitCodeOfExecError(int exec_error) {
  return exec_error == ENOENT || exec_error == ENOTDIR ? kExitNotFound : kExitNotExecutable;
}

int EndAsProgramDid(int wait_status) {
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  const int signal_number = WTERMSIG(wait_status);
  PrepareCoreDump(WCOREDUMP(wait_status));
  RaiseWithDefaultAction(signal_number);
  return 128 + signal_number;
}

}  // namespace softlbr::toolchain
