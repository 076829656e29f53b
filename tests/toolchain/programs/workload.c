/* Loops, a jump table, recursion, indirect calls and callbacks from the C library. See workload.h. */
#include "workload.h"

#include <stdlib.h>

#define NUMBERS 40

__attribute__((noinline, visibility("hidden"))) long counted_leaf(long value) {
  __asm__ volatile("");
  return value % 3 == 0 ? value * 2 : value + 1;
}

static long square(long x) { return x * x; }
static long triangle(long x) { return x % 3 == 0 ? x / 2 : x * x / 2; }
static long (*const volatile kShapes[2])(long) = {square, triangle};

static int compare(const void* a, const void* b) {
  const int x = *(const int*)a;
  const int y = *(const int*)b;
  return x < y ? -1 : x > y ? 1 : 0;
}

__attribute__((noinline)) long switch_loop(int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    switch (i % 7) {
      case 0: sum += counted_leaf(i); break;
      case 1: sum -= i; break;
      case 2: sum ^= i * 3; break;
      case 3: sum *= 5; break;
      case 4: sum += sum >> 3; break;
      case 5:
        if (sum & 1) sum += 11;
        break;
      default: sum += 7;
    }
  }
  return sum;
}

__attribute__((noinline)) long recurse(long depth) { return depth <= 1 ? 1 : recurse(depth - 1) + recurse(depth - 2); }

__attribute__((noinline, visibility("default"))) long workload(int seed) {
  int numbers[NUMBERS];
  unsigned state = (unsigned)seed;
  for (int i = 0; i < NUMBERS; ++i) {
    state = state * 1103515245u + 12345u;
    numbers[i] = (int)(state >> 16) % 1000;
  }
  qsort(numbers, NUMBERS, sizeof numbers[0], compare);
  long sum = recurse(7);
  for (int i = 0; i < 60; ++i) sum += kShapes[i % 3 == 0](numbers[i % NUMBERS]);
  return sum + switch_loop(7 * LEAF_CALLS_PER_WORKLOAD);
}
