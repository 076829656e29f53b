/* Functions that behave differently for each of their callers: calls from loops, recursion, indirect calls, callbacks
 * from the C library, a tail call. Prints nothing. */
#include <stdlib.h>

enum { ROUNDS = 4, NUMBERS = 24 };

#define NOINLINE __attribute__((noinline))

NOINLINE static long scaled(long value, long by) {
  long sum = 0;
  for (long i = 0; i < by; ++i) sum += value ^ i;
  return sum;
}

NOINLINE static long step(long value, long by) { return value & 1 ? scaled(value, by) + 1 : value; }
NOINLINE static long few(long value) { return step(value, 2) + step(value + 1, 3); }
NOINLINE static long many(long value) { return step(value, 9) - step(value + 1, 8) + few(value); }
NOINLINE static long passed_on(long value) { return step(value + 3, 4); }
static long (*const volatile kWays[3])(long) = {few, many, passed_on};

NOINLINE static long descend(long depth) { return depth <= 0 ? few(depth + 5) : descend(depth - 1) + step(depth, 2); }

NOINLINE static int compare(const void* a, const void* b) {
  const long x = few(*(const long*)a);
  const long y = few(*(const long*)b);
  return x < y ? -1 : x > y;
}

NOINLINE static long one_round(long seed) {
  long numbers[NUMBERS];
  long sum = 0;
  for (int i = 0; i < NUMBERS; ++i) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    numbers[i] = seed >> 12;
    sum += kWays[numbers[i] % 3](numbers[i]);
  }
  qsort(numbers, NUMBERS, sizeof numbers[0], compare);
  return sum + descend(seed % 9) + numbers[0];
}

int main(void) {
  long sum = 0;
  for (long i = 0; i < ROUNDS; ++i) sum += one_round(i + sum);
  return sum == 42;
}
