// The threads that executed each instruction, by the whole traces of a profile (record --traces): its sums do not tell threads apart. Host
// code.
#ifndef SOFTLBR_TOOLCHAIN_CODE_THREAD_COUNTS_H_
#define SOFTLBR_TOOLCHAIN_CODE_THREAD_COUNTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "toolchain/code/executed_code.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

class ThreadCounts {
 public:
  struct Part {
    std::optional<uint32_t> thread;  // the low 32 bits of its number; none: in no whole trace
    uint64_t count = 0;
  };

  // Reads the traces, and decodes the code of each thread. StatedFailure if the profile holds no whole traces.
  ThreadCounts(const Profile& profile, const std::string& name, Symbolizer* symbolizer);

  // Divides the instruction's count in proportion to the executions in traces of each thread. The parts add up to the count.
  std::vector<Part> Divide(uint32_t module, const ExecutedInstruction& instruction) const;

 private:
  std::map<Location, std::vector<std::pair<uint32_t, uint64_t>>> executions_;  // by thread
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_THREAD_COUNTS_H_
