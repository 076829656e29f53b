// The end of a recording of several processes (runtime/process_tree/record_protocol.h, RecordTree).
#ifndef SOFTLBR_TOOLCHAIN_RECORD_RECORD_TREE_H_
#define SOFTLBR_TOOLCHAIN_RECORD_RECORD_TREE_H_

#include <string>
#include <vector>

#include "runtime/process_tree/record_protocol.h"

namespace softlbr::toolchain {

// A tree, and the memory file that it is mapped from.
struct TreeFile {
  RecordTree* tree;
  int file;
};

struct TreeEnd {
  std::vector<std::string> messages;  // lines for the user: programs that were not recorded, processes that live on
  bool has_writers = false;           // one of them may still write to the profile of the first tree
};

// True if the process is a helper of the tree, which may be signalled: whoever can write to a tree can enter any
// process id there.
bool IsHelperOf(const TreeFile& tree, uint32_t process);

// Call it when the first program and its helper have ended. Ends the sessions of processes that still run, and waits,
// at most some seconds, until every helper has written what its process recorded. The first tree is that of this
// command's user; the others are written by other users, and not trusted.
TreeEnd EndTrees(const std::vector<TreeFile>& trees);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_RECORD_TREE_H_
