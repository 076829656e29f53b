// A lattice-Boltzmann step on a square grid, as 470.lbm does on a cube: long straight runs of floating point, few
// branches.
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 256, kHeight = 256, kDirections = 9 };
static const int kX[kDirections] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int kY[kDirections] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double kWeight[kDirections] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
static double g_now[kHeight][kWidth][kDirections];
static double g_next[kHeight][kWidth][kDirections];

static void Step(void) {
  for (int y = 1; y < kHeight - 1; ++y) {
    for (int x = 1; x < kWidth - 1; ++x) {
      double density = 0, vx = 0, vy = 0;
#pragma GCC unroll 9
      for (int d = 0; d < kDirections; ++d) {
        const double f = g_now[y - kY[d]][x - kX[d]][d];
        density += f;
        vx += f * kX[d];
        vy += f * kY[d];
      }
      vx /= density;
      vy /= density;
      const double square = 1.5 * (vx * vx + vy * vy);
#pragma GCC unroll 9
      for (int d = 0; d < kDirections; ++d) {
        const double along = 3 * (kX[d] * vx + kY[d] * vy);
        const double f = g_now[y - kY[d]][x - kX[d]][d];
        g_next[y][x][d] = f + 0.6 * (kWeight[d] * density * (1 + along + along * along / 2 - square) - f);
      }
    }
  }
  for (int y = 1; y < kHeight - 1; ++y) {
    for (int x = 1; x < kWidth - 1; ++x) {
#pragma GCC unroll 9
      for (int d = 0; d < kDirections; ++d) g_now[y][x][d] = g_next[y][x][d];
    }
  }
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int d = 0; d < kDirections; ++d) g_now[y][x][d] = kWeight[d] * (1 + 0.1 * ((x * 7 + y * 13) % 11 == 0));
    }
  }
  for (int i = 0; i < steps; ++i) Step();
  printf("%.12f\n", g_now[kHeight / 2][kWidth / 2][1]);
  return 0;
}
