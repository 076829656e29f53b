/* Interface between high_ground.c and the shared object that it loads. */
#ifndef SOFTLBR_TESTS_HAZARDS_PROGRAMS_HIGH_CODE_H_
#define SOFTLBR_TESTS_HAZARDS_PROGRAMS_HIGH_CODE_H_

#include <stdint.h>

enum { HIGH_NODES = 64 };

struct high_node {
  struct high_node* next;
  uint64_t (*step)(uint64_t);
  uint64_t value;
};

/* The object's entry. The same nodes (all zero) and rounds give the same result at all addresses of code, nodes and
 * stack. */
typedef uint64_t high_entry(struct high_node* nodes, uint64_t rounds);

#endif
