// Compares the predicted state with the true state at the predicted pc.
#ifndef SOFTLBR_TESTS_PATHS_STATE_CHECK_H_
#define SOFTLBR_TESTS_PATHS_STATE_CHECK_H_

#include <cstdint>
#include <string>

#include "runtime/lookahead/evaluator.h"
#include "tests/paths/stepped_program.h"

namespace softlbr::paths {

struct StateCheck {
  uint64_t bytes_known = 0;    // of registers, vectors and stores, all of them equal
  uint64_t bytes_unknown = 0;  // of registers and vectors
  std::string difference;      // the first one; empty: none
};

// `changed` (may be null): uops whose registers are not compared, those of a terminator, which the evaluator may have
// run already.
StateCheck CheckState(Evaluator* predicted, const MachineContext& truth, const SteppedProgram& program,
                      const softlbr_uop* changed, uint32_t changed_count);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_STATE_CHECK_H_
