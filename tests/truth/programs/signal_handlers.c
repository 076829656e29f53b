// Signals raised at fixed places: handlers that return, that nest, and that jump out. Argument: rounds.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned handled, nested, escaped;
static sigjmp_buf way_out;

__attribute__((noinline)) static unsigned Mix(unsigned x, unsigned n) {
  for (unsigned i = 0; i < n; ++i) x = x & 1 ? x * 3 + 1 : x / 2 + i;
  return x;
}

static void OnFirst(int number) {
  (void)number;
  handled += Mix(handled + 1, 20) & 1;
  if (handled % 3 == 0) raise(SIGUSR2);
  handled += 2;
}
static void OnSecond(int number) {
  (void)number;
  nested = nested * 5 + Mix(nested, 9);
}
static void OnThird(int number) {
  (void)number;
  ++escaped;
  siglongjmp(way_out, (int)(Mix(escaped, 5) % 7) + 1);
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1500;
  struct sigaction action = {.sa_handler = OnFirst};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = OnSecond;
  sigaction(SIGUSR2, &action, NULL);
  action.sa_handler = OnThird;
  sigaction(SIGALRM, &action, NULL);
  volatile unsigned sum = 1;
  for (volatile unsigned round = 0; round < rounds; ++round) {
    sum += Mix(sum + round, 60);
    if (round % 4 == 0) raise(SIGUSR1);
    if (round % 7 == 0) {
      const int code = sigsetjmp(way_out, 1);
      if (code == 0) raise(SIGALRM);
      sum += (unsigned)code;
    }
  }
  printf("%u %u %u %u\n", sum, handled, nested, escaped);
  return 0;
}
