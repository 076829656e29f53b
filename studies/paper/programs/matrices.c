// Products of complex 3x3 matrices over a lattice, as 433.milc does: short loops without conditions, the matrices
// larger than the caches.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double re, im;
} Complex;
typedef struct {
  Complex e[3][3];
} Matrix;
enum { kSites = 16384 };
static Matrix g_links[kSites], g_staples[kSites];

static void __attribute__((noinline)) Multiply(const Matrix* a, const Matrix* b, Matrix* c) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double re = 0, im = 0;
      for (int k = 0; k < 3; ++k) {
        re += a->e[i][k].re * b->e[k][j].re - a->e[i][k].im * b->e[k][j].im;
        im += a->e[i][k].re * b->e[k][j].im + a->e[i][k].im * b->e[k][j].re;
      }
      c->e[i][j].re = re * 0.57;
      c->e[i][j].im = im * 0.57;
    }
  }
}

int main(int argc, char** argv) {
  const int sweeps = argc > 1 ? atoi(argv[1]) : 200;
  for (int s = 0; s < kSites; ++s) {
    for (int i = 0; i < 9; ++i) {
      g_links[s].e[i / 3][i % 3].re = (double)((s * 31 + i * 17) % 101) / 101;
      g_links[s].e[i / 3][i % 3].im = (double)((s * 37 + i * 11) % 103) / 103;
    }
    g_staples[s] = g_links[s];
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int s = 0; s < kSites; ++s) {
      Matrix product;
      Multiply(&g_links[(s * 97 + sweep) % kSites], &g_staples[s], &product);
      g_staples[s] = product;
    }
  }
  double sum = 0;
  for (int s = 0; s < kSites; ++s) sum += g_staples[s].e[1][2].re;
  printf("%.12g\n", sum);
  return 0;
}
