/* Enough for a compiler to think about. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define STEP(n)                                                  \
  static double step##n(const double *a, double *b, int count) { \
    double sum = 0;                                              \
    for (int i = 0; i < count; ++i) {                            \
      switch ((i * n) % 7) {                                     \
        case 0: b[i] = a[i] * n; break;                          \
        case 1: b[i] = sqrt(a[i] + n); break;                    \
        case 2: b[i] = a[(i * n) % count] - i; break;            \
        case 3: b[i] = sin(a[i]) * cos(a[i] + n); break;         \
        default: b[i] = a[i] > n ? a[i] / n : n - a[i];          \
      }                                                          \
      sum += b[i] * (i & n);                                     \
    }                                                            \
    return sum;                                                  \
  }
STEP(1)
STEP(2)
STEP(3)
STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11)
    STEP(12) static int by_value(const void *a, const void *b) {
  return memcmp(a, b, sizeof(double));
}
int main(void) {
  double a[100], b[100], sum = 0;
  for (int i = 0; i < 100; ++i) a[i] = i * 0.7;
  sum +=
      step1(a, b, 100) + step2(b, a, 100) + step3(a, b, 100) + step4(b, a, 100) + step5(a, b, 100) + step6(b, a, 100);
  sum += step7(a, b, 100) + step8(b, a, 100) + step9(a, b, 100) + step10(b, a, 100) + step11(a, b, 100) +
         step12(b, a, 100);
  qsort(a, 100, sizeof *a, by_value);
  return printf("%g\n", sum);
}
