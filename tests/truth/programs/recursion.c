// Calls and returns: plain, mutual and through pointers. Argument: rounds.
#include <stdio.h>
#include <stdlib.h>

typedef unsigned (*Step)(unsigned n, unsigned seed);

static unsigned Fibonacci(unsigned n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }

static unsigned Ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return Ackermann(m - 1, 1);
  return Ackermann(m - 1, Ackermann(m, n - 1));
}

static unsigned Odd(unsigned n, unsigned seed);
__attribute__((noinline)) static unsigned Even(unsigned n, unsigned seed) {
  return n == 0 ? seed : Odd(n - 1, seed * 3 + 1);
}
__attribute__((noinline)) static unsigned Odd(unsigned n, unsigned seed) {
  return n == 0 ? ~seed : Even(n - 1, seed ^ n);
}

static unsigned CompareCalls;
static int Compare(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  ++CompareCalls;
  return x < y ? -1 : x > y;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 12;
  static Step const steps[] = {Even, Odd};
  unsigned sum = 0, numbers[256];
  for (unsigned round = 0; round < rounds; ++round) {
    if (round % 12 == 0) sum = CompareCalls = 0;  // twelve rounds are a period
    sum += Fibonacci(13 + round % 3);
    sum += Ackermann(2, 9 + round % 4);
    for (unsigned i = 0; i < 40; ++i) sum = steps[(sum >> i % 7) & 1](60 + i, sum);
    for (unsigned i = 0; i < 256; ++i) numbers[i] = sum = sum * 1664525u + 1013904223u;
    qsort(numbers, 256, sizeof numbers[0], Compare);
    sum ^= numbers[round % 12] + CompareCalls;
  }
  printf("%u\n", sum);
  return 0;
}
