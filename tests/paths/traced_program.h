// A real program under ptrace: run freely for a while, stopped anywhere, stepped one instruction at a time.
//
// All its threads are stopped together; the one that was working is the one looked at, and while it is stepped the others
// stand still. Address randomisation is off in the program.
// Context: host; the process that starts a program must be the one that uses it.
#ifndef SOFTLBR_TESTS_PATHS_TRACED_PROGRAM_H_
#define SOFTLBR_TESTS_PATHS_TRACED_PROGRAM_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/base/machine_context.h"
#include "tests/truth/step_classifier.h"

namespace softlbr::paths {

struct Branch {
  uint64_t from;
  uint64_t to;
  bool operator==(const Branch&) const = default;
};

enum class StepOutcome : uint8_t {
  kStepped,
  kBranchTaken,  // and it was a taken branch
  kMoved,        // the kernel put the thread elsewhere: a signal, exec
  kEnded,        // the program is gone
  kBlocked,      // a system call waits for what a stopped thread should do; nothing more can be stepped here
};

class TracedProgram {
 public:
  // `command`: a shell command line without redirections, run in `folder`. Null, and *error, if it cannot be traced.
  static std::unique_ptr<TracedProgram> Start(const std::string& command, const std::string& folder, std::string* error);
  ~TracedProgram();
  TracedProgram(const TracedProgram&) = delete;
  TracedProgram& operator=(const TracedProgram&) = delete;

  // Lets all threads run for about that long, then stops them and picks the one that used most CPU time. False: it ended.
  bool RunFor(uint64_t microseconds);
  // One instruction (one round of a rep form) of the picked thread. *branch is set for kBranchTaken.
  StepOutcome Step(Branch* branch);

  uint64_t pc() const;
  pid_t pid() const { return pid_; }
  // Fills every cell as the runtime's own handler would from this thread's signal frame.
  bool LoadContext(MachineContext* context) const;
  bool ReadMemory(uint64_t address, void* out, uint64_t bytes) const;
  // "libc.so.6+0x29d90" of a run-time address: file and offset in it.
  std::string Describe(uint64_t pc) const;

 private:
  explicit TracedProgram(pid_t pid) : pid_(pid) {}
  bool StopAll();
  void Resume(pid_t thread, int signal) const;
  // One event of any thread. False: the program ended.
  bool HandleEvent(pid_t thread, int status);
  truth::StepClass InstructionAt(uint64_t pc);

  struct Thread {
    bool is_stopped = false;
    int pending_signal = 0;  // to be delivered when it goes on
    uint64_t cpu_ns = 0;     // when it was last looked at
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
