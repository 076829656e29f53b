// The loops of a flow graph as a nesting forest, reducible or not: Havlak's algorithm (TOPLAS 1997).
//
// The loop of a header h, for a depth-first search from the root: all nodes that h has below it in the search's tree
// and from which h can be reached through such nodes. For graphs without irreducible loops that is what compilers call
// natural loops, and does not depend on the order of the search. Successors are searched in their order, so the result
// is the same in every run.
//
// Cost: nearly linear in the edges. Memory: a few words a node and an edge. No recursion: graphs of hostile profiles
// can be deep.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_LOOPS_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_LOOPS_H_

#include <cstdint>
#include <vector>

namespace softlbr::toolchain {

inline constexpr uint32_t kNoLoop = 0xffffffffu;

struct NestedLoop {
  uint32_t header = 0;        // a node
  uint32_t parent = kNoLoop;  // the loop around this one; it comes earlier in the forest
  uint32_t depth = 1;         // 1: no loop around it
  bool is_reducible = true;   // is entered through the header only
};

struct LoopForest {
  std::vector<NestedLoop> loops;    // in the order of the search
  std::vector<uint32_t> innermost;  // the innermost loop of each node, or kNoLoop; a header is in its own loop
};

// successors: of each node. Nodes that cannot be reached from root are in no loop.
LoopForest FindLoops(const std::vector<std::vector<uint32_t>>& successors, uint32_t root);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_LOOPS_H_
