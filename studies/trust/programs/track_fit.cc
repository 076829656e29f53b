// track_fit TRACKS: fits straight lines in space to measured positions, LANES tracks at a time. Prints the sum of the
// fits' chi squares.
//
// Stands for the paper's Fitter: single-precision arithmetic without memory to wait for, built for scalar registers and
// for vectors of each width. A track is followed through layers by a Kalman filter in both projections. With
// NOT_INLINED each arithmetic operation is a call, as a compiler leaves it that fails to inline.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifndef LANES
#define LANES 1
#endif
#ifdef NOT_INLINED
#define OPERATION __attribute__((noinline))
#else
#define OPERATION __attribute__((always_inline)) inline
#endif

namespace {

#if LANES == 1
using Lanes = float;
float LaneOf(Lanes value, int) { return value; }
void SetLane(Lanes* value, int, float to) { *value = to; }
Lanes Everywhere(float value) { return value; }
#else
using Lanes = float __attribute__((vector_size(4 * LANES)));
float LaneOf(Lanes value, int lane) { return value[lane]; }
void SetLane(Lanes* value, int lane, float to) { (*value)[lane] = to; }
Lanes Everywhere(float value) { return Lanes{} + value; }
#endif

OPERATION Lanes Add(Lanes a, Lanes b) { return a + b; }
OPERATION Lanes Subtract(Lanes a, Lanes b) { return a - b; }
OPERATION Lanes Multiply(Lanes a, Lanes b) { return a * b; }
OPERATION Lanes Divide(Lanes a, Lanes b) { return a / b; }

constexpr int kLayers = 10;
constexpr int kBatches = 64;
constexpr float kGap = 0.5f;

struct Measured {
  Lanes position[2][kLayers];
};

// Position and slope with their covariances, in one projection.
struct State {
  Lanes position, slope, pp, ps, ss;
};

__attribute__((noinline)) Lanes Fit(const Measured& measured, int layers) {
  Lanes chi_square = Everywhere(0);
  for (const auto& positions : measured.position) {
    State state{positions[0], Everywhere(0), Everywhere(1), Everywhere(0), Everywhere(1)};
    const Lanes gap = Everywhere(kGap), noise = Everywhere(0.01f);
    for (int layer = 1; layer < layers; ++layer) {
      state.position = Add(state.position, Multiply(gap, state.slope));
      state.pp = Add(state.pp, Multiply(gap, Add(state.ps, Add(state.ps, Multiply(gap, state.ss)))));
      state.ps = Add(state.ps, Multiply(gap, state.ss));
      const Lanes residual = Subtract(positions[layer], state.position);
      const Lanes weight = Divide(Everywhere(1), Add(state.pp, noise));
      const Lanes gain = Multiply(state.pp, weight), slope_gain = Multiply(state.ps, weight);
      state.position = Add(state.position, Multiply(gain, residual));
      state.slope = Add(state.slope, Multiply(slope_gain, residual));
      state.ss = Subtract(state.ss, Multiply(slope_gain, state.ps));
      state.ps = Subtract(state.ps, Multiply(gain, state.ps));
      state.pp = Subtract(state.pp, Multiply(gain, state.pp));
      chi_square = Add(chi_square, Multiply(residual, Multiply(residual, weight)));
    }
  }
  return chi_square;
}

}  // namespace

int main(int argc, char** argv) {
  const long tracks = argc > 1 ? std::atol(argv[1]) : 100000;
  static Measured measured[kBatches];
  uint32_t random = 2463534242u;
  for (Measured& batch : measured) {
    for (auto& positions : batch.position) {
      for (int lane = 0; lane < LANES; ++lane) {
        const float slope = static_cast<float>(random % 1000) / 1000;
        for (int layer = 0; layer < kLayers; ++layer) {
          random = random * 1664525u + 1013904223u;
          const float error = static_cast<float>(random >> 20) / 40960 - 0.05f;
          SetLane(&positions[layer], lane, slope * kGap * static_cast<float>(layer) + error);
        }
      }
    }
  }
  Lanes sum = Everywhere(0);
  for (long track = 0; track < tracks; track += LANES) sum += Fit(measured[track / LANES % kBatches], kLayers);
  float total = 0;
  for (int lane = 0; lane < LANES; ++lane) total += LaneOf(sum, lane);
  std::printf("%g\n", static_cast<double>(total));
}
