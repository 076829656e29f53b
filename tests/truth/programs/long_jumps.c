// setjmp and longjmp: out of deep calls, back into a loop, and as a simple coroutine switch by return value.
// Argument: rounds.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf outer, inner;
static volatile unsigned is_armed = 1;
static unsigned depth_reached;

__attribute__((noinline)) static void Descend(unsigned depth, unsigned seed) {
  ++depth_reached;
  if (depth == 0 && is_armed) longjmp(seed & 1 ? outer : inner, (int)(seed % 5) + 1);
  if (depth > 0) Descend(depth - 1, seed * 2654435761u + depth);
  // Never reached, but the compiler does not know it and keeps the call above a call.
  ++depth_reached;
}

__attribute__((noinline)) static unsigned Guarded(unsigned seed) {
  volatile unsigned tries = 0;
  const int code = setjmp(inner);
  if (code != 0 && ++tries > 3) return tries + (unsigned)code;
  Descend(seed % 9 + tries, seed + tries);
  return 0;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 4000;
  volatile unsigned sum = 1, outer_jumps = 0;
  for (volatile unsigned round = 0; round < rounds; ++round) {
    const int code = setjmp(outer);
    if (code != 0) {
      ++outer_jumps;
      sum = sum * 7 + (unsigned)code;
    } else {
      sum += Guarded(sum ^ round);
    }
    for (unsigned i = 0; i < 12; ++i) sum ^= sum << 5 ^ sum >> 7 ^ i;
  }
  printf("%u %u %u\n", sum, outer_jumps, depth_reached);
  return 0;
}
