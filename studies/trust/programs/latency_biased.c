/* latency_biased ROUNDS: every second round divides, the others add. Prints the result.
 *
 * The division takes many times as long as the addition, so samples by time pile up behind it, although both paths are
 * executed equally often (kernel of section 4.3.1 of the paper that README.md names). */
#include <stdio.h>
#include <stdlib.h>

static double run(unsigned long n, double y) {
  double x = 1e9;
  while (n--) ((n % 2) ? (x /= y) : (x += y));
  return x;
}

int main(int argc, char** argv) {
  const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
  printf("%g\n", run(rounds, 1.0 + 2.0 * argc));
  return 0;
}
