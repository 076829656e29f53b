// Path tests: at random points of a real program, is the predicted path the one that single-stepping sees?
//
// A point: the program runs freely for a random time and a few random single steps; its true state is read; look-ahead
// predicts the next taken branches and is stopped where the runtime would arm a breakpoint; the program is stepped there,
// branch by branch, and everything predicted known is held against the true state: registers, flags, vectors, stored bytes.
// Then the true state is adopted, a hit is counted, and it goes on until the trace is full.
#ifndef SOFTLBR_TESTS_PATHS_PATH_POINTS_H_
#define SOFTLBR_TESTS_PATHS_PATH_POINTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tests/paths/path_predictor.h"
#include "tests/paths/unknown_origin.h"

namespace softlbr::paths {

struct PointOptions {
  uint32_t points = 300;
  uint32_t branches = 16;                  // a trace
  uint64_t mean_run_microseconds = 10000;  // between two points
  uint32_t max_first_steps = 100;
  uint64_t seed = 1;
  uint32_t max_starts = 50;   // of the program: it is started again when it has ended
  uint32_t timed_rounds = 0;  // each segment is evaluated again so often, and timed
  uint32_t planted_cell = 0;  // for tests of this test: a register slot that is adopted with a bit turned; 0: none
};

// Stops with one cause.
struct Cause {
  StopKind stop;
  OriginKind origin;
  AbortReason reason;
  bool through_poison;
  std::string place;      // of the instruction, "libc.so.6+0x29d90"
  uint8_t code[16] = {};  // its bytes
  uint32_t op = 0;
  auto operator<=>(const Cause&) const = default;
};

struct PointResults {
  uint32_t points = 0;     // traces begun
  uint32_t complete = 0;   // and full
  uint32_t zero_hit = 0;   // of the complete ones
  uint32_t wrong = 0;      // a branch or a known value was not as predicted
  uint32_t abandoned = 0;  // a signal came, the program ended, or nothing could be stepped: says nothing
  uint32_t aborted = 0;    // where the tracer would end the trace
  uint64_t hits = 0;
  uint64_t branches = 0;
  uint64_t instructions = 0;
  uint64_t bytes_compared = 0;  // known bytes held against the truth
  uint64_t bytes_unknown = 0;   // of registers and vectors at the same places
  std::map<Cause, uint64_t> causes;
  double timed_ns = 0;  // of RunBlock alone, blocks at hand, over
  double timed_instructions = 0;
  std::map<uint32_t, uint64_t> ops;  // with timed_rounds: uops evaluated, by op
  std::string first_wrong;           // what, where
};

// Starts the program; null, and *error, if that cannot be.
using StartProgram = std::function<std::unique_ptr<SteppedProgram>(std::string* error)>;

// Empty, or why it could not be done at all.
std::string RunPoints(const StartProgram& start_program, const PointOptions& options, PathPredictor* predictor,
                      PointResults* results);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_PATH_POINTS_H_
