// The table of programs that differential_test.cc runs (quick.table, large.table).
//
// Stanzas with a blank line between them; lines are `key: value`; `#` begins a comment line. Keys:
//   program   the name, one word, unique over the table
//   packages  Debian packages to name if something is missing
//   needs     programs (in PATH) and files (with a slash) without which the test is skipped
//   set       NAME=value for the environment of everything below; repeatable
//   make      a shell line that makes the inputs, executed in the folder of the runs; repeatable run a command, split
//             at blanks outside quotes; recorded and compared. "< FILE " before it: standard input. Repeatable;
//             $IN is the folder inputs/, here and in make
//   unsteady  stderr: standard error may differ between two runs alone; files: the files left in the folder may
//   ignore    a regular expression: output lines that match it are not compared (for example times of day)
//   ends      abruptly: by a system call of its own, so that the end of the profile is missing, as the command reports
//   exit      the exit codes of the runs, in order (default 0): a program that fails at its start is no test
//   samples   the least number of samples of all runs together (default 20): an empty recording is no test
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
  std::vector<int> exit_codes;  // of the runs; runs beyond its end: 0
  uint64_t least_samples = 20;
  uint64_t least_threads = 1;
};

inline void PrintTo(const Program& program, std::ostream* stream) { *stream << program.name; }

// Throws std::runtime_error with file and line of a line that it does not understand.
std::vector<Program> ReadProgramTable(const std::string& path);

// Words of a command line: split at blanks, '...' and "..." kept together (no escapes, no expansion).
std::vector<std::string> SplitWords(const std::string& text);

}  // namespace softlbr::differential

#endif  // SOFTLBR_TESTS_DIFFERENTIAL_PROGRAM_TABLE_H_
