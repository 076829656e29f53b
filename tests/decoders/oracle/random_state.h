// Random machine states with many boundary values: integers, NaNs, denormals, infinities, equal lanes, bit masks.
//
// Memory: a ValuePool; making a state costs a few copies. The caller (case_runner.cc), which knows the instruction's
// operands, sets the pointers into the scratch memory.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_STATE_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_STATE_H_

#include <cstdint>

#include "tests/decoders/oracle/native_runner.h"
#include "tests/decoders/oracle/random_values.h"

namespace softlbr::oracle {

class StateMaker {
 public:
  explicit StateMaker(uint64_t seed) : pool_(seed) {}

  // Fills registers, flags, masks and vectors. The direction flag is set in one case of 16. MXCSR is the default or, in
  // one case of 16, selects another rounding or flushing mode (exceptions stay masked, because they would trap).
  void Fill(Random* random, NativeState* state) const;
  // Fills memory with values of the same kinds.
  void FillBytes(Random* random, uint8_t* bytes, uint64_t count) const { pool_.FillBytes(random, bytes, count); }

 private:
  ValuePool pool_;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_STATE_H_
