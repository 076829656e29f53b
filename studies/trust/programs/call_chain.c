/* call_chain ROUNDS: a chain of ten calls in a loop; each function does the same work. Prints a checksum.
 *
 * Kernel of section 4.3.2 of the paper that README.md names: the ten functions should be sampled equally often. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned g_seed = 1;

#define WORK(x) (((x)*1664525u + 1013904223u) ^ ((x) >> 7))
#define LINK(name, next)                                       \
  __attribute__((noinline)) static unsigned name(unsigned x) { \
    const unsigned y = next(WORK(x));                          \
    return WORK(y);                                            \
  }
__attribute__((noinline)) static unsigned f10(unsigned x) { return WORK(WORK(x)); }
LINK(f9, f10)
LINK(f8, f9)
LINK(f7, f8)
LINK(f6, f7)
LINK(f5, f6)
LINK(f4, f5)
LINK(f3, f4)
LINK(f2, f3)
LINK(f1, f2)

int main(int argc, char** argv) {
  const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
  unsigned sum = g_seed;
  for (unsigned long i = 0; i < rounds; ++i) sum = f1(sum);
  printf("%u\n", sum);
  return 0;
}
