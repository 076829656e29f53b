// `softlbr record` and the signals, stops and exit codes of the program that it runs: whoever starts the command sees
// of it what they would see of the program.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

// A program that prints its process id, then answers each of these signals with a line, and ends with 5 at SIGTERM or
// SIGHUP.
constexpr char kAnswers[] =
    "$| = 1; for my $s (qw(INT QUIT USR1 CONT)) { $SIG{$s} = sub { print \"$s\\n\" } }"
    "for my $s (qw(TERM HUP)) { $SIG{$s} = sub { print \"$s\\n\"; exit 5 } }"
    "print \"$$\\n\"; while (1) { $x += $_ for 1 .. 1000 }";

// `softlbr record` in a process group of its own, running, with its standard output in a pipe.
class RunningRecord {
 public:
  RunningRecord(const std::vector<std::string>& options, const std::vector<std::string>& program) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    command_ = fork();
    if (command_ == 0) {
      setpgid(0, 0);
      dup2(ends[1], 1);
      std::vector<std::string> arguments = {testing::SoftlbrPath(), "record", "-q"};
      if (std::find(options.begin(), options.end(), "-e") == options.end())
        arguments.insert(arguments.end(), {"-e", "thread-timer"});
      arguments.insert(arguments.end(), options.begin(), options.end());
      arguments.push_back("--");
      arguments.insert(arguments.end(), program.begin(), program.end());
      std::vector<char*> pointers;
      for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
      pointers.push_back(nullptr);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    setpgid(command_, command_);
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  RunningRecord(const RunningRecord&) = delete;
  RunningRecord& operator=(const RunningRecord&) = delete;
  ~RunningRecord() {
    fclose(out_);
    if (!has_ended_) {
      kill(-command_, SIGKILL);
      Wait(0);
    }
  }
  pid_t command() const { return command_; }
  // The next line that the program prints; empty at its end.
  std::string Line() {
    char line[256];
    std::string text = fgets(line, sizeof line, out_) != nullptr ? line : "";
    if (!text.empty()) text.pop_back();
    return text;
  }
  int Wait(int flags) {
    int status = 0;
    while (waitpid(command_, &status, flags) < 0 && errno == EINTR) {
    }
    has_ended_ = !WIFSTOPPED(status) && !WIFCONTINUED(status);
    return status;
  }

 private:
  pid_t command_;
  FILE* out_;
  bool has_ended_ = false;
};

// The state letter in /proc/PID/stat, as soon as it is one of `wanted`.
char AwaitState(pid_t process, const std::string& wanted) {
  for (;;) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(stat, line)) return '\0';
    const char state = line[line.rfind(')') + 2];
    if (wanted.find(state) != std::string::npos) return state;
    usleep(1000);
  }
}

// Waits until the command has acted on the SIGCONT that was sent to it, and waits for its program again. What it sends
// the program late would end the program's next stop.
void AwaitContinued(pid_t command) {
  const auto field = [command](const std::string& name) {
    const std::string status = testing::ReadFile("/proc/" + std::to_string(command) + "/status");
    const size_t at = status.find("\n" + name + ":\t");
    EXPECT_NE(at, std::string::npos) << status;
    return status.substr(at + name.size() + 3, 16);
  };
  const auto has_cont = [](const std::string& set) {
    return (std::stoull("0" + set, nullptr, 16) >> (SIGCONT - 1) & 1) != 0;
  };
  // It sleeps only where it waits for its program. In this order: who sleeps after the signal was taken has handled it.
  while (has_cont(field("ShdPnd")) || has_cont(field("SigBlk")) || field("State")[0] != 'S') usleep(1000);
}

class RecordedProgram : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string profile_ = folder_ / "p.slbr";
};

TEST_F(RecordedProgram, ReceivesSignalsThatAreSentToTheCommand) {
  for (const auto& [number, name] : {std::pair{SIGTERM, "TERM"}, std::pair{SIGHUP, "HUP"}}) {
    RunningRecord record({"-o", profile_}, {"perl", "-e", kAnswers});
    ASSERT_NE(record.Line(), "");
    for (const auto& [other_number, other_name] :
         {std::pair{SIGINT, "INT"}, std::pair{SIGQUIT, "QUIT"}, std::pair{SIGUSR1, "USR1"}}) {
      ASSERT_EQ(kill(record.command(), other_number), 0);
      EXPECT_EQ(record.Line(), other_name);
    }
    ASSERT_EQ(kill(record.command(), number), 0);
    EXPECT_EQ(record.Line(), name);
    EXPECT_EQ(record.Line(), "") << "once";
    const int status = record.Wait(0);
    EXPECT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 5);
    const auto stats = nlohmann::json::parse(testing::RunSoftlbr({"stats", profile_, "--json"}).out);
    EXPECT_EQ(stats["is_truncated"], false);
  }
}

TEST_F(RecordedProgram, DiesOfAHangUpTogetherWithTheCommand) {
  RunningRecord record({"-o", profile_}, {"perl", "-e", "$| = 1; print \"$$\\n\"; 1 while 1"});
  const pid_t program = std::stoi("0" + record.Line());
  ASSERT_GT(program, 0);
  ASSERT_EQ(kill(record.command(), SIGHUP), 0);
  const int status = record.Wait(0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGHUP);
  EXPECT_NE(kill(program, 0), 0) << "the program is left behind";
  EXPECT_EQ(testing::RunSoftlbr({"stats", profile_, "--json"}).exit_code, 0) << "no profile";
}

