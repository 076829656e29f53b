// A real program under ptrace: run freely for a while, stopped anywhere, stepped one instruction at a time.
//
// All its threads are stopped together. The one that used most CPU time is picked; while it is stepped the others stay
// stopped. Address randomisation is off in the program.
// Context: host; the process that starts a program must be the one that uses it.
#ifndef SOFTLBR_TESTS_PATHS_TRACED_PROGRAM_H_
#define SOFTLBR_TESTS_PATHS_TRACED_PROGRAM_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "tests/paths/stepped_program.h"
#include "tests/truth/step/step_classifier.h"

namespace softlbr::paths {

class TracedProgram : public SteppedProgram {
 public:
  // `command`: a shell command line without redirections, run in `folder`. Null, and *error, if it cannot be traced.
  static std::unique_ptr<TracedProgram> Start(const std::string& command, const std::string& folder,
                                              std::string* error);
  ~TracedProgram() override;

  bool RunFor(uint64_t microseconds) override;
  StepOutcome Step(Branch* branch) override;
  uint64_t pc() const override;
  bool LoadContext(MachineContext* context) const override;
  bool ReadMemory(uint64_t address, void* out, uint64_t bytes) const override;
  void ReadSpecialRanges(SpecialRanges* ranges) const override;
  std::string Describe(uint64_t pc) const override;

 private:
  explicit TracedProgram(pid_t pid) : pid_(pid) {}
  bool StopAll();
  void Resume(pid_t thread, int signal) const;
  // One event of any thread. False: the program ended.
  bool HandleEvent(pid_t thread, int status);
  truth::StepClass InstructionAt(uint64_t pc);

  struct Thread {
    bool is_stopped = false;
    int pending_signal = 0;  // to be delivered when it continues
    uint64_t cpu_ns = 0;     // CPU time at the last stop
  };
  const pid_t pid_;
  pid_t picked_ = 0;
  bool has_ended_ = false;
  bool has_stepped_ = false;  // since it last ran freely
  std::map<pid_t, Thread> threads_;
  std::unordered_map<uint64_t, truth::StepClass> instructions_;
};

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_TRACED_PROGRAM_H_
