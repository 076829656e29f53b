// Forces between pairs of particles within a cutoff, as 444.namd does: floating point behind one condition that is hard
// to predict.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kParticles = 1500 };
static double g_position[3][kParticles], g_velocity[3][kParticles];

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 60;
  unsigned state = 12345;
  for (int i = 0; i < kParticles; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      state = state * 1103515245u + 12345u;
      g_position[axis][i] = (state >> 8) % 10000 / 1000.0;
    }
  }
  double energy = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < kParticles; ++i) {
      double force[3] = {0, 0, 0};
      for (int j = 0; j < kParticles; ++j) {
        const double x = g_position[0][i] - g_position[0][j];
        const double y = g_position[1][i] - g_position[1][j];
        const double z = g_position[2][i] - g_position[2][j];
        const double square = x * x + y * y + z * z;
        if (square > 9 || i == j) continue;
        const double inverse = 1 / (square + 0.1);
        const double sixth = inverse * inverse * inverse;
        const double strength = sixth * (sixth - 1) * inverse;
        energy += sixth * (sixth - 2) / sqrt(square + 1);
        force[0] += strength * x;
        force[1] += strength * y;
        force[2] += strength * z;
      }
      for (int axis = 0; axis < 3; ++axis) g_velocity[axis][i] += 1e-9 * force[axis];
    }
    for (int i = 0; i < kParticles; ++i) {
      for (int axis = 0; axis < 3; ++axis) g_position[axis][i] += 1e-3 * g_velocity[axis][i];
    }
  }
  printf("%.6g\n", energy);
  return 0;
}
