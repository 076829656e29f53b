// Path tests: at random points of a real program, is the predicted path the one that single-stepping sees?
//
// At each point the program runs freely for a random time and then a few random single steps. Its true state is read.
// Look-ahead predicts the next taken branches up to where the runtime would arm a breakpoint. The program is stepped
// there, branch by branch, and everything predicted as known is compared with the true state: registers, flags,
// vectors, stored bytes. Then the true state is adopted, a hit is counted, and the next segment is predicted, until the
// trace is full.
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
  uint32_t max_starts = 50;   // the program is started again when it has ended, at most so often
  uint32_t timed_rounds = 0;  // how often each segment is evaluated again, for timing
  uint32_t planted_slot = 0;  // to test this test: a register slot that is adopted with one bit flipped; 0: none
};

// One cause of stops.
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
  uint32_t complete = 0;   // traces that became full
  uint32_t zero_hit = 0;   // of the complete ones
  uint32_t wrong = 0;      // a branch or a known value was not as predicted
  uint32_t abandoned = 0;  // a signal came, the program ended, or nothing could be stepped: no result
  uint32_t aborted = 0;    // where the tracer would end the trace
  uint64_t hits = 0;
  uint64_t branches = 0;
  uint64_t instructions = 0;
  uint64_t bytes_compared = 0;  // known bytes compared with the true state
  uint64_t bytes_unknown = 0;   // of registers and vectors at the same places
  std::map<Cause, uint64_t> causes;
  double timed_ns = 0;  // in RunBlock alone, with all blocks lifted
  double timed_instructions = 0;
  std::map<uint32_t, uint64_t> ops;  // with timed_rounds: uops evaluated, by op
  std::string first_wrong;           // the first wrong prediction, and its address
};

// Starts the program. Null, and *error, on failure.
using StartProgram = std::function<std::unique_ptr<SteppedProgram>(std::string* error)>;

// Empty, or why the test could not run at all.
std::string RunPoints(const StartProgram& start_program, const PointOptions& options, PathPredictor* predictor,
                      PointResults* results);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_PATH_POINTS_H_