TEST_F(RecordedProgram, StopsAndContinuesTogetherWithTheCommand) {
  RunningRecord record({"-o", profile_}, {"perl", "-e", kAnswers});
  const pid_t program = std::stoi("0" + record.Line());
  ASSERT_GT(program, 0);
  for (const int number : {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU}) {
    // The program stops by itself; the command is asked to stop; both are, as by a terminal's Ctrl-Z or a shell.
    for (const pid_t target : {program, record.command(), -record.command()}) {
      SCOPED_TRACE(::testing::Message() << "signal " << number << " to " << target << ", command " << record.command());
      if (number == SIGSTOP && target == record.command()) continue;  // nobody can notice
      ASSERT_EQ(kill(target, number), 0);
      const int status = record.Wait(WUNTRACED);
      ASSERT_TRUE(WIFSTOPPED(status));
      EXPECT_EQ(WSTOPSIG(status), number);
      EXPECT_EQ(AwaitState(program, "T"), 'T');
      ASSERT_EQ(kill(target == program ? record.command() : target, SIGCONT), 0);
      EXPECT_EQ(record.Line(), "CONT");
      ASSERT_TRUE(WIFCONTINUED(record.Wait(WCONTINUED)));
      AwaitContinued(record.command());
      // A signal that is answered shows that both go on; a second SIGCONT may have reached the program.
      ASSERT_EQ(kill(record.command(), SIGUSR1), 0);
      std::string line = record.Line();
      while (line == "CONT") line = record.Line();
      EXPECT_EQ(line, "USR1");
    }
  }
  ASSERT_EQ(kill(record.command(), SIGTERM), 0);
  EXPECT_EQ(WEXITSTATUS(record.Wait(0)), 5);
}

// The first ends the program; the helper completes the profile meanwhile, and the command waits for it.
TEST_F(RecordedProgram, MoreSignalsThanOneLeaveACompleteProfile) {
  for (const int number : {SIGINT, SIGTERM}) {
    SCOPED_TRACE(number);
    RunningRecord record({"-o", profile_, "-e", "task-clock"},
                         {"perl", "-e", "$| = 1; print \"$$\\n\"; while (1) { $x += $_ for 1 .. 1000 }"});
    if (record.Line().empty()) GTEST_SKIP() << "missing: perf events, or perl";
    usleep(100000);
    siginfo_t info{};  // si_pid stays 0 until it has ended
    while (waitid(P_PID, static_cast<id_t>(record.command()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0) {
      (void)kill(record.command(), number);
      usleep(100);
    }
    const int status = record.Wait(0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    const testing::CommandResult stats = testing::RunSoftlbr({"stats", profile_, "--json"});
    ASSERT_EQ(stats.exit_code, 0) << stats.err;
    EXPECT_EQ(nlohmann::json::parse(stats.out)["is_truncated"], false) << stats.out;
  }
}

TEST_F(RecordedProgram, CommandHasTheShellsExitCodeIfThereIsNoProgramToRun) {
  const auto exit_code = [&](const std::string& program) {
    const testing::CommandResult result = testing::RunSoftlbr({"record", "-o", profile_, "--", program});
    EXPECT_NE(result.err, "");
    EXPECT_NE(access(profile_.c_str(), F_OK), 0) << "an empty profile is left behind";
    return result.exit_code;
  };
  EXPECT_EQ(exit_code("no-such-program-at-all"), 127);
  EXPECT_EQ(exit_code(folder_ / "missing"), 127);
  EXPECT_EQ(exit_code(folder_.path()), 126);
  const std::string file = folder_ / "file";
  testing::WriteFile(file, "#!/nonexistent/interpreter\n");
  EXPECT_EQ(exit_code(file), 126) << "not executable";
  ASSERT_EQ(chmod(file.c_str(), 0755), 0);
  EXPECT_EQ(exit_code(file), 127) << "an interpreter that does not exist";
}

TEST_F(RecordedProgram, CoreDumpIsVisibleAndIsTheProgramsOwn) {
  std::string pattern;
  std::ifstream("/proc/sys/kernel/core_pattern") >> pattern;
  if (pattern.empty() || pattern[0] == '|' || pattern[0] == '/')
    GTEST_SKIP() << "missing: cores in the working directory";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &before), 0);
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_CORE, &unlimited) != 0) GTEST_SKIP() << "missing: the right to dump cores";
  const std::string old_folder = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  ASSERT_EQ(mkdir("tmp", 0777), 0);
  ASSERT_EQ(setenv("TMPDIR", (folder_ / "tmp").c_str(), 1), 0);
  ASSERT_EQ(setenv("ASAN_OPTIONS", "disable_coredump=0", 1), 0);  // else a sanitized command forbids it to the program
  {
    RunningRecord record({"-o", profile_}, {"perl", "-e", "kill 'SEGV', $$; sleep 60"});
    const int status = record.Wait(0);
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
    EXPECT_TRUE(WCOREDUMP(status));
  }
  unsetenv("TMPDIR");
  unsetenv("ASAN_OPTIONS");
  std::filesystem::current_path(old_folder);
  setrlimit(RLIMIT_CORE, &before);
  uintmax_t cores = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().filename().string().rfind("core", 0) != 0) continue;
    ++cores;
    EXPECT_GT(entry.file_size(), 65536u) << "overwritten by the command's own";
  }
  EXPECT_EQ(cores, 1u);
  while (!std::filesystem::is_empty(folder_ / "tmp")) usleep(1000);  // removed by a process that outlives the command
}

}  // namespace
}  // namespace softlbr::toolchain
