/* Loops that the compiler turns into SVE (built with -O3 and SVE on), and whose results branches depend on, between
 * other loops: what SVE instructions may have written must be UNKNOWN, and nothing else. Runs until it is killed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 700 };
static float x[kCount], y[kCount];
static int32_t a[kCount], b[kCount];
static uint8_t text[kCount], copy[kCount];
static double wide[kCount];

__attribute__((noinline)) static void scale(float by, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] * by + y[i];
}
__attribute__((noinline)) static int32_t sum(int n) {
  int32_t total = 0;
  for (int i = 0; i < n; ++i) total += a[i] > b[i] ? a[i] - b[i] : b[i];
  return total;
}
__attribute__((noinline)) static void gather(int n) {
  for (int i = 0; i < n; ++i) b[i] = a[(uint32_t)b[i] % kCount] ^ i;
}
__attribute__((noinline)) static void widen(int n) {
  for (int i = 0; i < n; ++i) wide[i] = (double)x[i] + a[i];
}
__attribute__((noinline)) static uint32_t bytes(int n) {
  uint32_t most = 0;
  for (int i = 0; i < n; ++i) {
    copy[i] = (uint8_t)(text[i] + 3);
    most = copy[i] > most ? copy[i] : most;
  }
  return most;
}
/* Scalar code, and NEON in the library: uses memory and registers that the SVE code must not have changed. */
__attribute__((noinline, optimize("no-tree-vectorize"))) static uint64_t walk(uint64_t state, int n) {
  for (int i = 0; i < n; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state & 4) state += text[state % kCount];
    if (text[i % kCount] == (uint8_t)state) state ^= strlen((const char*)text);
  }
  return state;
}

int main(void) {
  uint64_t state = 88172645463325252u;
  for (int round = 1;; ++round) {
    for (int i = 0; i < kCount; ++i) {
      state = walk(state, 2);
      x[i] = (float)(state % 1000);
      a[i] = (int32_t)(state >> 20 & 0xffff);
      b[i] = (int32_t)(state >> 30 & 0xffff);
      text[i] = (uint8_t)(state | 1);
    }
    text[kCount - 1] = 0;
    const int n = 1 + round % kCount;
    scale(0.5f, n);
    gather(n);
    widen(n);
    state += (uint64_t)(uint32_t)sum(n) + bytes(n);
    memcpy(copy, text, (size_t)n);
    if (y[n / 2] > 100.0f) state ^= 0x55;
    if (wide[n / 3] < 30000.0) state = walk(state, n);
  }
}
