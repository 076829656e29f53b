#include "toolchain/optimize/tool_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// LLVM versions looked for, newest first. BOLT is part of LLVM since 14.
constexpr int kNewestVersion = 30;
constexpr int kOldestVersion = 14;

bool IsInPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access(((folder.empty() ? "." : folder) + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// In the child: replaces a standard descriptor. Returns false with errno.
bool Redirect(int to, const std::string& path, int flags) {
  const int fd = open(path.empty() ? "/dev/null" : path.c_str(), flags, 0666);
  return fd >= 0 && dup2(fd, to) >= 0 && (fd == to || close(fd) == 0);
}

std::string LastLine(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

// Leaves the terminal's signals to the child for as long as it lives.
class IgnoredSignals {
 public:
  IgnoredSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;
  ~IgnoredSignals() { Restore(); }
  void Restore() const {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction quit_ {};
};

}  // namespace

std::string FindLlvmSuffix(const std::vector<std::string>& names, const std::string& package) {
  const auto missing = [&names](const std::string& suffix) {
    for (const std::string& name : names) {
      if (!IsInPath(name + suffix)) return name + suffix;
    }
    return std::string();
  };
  if (missing("").empty()) return "";
  for (int version = kNewestVersion; version >= kOldestVersion; --version) {
    const std::string suffix = "-" + std::to_string(version);
    if (missing(suffix).empty()) return suffix;
  }
  throw StatedFailure(missing("") +
                      " was not found in PATH, with or without a version; install it (Debian: apt-get install " +
                      package + "-19) or add LLVM's bin folder to PATH");
}

bool ToolResult::has_exited() const { return WIFEXITED(wait_status); }

bool ToolResult::is_success() const { return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0; }

std::string ToolResult::Describe() const {
  if (!WIFSIGNALED(wait_status)) return "exit code " + std::to_string(WEXITSTATUS(wait_status));
  const char* name = sigabbrev_np(WTERMSIG(wait_status));
  return name != nullptr ? std::string("killed by SIG") + name
                         : "killed by signal " + std::to_string(WTERMSIG(wait_status));
}

ToolResult RunTool(const ToolRun& run) {
  std::vector<char*> arguments;
  for (const std::string& argument : run.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ToolResult result;
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw StatedFailure(std::string("no pipe: ") + std::strerror(errno));
  const IgnoredSignals ignored;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    ignored.Restore();
    for (const std::string& variable : run.environment) putenv(const_cast<char*>(variable.c_str()));
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    bool is_ready = Redirect(STDIN_FILENO, run.input, O_RDONLY) && Redirect(STDOUT_FILENO, run.output, kWrite);
    is_ready = is_ready && (run.has_our_errors || (run.errors.empty() ? dup2(STDOUT_FILENO, STDERR_FILENO) >= 0
                                                                      : Redirect(STDERR_FILENO, run.errors, kWrite)));
    if (is_ready) execvp(run.path.c_str(), arguments.data());
    const int error = errno;
    if (write(report[1], &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  const int fork_error = errno;
  close(report[1]);
  int error = child < 0 ? fork_error : 0;
  if (child > 0 && read(report[0], &error, sizeof error) != sizeof error) error = 0;
  close(report[0]);
  rusage usage{};
  if (child > 0) {
    while (wait4(child, &result.wait_status, 0, &usage) < 0 && errno == EINTR) continue;
  }
  if (error != 0) throw StatedFailure(SafeText(run.path) + ": cannot be run: " + std::strerror(error));
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  if (WIFSIGNALED(result.wait_status) &&
      (WTERMSIG(result.wait_status) == SIGINT || WTERMSIG(result.wait_status) == SIGQUIT)) {
    throw StatedFailure("interrupted while " + SafeText(run.path) + " ran; what was made until then is kept");
  }
  return result;
}

std::string DescribeFailure(const ToolRun& run, const ToolResult& result, const std::string& what) {
  const std::string log = run.errors.empty() ? run.output : run.errors;
  const std::string last = SafeText(LastLine(log));
  return what + " failed (" + result.Describe() + ")" + (last.empty() ? "" : ": " + last) + "; its output is in " +
         SafeText(log);
}

void RunToolOrFail(const ToolRun& run, const std::string& what) {
  const ToolResult result = RunTool(run);
  if (!result.is_success()) throw StatedFailure(DescribeFailure(run, result, what));
}

}  // namespace softlbr::toolchain
