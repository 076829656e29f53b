/* A program without any profiling code: libsoftlbr_main.a wraps its main when it is linked.
 *
 *   cc main_wrapper.c $(pkg-config --cflags --libs softlbr-main) -o main_wrapper
 *   SOFTLBR_OPTIONS='v1;out=main.slbr;freq=4999' ./main_wrapper
 */
#include <stdio.h>

static unsigned CountPrimes(unsigned limit) {
  unsigned primes = 0;
  for (unsigned n = 2; n < limit; ++n) {
    unsigned divisor = 2;
    while (divisor * divisor <= n && n % divisor != 0) ++divisor;
    if (divisor * divisor > n) ++primes;
  }
  return primes;
}

int main(void) {
  printf("%u primes\n", CountPrimes(900000));
  return 0;
}
