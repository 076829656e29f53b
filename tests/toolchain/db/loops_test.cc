// Loops of small graphs, by definition: Havlak's for any graph, natural loops (back edges, dominators) for reducible
// ones.
#include "toolchain/db/flow/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace softlbr::toolchain {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;
using NodeSet = std::set<uint32_t>;
using Bodies = std::map<uint32_t, NodeSet>;  // by header

NodeSet Reached(const Graph& graph, uint32_t from, const NodeSet& allowed) {
  NodeSet reached;
  std::vector<uint32_t> left = {from};
  while (!left.empty()) {
    const uint32_t node = left.back();
    left.pop_back();
    if (!allowed.contains(node) || !reached.insert(node).second) continue;
    left.insert(left.end(), graph[node].begin(), graph[node].end());
  }
  return reached;
}

NodeSet AllNodes(const Graph& graph) {
  NodeSet all;
  for (uint32_t i = 0; i < graph.size(); ++i) all.insert(i);
  return all;
}

// The nodes below each node in the tree of the search that FindLoops documents: recursive, as a text book has it.
void SearchBelow(const Graph& graph, uint32_t node, std::map<uint32_t, NodeSet>* below, NodeSet* seen) {
  seen->insert(node);
  NodeSet own = {node};
  for (const uint32_t next : graph[node]) {
    if (seen->contains(next)) continue;
    SearchBelow(graph, next, below, seen);
    own.insert((*below)[next].begin(), (*below)[next].end());
  }
  (*below)[node] = own;
}

Bodies LoopsByDefinition(const Graph& graph) {
  std::map<uint32_t, NodeSet> below;
  NodeSet seen;
  SearchBelow(graph, 0, &below, &seen);
  Bodies bodies;
  for (const auto& [header, nodes] : below) {
    NodeSet body;
    for (const uint32_t node : nodes) {
      for (const uint32_t next : graph[node]) {
        if (next == header) body.insert(node);
      }
    }
    if (body.empty()) continue;  // no edge back
    for (const uint32_t node : nodes) {
      if (Reached(graph, node, nodes).contains(header)) body.insert(node);
    }
    bodies[header] = body;
  }
  return bodies;
}

// True if every path from the root to `node` goes through `gate`.
bool Dominates(const Graph& graph, uint32_t gate, uint32_t node) {
  NodeSet others = AllNodes(graph);
  others.erase(gate);
  return gate == node || gate == 0 || !Reached(graph, 0, others).contains(node);
}

// Natural loops: of all edges back to a header that dominates their source. False if the graph is irreducible.
bool NaturalLoops(const Graph& graph, Bodies* bodies) {
  const NodeSet reached = Reached(graph, 0, AllNodes(graph));
  Graph forward(graph.size());
  for (const uint32_t from : reached) {
    for (const uint32_t to : graph[from]) {
      if (!Dominates(graph, to, from)) {
        forward[from].push_back(to);
        continue;
      }
      NodeSet others = reached;
      others.erase(to);
      NodeSet& body = (*bodies)[to];
      body.insert(to);
      for (const uint32_t node : others) {
        if (Reached(graph, node, others).contains(from)) body.insert(node);
      }
    }
  }
  for (const uint32_t from : reached) {  // reducible: without the edges back there is no cycle
    for (const uint32_t next : forward[from]) {
      if (Reached(forward, next, reached).contains(from)) return false;
    }
  }
  return true;
}

Bodies BodiesOf(const LoopForest& forest) {
  Bodies bodies;
  for (uint32_t node = 0; node < forest.innermost.size(); ++node) {
    for (uint32_t loop = forest.innermost[node]; loop != kNoLoop; loop = forest.loops[loop].parent) {
      bodies[forest.loops[loop].header].insert(node);
    }
  }
  return bodies;
}

void CheckForest(const LoopForest& forest) {
  for (uint32_t i = 0; i < forest.loops.size(); ++i) {
    const NestedLoop& loop = forest.loops[i];
    EXPECT_EQ(forest.innermost[loop.header], i);
    EXPECT_EQ(loop.depth, loop.parent == kNoLoop ? 1 : forest.loops[loop.parent].depth + 1);
    EXPECT_TRUE(loop.parent == kNoLoop || loop.parent < i);
  }
}

TEST(DbLoops, AreThoseOfTheDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  size_t reducible = 0;
  size_t irreducible = 0;
  size_t nested = 0;
  for (int round = 0; round < 4000; ++round) {
    const uint32_t nodes = 1 + random() % 12;
    Graph graph(nodes);
    for (uint32_t edges = random() % (2 * nodes + 1); edges-- > 0;) {
      std::vector<uint32_t>& from = graph[random() % nodes];
      const uint32_t to = random() % nodes;
      if (std::find(from.begin(), from.end(), to) == from.end()) from.push_back(to);
    }
    for (uint32_t i = 0; i + 1 < nodes; ++i) {  // a spine, so that most is reached
      if (random() % 3 != 0) graph[i].push_back(i + 1);
    }
    const LoopForest forest = FindLoops(graph, 0);
    CheckForest(forest);
    ASSERT_EQ(BodiesOf(forest), LoopsByDefinition(graph)) << "round " << round;
    Bodies natural;
    const bool is_reducible = NaturalLoops(graph, &natural);
    ++(is_reducible ? reducible : irreducible);
    if (is_reducible) {
      ASSERT_EQ(BodiesOf(forest), natural) << "round " << round;
    }
    bool marked = false;
    for (const NestedLoop& loop : forest.loops) {
      marked = marked || !loop.is_reducible;
      nested += loop.depth > 1;
    }
    EXPECT_EQ(marked, !is_reducible) << "round " << round;
  }
  EXPECT_GT(reducible, 500u);
  EXPECT_GT(irreducible, 500u);
  EXPECT_GT(nested, 500u);
}

TEST(DbLoops, OfALongChainNeedNoStack) {
  constexpr uint32_t kNodes = 300'000;
  Graph graph(kNodes);
  for (uint32_t i = 0; i + 1 < kNodes; ++i) graph[i].push_back(i + 1);
  graph[kNodes - 1].push_back(0);
  const LoopForest forest = FindLoops(graph, 0);
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_EQ(forest.innermost[kNodes - 1], 0u);
  EXPECT_TRUE(FindLoops({}, 0).loops.empty());
}

}  // namespace
}  // namespace softlbr::toolchain
