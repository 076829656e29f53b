// Branches that depend on floating-point values: bouncing bodies, iteration until convergence. Argument: rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBodies = 12 };
static double position[kBodies], speed[kBodies];
static float heat[64];

static double SquareRoot(double x) {
  double guess = x > 1 ? x / 2 : 1;
  for (;;) {
    const double next = (guess + x / guess) / 2;
    if (fabs(next - guess) < 1e-9 * next) return next;
    guess = next;
  }
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 500;
  unsigned bounces = 0, warm = 0;
  double sum = 0;
  for (int i = 0; i < kBodies; ++i) {
    position[i] = 0.05 * i;
    speed[i] = 0.31 - 0.047 * i;
  }
  for (unsigned round = 0; round < rounds; ++round) {
    for (int i = 0; i < kBodies; ++i) {
      position[i] += speed[i] * 0.11;
      if (position[i] > 1.0 || position[i] < 0.0) {
        speed[i] = -speed[i];
        ++bounces;
      }
      sum += SquareRoot(position[i] * position[i] + 0.5);
    }
    for (int i = 1; i < 63; ++i) {
      heat[i] = 0.25f * heat[i - 1] + 0.5f * heat[i] + 0.25f * heat[i + 1];
      if (heat[i] > 0.125f) ++warm;
    }
    heat[(unsigned)(position[3] * 60) % 64] += 1.0f;
    sum -= floor(sum / 1000) * 1000;
  }
  printf("%u %u %.9f\n", bounces, warm, sum);
  return 0;
}
