// The merge of each build's sessions in a FolderStore, kept and carried on: FOLDER/.merged/<build id>.slbr is the sum
// of the complete sessions that were there when it was last asked for. The next answer adds what has come since.
//
// Threads: one at a time. Memory: the builds of the sessions, about 100 bytes each; the sessions of one sum.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_MERGED_BUILDS_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_MERGED_BUILDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "toolchain/collect/segment_store.h"

namespace softlbr::toolchain {

// Merges the profiles into a file. StatedFailure if that fails.
using MergeFiles = std::function<void(const std::vector<std::string>& profiles, const std::string& sum)>;

class MergedBuilds {
 public:
  MergedBuilds(FolderStore* store, MergeFiles merge) : store_(*store), merge_(std::move(merge)) {}

  // A descriptor of the merge of all sessions whose program has this build id, those that are still arriving with what
  // is there of them; -1 if there is none. StatedFailure if it cannot be made.
  int Open(const std::string& build_id);

 private:
  std::vector<std::string> NewOf(const std::string& build_id, const std::set<uint64_t>& merged);

  FolderStore& store_;
  const MergeFiles merge_;
  std::map<uint64_t, std::set<std::string>> builds_;  // of each complete session that has been read
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_MERGED_BUILDS_H_
