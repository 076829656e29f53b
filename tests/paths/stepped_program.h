// A real program that can be run freely for a while, stopped anywhere and stepped one instruction at a time.
//
// Two kinds: traced_program.h (this machine's own code, under ptrace), emulated_program.h (AArch64, under QEMU's gdb
// stub).
#ifndef SOFTLBR_TESTS_PATHS_STEPPED_PROGRAM_H_
#define SOFTLBR_TESTS_PATHS_STEPPED_PROGRAM_H_

#include <cstdint>
#include <string>

#include "platform/base/machine_context.h"
#include "runtime/lookahead/memory/page_cache.h"

namespace softlbr::paths {

struct Branch {
  uint64_t from;
  uint64_t to;
  bool operator==(const Branch&) const = default;
};

enum class StepOutcome : uint8_t {
  kStepped,
  kBranchTaken,  // the instruction was a taken branch
  kMoved,        // the kernel put the thread elsewhere: a signal, exec
  kEnded,        // the program is gone
  kBlocked,      // a system call waits for a stopped thread; nothing more can be stepped here
};

class SteppedProgram {
 public:
  SteppedProgram() = default;
  virtual ~SteppedProgram() = default;
  SteppedProgram(const SteppedProgram&) = delete;
  SteppedProgram& operator=(const SteppedProgram&) = delete;

  // Lets all threads run for about that long, then stops them and picks the one that used most CPU time. False: it
  // ended.
  virtual bool RunFor(uint64_t microseconds) = 0;
  // One instruction (one round of a rep form) of the picked thread. *branch is set for kBranchTaken.
  virtual StepOutcome Step(Branch* branch) = 0;

  virtual uint64_t pc() const = 0;
  // Fills every register slot as the runtime's own handler would from this thread's signal frame.
  virtual bool LoadContext(MachineContext* context) const = 0;
  // False: the program cannot read all of it.
  virtual bool ReadMemory(uint64_t address, void* out, uint64_t bytes) const = 0;
  // Ranges that the runtime does not read: device files and the kernel's clock page.
  virtual void ReadSpecialRanges(SpecialRanges* ranges) const = 0;
  // File and offset of a run-time address: "libc.so.6+0x29d90".
  virtual std::string Describe(uint64_t pc) const = 0;
};

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_STEPPED_PROGRAM_H_
