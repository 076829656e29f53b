// Attaches a debugger to a recorded program, as gdb -p does.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class DebuggerAttaches : public HazardRun {
 protected:
  // Starts `softlbr record` of a busy program with one thread; *program is its process id.
  pid_t Start(pid_t* program) {
    const pid_t command = fork();
    if (command == 0) {
      const std::string softlbr = testing::SoftlbrPath();
      execl(softlbr.c_str(), "softlbr", "record", "-q", "-o", profile_.c_str(), "-e", "task-clock", "-c", "1000003",
            "--", "perl", "-e", "1 while 1", nullptr);
      _exit(127);
    }
    const std::string children = "/proc/" + std::to_string(command) + "/task/" + std::to_string(command) + "/children";
    for (*program = 0; *program == 0 && waitpid(command, nullptr, WNOHANG) == 0; usleep(1000))
      std::ifstream(children) >> *program;
    // The profile's first frames are there: the session runs.
    std::error_code ignored;
    while (std::filesystem::file_size(profile_, ignored) == 0 && waitpid(command, nullptr, WNOHANG) == 0) usleep(1000);
    return command;
  }
  static uint64_t CpuTicks(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(stat, line);
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string field;
    for (int i = 0; i < 11; ++i) fields >> field;
    uint64_t ticks = 0;
    fields >> ticks;
    return ticks;
  }
};

// While the debugger looks around, the program is stopped but the control thread is not, and finds out.
TEST_F(DebuggerAttaches, ProgramDoesNotStopAtOurTrapsOnceItIsContinued) {
  pid_t program = 0;
  const pid_t command = Start(&program);
  const std::filesystem::path tasks = "/proc/" + std::to_string(program) + "/task";
  const auto threads = std::distance(std::filesystem::directory_iterator(tasks), {});
  constexpr int kRounds = 8;
  int stops_by_our_traps = 0;
  int attached = 0;
  for (int round = 0; round < kRounds && threads == 1; ++round) {
    if (ptrace(PTRACE_ATTACH, program, nullptr, nullptr) != 0) break;
    ++attached;
    int status = 0;
    ASSERT_EQ(waitpid(program, &status, 0), program);
    if (WSTOPSIG(status) == SIGTRAP) {  // was raised as we attached: delivered now; the stop follows
      ptrace(PTRACE_CONT, program, nullptr, static_cast<long>(SIGTRAP));
      ASSERT_EQ(waitpid(program, &status, 0), program);
    }
    EXPECT_EQ(WSTOPSIG(status), SIGSTOP);
    usleep(400000);  // what a person does between attaching and continuing takes longer
    const uint64_t begin = CpuTicks(program);
    ptrace(PTRACE_CONT, program, nullptr, nullptr);
    // Ten ticks of CPU time are a hundred samples.
    int stopped = 0;
    while ((stopped = waitpid(program, &status, WNOHANG)) == 0 && CpuTicks(program) < begin + 10) usleep(1000);
    if (stopped == 0) {
      kill(program, SIGSTOP);
      ASSERT_EQ(waitpid(program, &status, 0), program);
    }
    if (WSTOPSIG(status) == SIGTRAP) {
      ++stops_by_our_traps;
      ptrace(PTRACE_DETACH, program, nullptr, static_cast<long>(SIGTRAP));
    } else {
      ptrace(PTRACE_DETACH, program, nullptr, nullptr);
    }
    const uint64_t detached = CpuTicks(program);
    while (CpuTicks(program) < detached + 30) usleep(1000);  // it is sampled again
  }
  kill(command, SIGTERM);
  waitpid(command, nullptr, 0);
  if (threads != 1) GTEST_SKIP() << "missing: a control thread outside the program's thread group";
  if (attached == 0) GTEST_SKIP() << "missing: ptrace";
  EXPECT_EQ(attached, kRounds);
  EXPECT_LE(stops_by_our_traps, kRounds / 4);
  EXPECT_GE(Lost("debugger_attached"), 1u);
}

}  // namespace
}  // namespace softlbr::hazards
