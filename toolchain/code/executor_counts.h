// The processes and threads that executed each instruction. The sums of a profile tell neither apart: a process is told
// by the file that its session has to itself (record -o FOLDER/), a thread by the whole traces of a file (record
// --traces). Host code.
#ifndef SOFTLBR_TOOLCHAIN_CODE_EXECUTOR_COUNTS_H_
#define SOFTLBR_TOOLCHAIN_CODE_EXECUTOR_COUNTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "toolchain/code/executed_code.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

class ExecutorCounts {
 public:
  struct Wanted {
    bool processes = false;
    bool threads = false;
  };
  struct Part {
    std::optional<std::string> process;  // "app[123]"; none: not asked for
    std::optional<uint32_t> thread;      // the low 32 bits of its number; none: in no whole trace, or not asked for
    uint64_t count = 0;
  };

  // Reads the files again whose sum `profile` is, and decodes the code of each process and thread. StatedFailure if
  // they do not tell them apart.
  ExecutorCounts(const Profile& profile, const std::vector<std::string>& paths, Wanted wanted, Symbolizer* symbolizer);

  // Divides the instruction's count in proportion to the executions by each. The parts add up to the count.
  std::vector<Part> Divide(uint32_t module, const ExecutedInstruction& instruction) const;

 private:
  // How often each instruction was executed by each of some executors.
  class Executions {
   public:
    struct Share {
      std::optional<uint32_t> executor;  // none: the rest
      uint64_t executions = 0;
      uint64_t count = 0;
    };
    void Add(uint32_t executor, const ExecutedCode& code);
    // Of `executions` of an instruction that count as `count`.
    std::vector<Share> Divide(const Location& place, uint64_t executions, uint64_t count) const;

   private:
    std::map<Location, std::vector<std::pair<uint32_t, uint64_t>>> by_executor_;
  };

  Wanted wanted_;
  std::vector<std::string> names_;   // of the processes
  Executions processes_;             // by index into names_
  std::vector<Executions> threads_;  // of each process; of all files, if processes were not asked for
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_EXECUTOR_COUNTS_H_
