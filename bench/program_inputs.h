// Real programs and their inputs: what the benchmarks record and the path tests step through.
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
  const char* prepare;  // shell, in the work folder, once; "" for none
  const char* run;      // shell command line without redirections of standard output
};

// Single-threaded, but for stockfish, which waits in one thread and works in the other.
std::span<const RealProgram> RealPrograms();

// Fills `folder` with the inputs of all of them but what `prepare` makes.
void MakeProgramInputs(const std::string& folder);

// Is it installed, and could what it needs be made? Otherwise *why_not.
bool PrepareProgram(const RealProgram& program, const std::string& folder, std::string* why_not);

// An empty temporary folder, removed with everything in it.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const { return path_; }  // empty if none could be made

 private:
  std::string path_;
};

}  // namespace softlbr::bench

#endif  // SOFTLBR_BENCH_PROGRAM_INPUTS_H_
