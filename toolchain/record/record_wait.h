// `softlbr record --wait-trigger`: tells the user what to do next, or why the program cannot be triggered, and removes
// the socket that the program has left.
#ifndef SOFTLBR_TOOLCHAIN_RECORD_RECORD_WAIT_H_
#define SOFTLBR_TOOLCHAIN_RECORD_RECORD_WAIT_H_

#include <sys/types.h>

#include "toolchain/record/record_tree.h"

namespace softlbr::toolchain {

class WaitingProgram {
 public:
  // status: shared with the program. quiet: failures only.
  WaitingProgram(const RecordStatus* status, bool quiet) : status_(status), is_quiet_(quiet) {}

  // Call it when the program runs. Returns once it is known whether the program can be triggered, or when it has ended
  // or stopped.
  void OnStarted(pid_t program);
  // Call it when the program has ended. False if it could never be triggered.
  bool OnEnd();

 private:
  void Tell();

  const RecordStatus* status_;
  bool is_quiet_;
  bool has_told_ = false;
  pid_t program_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_RECORD_WAIT_H_
