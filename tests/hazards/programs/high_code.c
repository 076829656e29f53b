/* A shared object without relocations: loops over linked nodes, calls through their pointers, returns from a recursion.
 * */
#include "high_code.h"

high_entry softlbr_high_entry;

__attribute__((noinline)) static uint64_t step_odd(uint64_t state) {
  for (int i = 0; i < 5; ++i) {
    state ^= state << 13;
    if (state & 8) state += 3;
    state ^= state >> 7;
  }
  return state;
}
__attribute__((noinline)) static uint64_t step_even(uint64_t state) {
  do {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
  } while ((state >> 61) < 3);
  return state;
}
__attribute__((noinline)) static uint64_t step_third(uint64_t state) {
  return state % 7 == 0 ? state ^ state >> 3 : state + 1;
}

__attribute__((noinline)) static uint64_t descend(const struct high_node* node, uint64_t state, unsigned depth) {
  if (depth == 0) return state;
  const uint64_t below = descend(node->next, state ^ node->value, depth - 1);
  return below & 1 ? below + node->value : below ^ depth;
}

uint64_t softlbr_high_entry(struct high_node* nodes, uint64_t rounds) {
  for (unsigned i = 0; i < HIGH_NODES; ++i) {
    nodes[i].next = &nodes[(i * 37 + 11) % HIGH_NODES];
    nodes[i].step = i % 3 == 0 ? step_third : i % 2 == 0 ? step_even : step_odd;
    nodes[i].value = i * 0x9e3779b97f4a7c15ull;
  }
  uint64_t state = 88172645463325252ull;
  const struct high_node* node = nodes;
  for (uint64_t i = 0; i < rounds; ++i) {
    state = node->step(state);
    if ((i & 15) == 0) state = descend(node, state, 6);
    node = node->next;
  }
  return state;
}
