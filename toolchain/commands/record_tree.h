// The end of a recording of several processes (runtime/attach/record_protocol.h, RecordTree).
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_RECORD_TREE_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_RECORD_TREE_H_

#include <string>
#include <vector>

#include "runtime/attach/record_protocol.h"

namespace softlbr::toolchain {

struct TreeEnd {
  std::vector<std::string> messages;  // lines for the user: programs that were not recorded, processes that live on
  bool has_writers = false;           // one of them may still write to the profile
};

// The first program has ended, and its helper. Ends the sessions of processes that live on, and waits, at most some seconds, until
// every helper has written what its process recorded.
TreeEnd EndTree(RecordTree* tree);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_RECORD_TREE_H_
