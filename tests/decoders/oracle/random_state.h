// Random machine states that reach the corners: boundary integers, NaNs, denormals, infinities, equal lanes, bit masks.
//
// Memory: a ValuePool; a state costs some copies. Pointers into the scratch memory are placed by the caller
// (case_runner.cc), which knows the instruction's operands.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_STATE_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_STATE_H_

#include <cstdint>

#include "tests/decoders/oracle/native_runner.h"
#include "tests/decoders/oracle/random_values.h"

namespace softlbr::oracle {

class StateMaker {
 public:
  explicit StateMaker(uint64_t seed) : pool_(seed) {}

  // Fills registers, flags, masks and vectors. The direction flag is set one time in 16; MXCSR is the default, or, one time
  // in 16, another rounding or flushing mode (exceptions stay masked: they would trap).
  void Fill(Random* random, NativeState* state) const;
  // Fills memory with values of the same kinds.
  void FillBytes(Random* random, uint8_t* bytes, uint64_t count) const { pool_.FillBytes(random, bytes, count); }

 private:
  ValuePool pool_;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_STATE_H_
