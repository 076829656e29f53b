// Numbers the branch instructions of a profile, in the order of its rows. Host code.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_BRANCH_INDEX_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_BRANCH_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

class BranchIndex {
 public:
  explicit BranchIndex(const Profile& profile) {
    for (const BranchCount& row : profile.branches) {
      if (from_.empty() || from_.back() != row.from) from_.push_back(row.from);
    }
  }

  size_t size() const { return from_.size(); }

  // Its number, or size() for what no row holds: a branch between code outside every module, or one that a damaged
  // trace names.
  size_t Find(const Location& from) const {
    const auto it = std::lower_bound(from_.begin(), from_.end(), from);
    return it != from_.end() && *it == from ? static_cast<size_t>(it - from_.begin()) : size();
  }

 private:
  std::vector<Location> from_;  // ascending, as the rows of a profile are
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_BRANCH_INDEX_H_
