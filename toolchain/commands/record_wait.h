// `softlbr record --wait-trigger`: tells the user what to do next and why it cannot be done, and removes what the program has left.
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_RECORD_WAIT_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_RECORD_WAIT_H_

#include <sys/types.h>

#include "toolchain/commands/record_tree.h"

namespace softlbr::toolchain {

class WaitingProgram {
 public:
  // status: shared with the program. quiet: failures only.
  WaitingProgram(const RecordStatus* status, bool quiet) : status_(status), is_quiet_(quiet) {}

  // The program runs. Returns when it can be triggered, or cannot, or has ended or stopped meanwhile.
  void OnStarted(pid_t program);
  // The program has ended. False if it could never be triggered.
  bool OnEnd();

 private:
  void Tell();

  const RecordStatus* status_;
  bool is_quiet_;
  bool has_told_ = false;
  pid_t program_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_RECORD_WAIT_H_
