// Gates on a register of simulated quantum bits, as 462.libquantum does: a tight loop over all basis states with a test
// of their bits.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kStates = 1 << 15 };
static struct {
  float re, im;
  uint64_t state;
} g_nodes[kStates];

static void __attribute__((noinline)) Toffoli(int a, int b, int target) {
  for (int i = 0; i < kStates; ++i) {
    if ((g_nodes[i].state >> a & 1) != 0 && (g_nodes[i].state >> b & 1) != 0) g_nodes[i].state ^= (uint64_t)1 << target;
  }
}

static void __attribute__((noinline)) Sign(int target) {
  for (int i = 0; i < kStates; ++i) {
    if ((g_nodes[i].state >> target & 1) != 0) {
      g_nodes[i].re = -g_nodes[i].re;
      g_nodes[i].im = -g_nodes[i].im;
    }
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1500;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < kStates; ++i) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    g_nodes[i].state = seed;
    g_nodes[i].re = 1;
  }
  for (int round = 0; round < rounds; ++round) {
    Toffoli(round % 15, round * 7 % 15, 15 + round % 11);
    Toffoli(round * 3 % 15, round * 5 % 15, 15 + round % 13);
    Sign(round % 17);
  }
  uint64_t sum = 0;
  for (int i = 0; i < kStates; ++i) sum += g_nodes[i].state * (uint64_t)(i + 1);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
