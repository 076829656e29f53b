/* float_modes MODE: a loop of additions and multiplications in one mode of the floating-point unit; prints a checksum.
 *
 * MODE: nearest (as programs start), ftz (denormals are zero, results flushed), upward (another rounding mode),
 * switching (a change of modes every 20000 additions), x87 (long double). An evaluator that computes with its own unit
 * must give up in the others. */
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void flush_denormals(int on) {
#if defined(__x86_64__)
  _mm_setcsr((_mm_getcsr() & ~0x8040u) | (on ? 0x8040u : 0));
#elif defined(__aarch64__)
  unsigned long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  control = (control & ~(1ul << 24)) | (on ? 1ul << 24 : 0);
  __asm__ volatile("msr fpcr, %0" ::"r"(control));
#endif
}

static long g_below;
static double g_value = 1;

static void add(int rounds) {
  double x = g_value;
  long n = 0;
  for (int i = 0; i < rounds; ++i) {
    x = x * 1.0000001 + 0.5;
    if (x > 2) x -= 1.5;
    if (x < 1.2)
      n += 1;
    else
      n += 2;
  }
  g_value = x;
  g_below += n;
}

static void add_long(int rounds) {
  volatile long double x = g_value;
  for (int i = 0; i < rounds; ++i) {
    x = x * 1.0000001L + 0.5L;
    if (x > 2) x -= 1.5L;
    if (x < 1.2L) ++g_below;
  }
  g_value = (double)x;
}

int main(int argc, char** argv) {
  const char* mode = argc == 2 ? argv[1] : "nearest";
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  if (strcmp(mode, "ftz") == 0) flush_denormals(1);
  if (strcmp(mode, "upward") == 0) fesetround(FE_UPWARD);
  if (strcmp(mode, "x87") == 0) {
    add_long(300000000);
  } else if (strcmp(mode, "switching") == 0) {
    for (int i = 0; i < 100000; ++i) {
      fesetround(modes[i & 3]);
      flush_denormals(i & 4);
      add(20000);
    }
  } else {
    add(2000000000);
  }
  printf("%ld %g\n", g_below, g_value);
  return 0;
}
