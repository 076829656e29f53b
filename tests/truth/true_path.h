// The true path of a program's main thread: every taken branch in order, as single-stepping saw it.
//
// Distinct branches are numbered; the path consists of chunks of these numbers. A chunk is contiguous: it ends only
// where the kernel moved the thread and does not bring it back. A signal handler's branches form a chunk of their own,
// and the interrupted chunk continues after it: delivery of a signal is no branch.
#ifndef SOFTLBR_TESTS_TRUTH_TRUE_PATH_H_
#define SOFTLBR_TESTS_TRUTH_TRUE_PATH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/truth/truth_modules.h"

namespace softlbr::truth {

struct TakenBranch {
  CodeAddress from;
  CodeAddress to;
  auto operator<=>(const TakenBranch&) const = default;
};

using BranchNumber = uint32_t;

struct TruePath {
  TruthModules modules;
  std::vector<TakenBranch> branches;  // by number
  std::vector<std::vector<BranchNumber>> chunks;
  std::vector<std::vector<uint32_t>> run_steps;  // for each branch: steps since the one before it
  std::vector<CodeAddress> piece_starts;         // the first pc of each chunk
  uint64_t steps = 0;                            // single steps, iterations of rep included
  uint64_t signals = 0;                          // handlers entered
  std::vector<size_t> behind_unstepped_calls;    // for each unstepped call, the chunk that begins where it returned
  // times that the kernel changed the pc in a way we do not know; a chunk ends there
  uint64_t kernel_moves = 0;
  int exit_status = 0;  // as waitpid gives it

  uint64_t TakenCount() const {
    uint64_t count = 0;
    for (const auto& chunk : chunks) count += chunk.size();
    return count;
  }
};

// How to run a program.
struct Launch {
  std::vector<std::string> arguments;    // [0] is the path
  std::vector<std::string> environment;  // NAME=value
  std::string standard_input = "/dev/null";
  std::string standard_output = "/dev/null";
  std::string folder;  // working directory; empty: ours
};

// Which process of a launch is the program.
enum class Stepped : uint8_t {
  kItself,      // the one launched
  kFirstChild,  // its first child that calls exec: the launched process is a command that starts the program
};

// Runs a program under ptrace, without address randomisation, to its end: one instruction at a time, or from one trap
// to the next where only one path is possible in between (step_cpu.h). Only its main thread is stepped; others run
// freely, and must not execute the same code outside libc. Calls into modules whose name begins with one of `unstepped`
// run freely too, until they return; a chunk of the path ends at the call and another begins after it. Stepper and
// program share one CPU: a step then costs 11 to 24 us on a virtual machine instead of 18 to 38, nearly all of it the
// debug exception. A run of six instructions costs as much as one step. Result: empty on success, else what went wrong.
// A program that needs more than max_steps is killed; that is an error.
// A program that raises SIGTRAP itself by system call cannot be stepped: the kernel merges its trap with the step's.
std::string StepThrough(const Launch& launch, Stepped stepped, const std::vector<std::string>& unstepped,
                        uint64_t max_steps, TruePath* path);

// In a forked child: redirects, chdir, no address randomisation, execve. Never returns.
[[noreturn]] void BecomeProgram(const Launch& launch);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_TRUE_PATH_H_
