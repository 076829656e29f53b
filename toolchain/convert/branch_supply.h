// Joins branches and the ranges beside them where only their counts are known.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_BRANCH_SUPPLY_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_BRANCH_SUPPLY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace softlbr::toolchain {

// Hands out the branches into (or out of) each address in order, until their counts are used up.
class BranchSupply {
 public:
  void Add(uint64_t address, size_t branch, uint64_t count) { by_address_[address].push_back({branch, count}); }

  // Takes up to `wanted` executions of one branch; false if none is left at the address.
  bool Take(uint64_t address, uint64_t wanted, size_t* branch, uint64_t* taken) {
    const auto it = by_address_.find(address);
    if (it == by_address_.end() || it->second.empty()) return false;
    auto& [next, left] = it->second.front();
    *branch = next;
    *taken = std::min(left, wanted);
    left -= *taken;
    if (left == 0) it->second.pop_front();
    return true;
  }

 private:
  std::map<uint64_t, std::deque<std::pair<size_t, uint64_t>>> by_address_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_BRANCH_SUPPLY_H_
