// An AArch64 program under QEMU's user-mode emulation, stepped through its gdb stub.
//
// Single-threaded programs only. Needs qemu-aarch64 and a folder with the program and its libraries, as unpacked
// packages.
// An exclusive pair is one step: in QEMU, as on a CPU, the store fails after a stop between load and store.
// A signal sent to QEMU stops the program; the stub reports it, and the program never sees it.
#ifndef SOFTLBR_TESTS_PATHS_EMULATED_PROGRAM_H_
#define SOFTLBR_TESTS_PATHS_EMULATED_PROGRAM_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/paths/gdb_connection.h"
#include "tests/paths/stepped_program.h"
#include "tests/truth/step/step_classifier_a64.h"

namespace softlbr::paths {

struct EmulatedLaunch {
  std::string root;     // folder of the AArch64 system
  std::string cpu;      // "max", "cortex-a57"
  std::string command;  // shell words: the program's path within root, without the leading slash, and its arguments
  std::string folder;   // working directory
};

// Path of QEMU's user-mode emulator of AArch64 on this machine; empty: none.
std::string FindEmulator();

class EmulatedProgram : public SteppedProgram {
 public:
  // Null, and *error, if it cannot be started.
  static std::unique_ptr<EmulatedProgram> Start(const EmulatedLaunch& launch, std::string* error);
  ~EmulatedProgram() override;

  bool RunFor(uint64_t microseconds) override;
  StepOutcome Step(Branch* branch) override;
  uint64_t pc() const override { return pc_; }
  bool LoadContext(MachineContext* context) const override;
  bool ReadMemory(uint64_t address, void* out, uint64_t bytes) const override;
  void ReadSpecialRanges(SpecialRanges* ranges) const override;
  std::string Describe(uint64_t pc) const override;

 private:
  explicit EmulatedProgram(pid_t pid) : pid_(pid) {}
  bool ReadPc();
  // Parses the answer to a stop. False: the program is gone.
  bool NoteStop(const std::string& answer);
  // Runs until one of these addresses; the stub's answer is parsed.
  bool RunTo(const std::vector<uint64_t>& places);
  StepOutcome StepOverExclusive(const truth::A64ExclusivePair& exclusive, Branch* branch);
  uint32_t WordAt(uint64_t address);

  const pid_t pid_;
  std::string socket_path_;
  mutable GdbConnection stub_;
  uint32_t thread_pointer_register_ = 0;  // 0: not described
  // dczid_el0, which the stub does not report: known once the program was stepped over an instruction that reads it.
  std::optional<uint64_t>* zeroing_block_ = nullptr;
  uint64_t pc_ = 0;
  int signal_ = 0;  // reported at the last stop, to be delivered: GDB's number
  bool has_ended_ = false;
  std::unordered_map<uint64_t, uint32_t> words_;
};

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_EMULATED_PROGRAM_H_
