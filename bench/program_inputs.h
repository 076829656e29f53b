// Real programs and their inputs, for the benchmarks and the path tests (tests/paths).
//
// Inputs are deterministic: the same bytes on every machine and in every run.
#ifndef SOFTLBR_BENCH_PROGRAM_INPUTS_H_
#define SOFTLBR_BENCH_PROGRAM_INPUTS_H_

#include <span>
#include <string>

namespace softlbr::bench {

struct RealProgram {
  const char* name;
  const char* needs;    // file that must exist
  const char* prepare;  // shell command, executed once in the work folder; "" for none
  const char* run;      // shell command line, without redirection of standard output
};

// Single-threaded, except for stockfish: one of its two threads only waits.
std::span<const RealProgram> RealPrograms();

// Writes the inputs of all programs to `folder`, except those that `prepare` makes.
void MakeProgramInputs(const std::string& folder);

// Executes `prepare`. False with the reason in *why_not if the program is not installed or `prepare` fails.
bool PrepareProgram(const RealProgram& program, const std::string& folder, std::string* why_not);

// An empty temporary folder, removed with everything in it.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const { return path_; }  // empty if it could not be created

 private:
  std::string path_;
};

}  // namespace softlbr::bench

#endif  // SOFTLBR_BENCH_PROGRAM_INPUTS_H_
