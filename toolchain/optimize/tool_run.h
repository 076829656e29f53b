// Finds the programs of LLVM and runs children with their output in files.
//
// Children get /dev/null or a named file as standard input. While one runs, SIGINT and SIGQUIT reach only the child, as
// with system(); a child that dies of one is a StatedFailure, so that callers can put back what they changed.
#ifndef SOFTLBR_TOOLCHAIN_OPTIMIZE_TOOL_RUN_H_
#define SOFTLBR_TOOLCHAIN_OPTIMIZE_TOOL_RUN_H_

#include <string>
#include <vector>

namespace softlbr::toolchain {

// The suffix of the newest LLVM of which all `names` are in PATH: "" for unversioned names, "-19". StatedFailure that
// names what is missing and the Debian package (`package`, without version) that holds it.
std::string FindLlvmSuffix(const std::vector<std::string>& names, const std::string& package);

struct ToolRun {
  std::string path;                      // executed; looked up in PATH without a slash
  std::vector<std::string> arguments;    // with argument 0
  std::string input;                     // file for standard input; empty: /dev/null
  std::string output;                    // file for standard output and, if `errors` is empty, standard error
  std::string errors;                    // file for standard error
  bool has_our_errors = false;           // its standard error is ours instead
  std::vector<std::string> environment;  // NAME=value, added to ours
};

struct ToolResult {
  int wait_status = 0;
  double cpu_seconds = 0;  // user and system, of the child and what it waited for
  double wall_seconds = 0;
  bool is_success() const;
  bool has_exited() const;       // with whatever exit code
  std::string Describe() const;  // "exit code 3", "killed by SIGSEGV"
};

// Runs and waits. StatedFailure if it could not be started or was interrupted from the terminal.
ToolResult RunTool(const ToolRun& run);

// What failed and how, with the last line of its output, if there is one, and the name of the log file.
std::string DescribeFailure(const ToolRun& run, const ToolResult& result, const std::string& what);

// RunTool for a tool that must succeed: StatedFailure as DescribeFailure has it.
void RunToolOrFail(const ToolRun& run, const std::string& what);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_OPTIMIZE_TOOL_RUN_H_
