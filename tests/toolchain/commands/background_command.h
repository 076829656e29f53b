// softlbr in the background, for tests that do something meanwhile. Standard error goes to a file, standard output to
// /dev/null.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_BACKGROUND_COMMAND_H_
#define SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_BACKGROUND_COMMAND_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::testing {

class BackgroundCommand {
 public:
  // environment: NAME=value variables besides those of this process.
  BackgroundCommand(std::vector<std::string> arguments, std::string errors, std::vector<std::string> environment = {})
      : errors_(std::move(errors)) {
    arguments.insert(arguments.begin(), SoftlbrPath());
    arguments.insert(arguments.begin(), environment.begin(), environment.end());
    arguments.insert(arguments.begin(), "env");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(posix_spawnp(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  BackgroundCommand(const BackgroundCommand&) = delete;
  BackgroundCommand& operator=(const BackgroundCommand&) = delete;
  ~BackgroundCommand() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void Signal(int number) const { kill(pid_, number); }
  void Interrupt() const { Signal(SIGINT); }
  std::string errors() const { return ReadFile(errors_); }  // so far
  bool is_running() const { return pid_ > 0; }              // as long as nobody has waited for it
  // Once only.
  CommandResult Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    CommandResult result;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal_number = WTERMSIG(status);
    result.err = errors();
    return result;
  }

 private:
  std::string errors_;
  pid_t pid_ = -1;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_BACKGROUND_COMMAND_H_
