// Runs a program and captures its output, for tests of the command line.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_RUN_COMMAND_H_
#define SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_RUN_COMMAND_H_

#include <string>
#include <vector>

namespace softlbr::testing {

struct CommandResult {
  int exit_code = -1;  // -1: killed by `signal_number`
  int signal_number = 0;
  std::string out;
  std::string err;
};

// Looks arguments[0] up in PATH. environment: NAME=value sets a variable, NAME removes it. Standard input is /dev/null.
CommandResult RunCommand(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

// The path of this build's softlbr command.
std::string SoftlbrPath();
CommandResult RunSoftlbr(std::vector<std::string> arguments, const std::vector<std::string>& environment = {});

// True if the program is in PATH.
bool HasProgram(const std::string& name);

std::string ReadFile(const std::string& path);  // fails the test if the file cannot be read
void WriteFile(const std::string& path, const std::string& content);

// A new temporary folder, removed with the object unless SOFTLBR_KEEP_TEST_FILES is set.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_RUN_COMMAND_H_
