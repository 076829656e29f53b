#include "toolchain/db/flow/loops.h"

#include <cstddef>
#include <numeric>

namespace softlbr::toolchain {
namespace {

constexpr uint32_t kNotReached = 0xffffffffu;

// Nodes are numbered in the order of the search; below, "node" means that number.
class LoopFinder {
 public:
  LoopFinder(const std::vector<std::vector<uint32_t>>& successors, uint32_t root) : successors_(successors) {
    Search(root);
    const size_t nodes = order_.size();
    header_.assign(nodes, kNotReached);
    is_header_.assign(nodes, false);
    is_irreducible_.assign(nodes, false);
    set_.resize(nodes);
    std::iota(set_.begin(), set_.end(), 0u);
    seen_by_.assign(nodes, kNotReached);
    entered_by_.assign(nodes, kNotReached);
    SortPredecessors();
    for (size_t w = nodes; w-- > 0;) CollectBody(static_cast<uint32_t>(w));
  }

  LoopForest Take() const {
    LoopForest forest;
    forest.innermost.assign(successors_.size(), kNoLoop);
    std::vector<uint32_t> loop_of(order_.size(), kNoLoop);  // of a header
    for (uint32_t w = 0; w < order_.size(); ++w) {          // the header of a loop's parent has a smaller number
      const uint32_t around = header_[w] != kNotReached ? loop_of[header_[w]] : kNoLoop;
      uint32_t innermost = around;
      if (is_header_[w]) {
        innermost = static_cast<uint32_t>(forest.loops.size());
        loop_of[w] = innermost;
        forest.loops.push_back(
            {order_[w], around, around != kNoLoop ? forest.loops[around].depth + 1 : 1, !is_irreducible_[w]});
      }
      forest.innermost[order_[w]] = innermost;
    }
    return forest;
  }

 private:
  void Search(uint32_t root) {
    number_.assign(successors_.size(), kNotReached);
    // nodes as the caller numbers them, with the next successor to follow
    std::vector<std::pair<uint32_t, size_t>> path;
    const auto enter = [&](uint32_t node) {
      number_[node] = static_cast<uint32_t>(order_.size());
      order_.push_back(node);
      last_.push_back(0);
      path.emplace_back(node, 0);
    };
    enter(root);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < successors_[node].size()) {
        const uint32_t successor = successors_[node][next++];
        if (number_[successor] == kNotReached) enter(successor);
        continue;
      }
      last_[number_[node]] = static_cast<uint32_t>(order_.size()) - 1;
      path.pop_back();
    }
  }

  // True if w is v or above it in the tree.
  bool IsAbove(uint32_t w, uint32_t v) const { return w <= v && v <= last_[w]; }

  void SortPredecessors() {
    back_.resize(order_.size());
    entries_.resize(order_.size());
    for (uint32_t v = 0; v < order_.size(); ++v) {
      for (const uint32_t successor : successors_[order_[v]]) {
        const uint32_t w = number_[successor];
        (IsAbove(w, v) ? back_ : entries_)[w].push_back(v);
      }
    }
  }

  // The header of the outermost loop found so far around v, or v.
  uint32_t Outermost(uint32_t v) {
    while (set_[v] != v) {
      set_[v] = set_[set_[v]];
      v = set_[v];
    }
    return v;
  }

  // Inner loops come first and count as their header.
  void CollectBody(uint32_t w) {
    body_.clear();
    const auto add = [&](uint32_t v) {
      if (v == w || seen_by_[v] == w) return;
      seen_by_[v] = w;
      body_.push_back(v);
    };
    for (const uint32_t v : back_[w]) {
      is_header_[w] = true;
      add(Outermost(v));
    }
    for (size_t i = 0; i < body_.size(); ++i) {
      for (const uint32_t entry : entries_[body_[i]]) {
        const uint32_t from = Outermost(entry);
        if (IsAbove(w, from)) {
          add(from);
        } else {
          // An edge from outside this loop: it also enters the loop around it.
          is_irreducible_[w] = true;
          if (entered_by_[from] != w) entries_[w].push_back(from);
          entered_by_[from] = w;
        }
      }
    }
    for (const uint32_t v : body_) {
      header_[v] = w;
      set_[v] = w;
    }
  }

  const std::vector<std::vector<uint32_t>>& successors_;
  std::vector<uint32_t> order_;                 // the caller's node
  std::vector<uint32_t> number_;                // of the caller's node
  std::vector<uint32_t> last_;                  // the largest number below the node
  std::vector<std::vector<uint32_t>> back_;     // predecessors below the node or the node itself
  std::vector<std::vector<uint32_t>> entries_;  // the others
  std::vector<uint32_t> header_;                // of the innermost loop around the node
  std::vector<bool> is_header_;
  std::vector<bool> is_irreducible_;
  std::vector<uint32_t> set_;
  std::vector<uint32_t> seen_by_;
  std::vector<uint32_t> entered_by_;
  std::vector<uint32_t> body_;
};

}  // namespace

LoopForest FindLoops(const std::vector<std::vector<uint32_t>>& successors, uint32_t root) {
  if (root >= successors.size()) return {};
  return LoopFinder(successors, root).Take();
}

}  // namespace softlbr::toolchain
