// The table of programs that differential_test.cc runs (quick.table, large.table).
//
// Stanzas with a blank line between them; lines are `key: value`; `#` begins a comment line. Keys:
//   program   the name, one word, unique over the table
//   packages  Debian packages to name where something is missing
//   needs     programs (in PATH) and files (with a slash) without which it is skipped
//   set       NAME=value for the environment of everything below; repeatable
//   make      a line of shell that makes the inputs, in the folder that the runs find; repeatable
//   run       a command, split at blanks outside quotes; recorded and compared. "< FILE " before it: standard input. Repeatable;
//             $IN is the folder inputs/, here and in make
//   unsteady  stderr: may differ between two plain runs; files: so may what is left in the folder
//   ignore    a regular expression: lines of the output in which it is found are not compared (times of day and the like)
//   ends      abruptly: by a system call of its own, so that the last chunks of the profile are missing, which the command says
//   exit      the codes that the runs end with, in their order (default 0): a program that could not begin its work is no example
//   samples   the least number of samples that all runs together must give (default 20): a record of nothing proves nothing
//   threads   the least number of traced threads of the last run (default 1)
#ifndef SOFTLBR_TESTS_DIFFERENTIAL_PROGRAM_TABLE_H_
#define SOFTLBR_TESTS_DIFFERENTIAL_PROGRAM_TABLE_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace softlbr::differential {

struct CommandLine {
  std::string input;  // file for standard input; empty: none
  std::vector<std::string> command;
};

struct Program {
  std::string name;
  std::string packages;
  std::vector<std::string> needs;
  std::vector<std::string> environment;
  std::vector<std::string> make;
  std::vector<CommandLine> runs;
  std::string ignored_lines;  // empty: none
  bool ends_abruptly = false;
  bool is_stderr_unsteady = false;
  bool are_files_unsteady = false;
  std::vector<int> exit_codes;  // of the runs; 0 where it is shorter
  uint64_t least_samples = 20;
  uint64_t least_threads = 1;
};

inline void PrintTo(const Program& program, std::ostream* stream) { *stream << program.name; }

// Throws std::runtime_error with file and line of what it does not understand.
std::vector<Program> ReadProgramTable(const std::string& path);

// Words of a command line: split at blanks, '...' and "..." kept together (no escapes, no expansion).
std::vector<std::string> SplitWords(const std::string& text);

}  // namespace softlbr::differential

#endif  // SOFTLBR_TESTS_DIFFERENTIAL_PROGRAM_TABLE_H_
