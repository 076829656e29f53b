// Random values with many boundary values: integers, NaNs, denormals, infinities, equal lanes, bit masks.
//
// Memory: a pool filled once; a value costs one look-up.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_VALUES_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_VALUES_H_

#include <cstdint>
#include <vector>

#include "tests/decoders/oracle/random.h"

namespace softlbr::oracle {

class ValuePool {
 public:
  explicit ValuePool(uint64_t seed);

  uint64_t Integer(Random* random) const;
  // 64 bytes.
  const uint8_t* Vector(Random* random) const;
  void FillBytes(Random* random, uint8_t* bytes, uint64_t count) const;

 private:
  struct Chunk {
    uint8_t bytes[64];
  };
  std::vector<uint64_t> integers_;
  std::vector<Chunk> chunks_;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_VALUES_H_
