// The A64 forms that the oracle runs: bit patterns with random fields.
//
// Patterns are written from bit 31 down: '0' and '1' are fixed bits, any other letter is a random bit, blanks are
// ignored. modelled: with known inputs every output must be known, for every filling that is an instruction. Decoder
// and emulator must both refuse a filling that is not an instruction.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_FORMS_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_FORMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/decoders/oracle/random.h"

namespace softlbr::oracle {

enum : uint8_t {
  kFormUnmodelled = 0,
  kFormModelled = 1,  // every output is known
  kFormFloat4 = 2,    // except lanes of 4 bytes that are NaN
  kFormFloat8 = 3,
  kFormFloat4Operand = 4,  // also except lanes of 4 bytes with a NaN operand
  kFormFloat8Operand = 5,
};

struct A64Form {
  const char* name;
  const char* pattern;
  uint8_t kind;

  bool is_modelled() const { return kind != kFormUnmodelled; }
  uint8_t nan_lane_bytes() const {
    return kind == kFormFloat4 || kind == kFormFloat4Operand   ? 4
           : kind == kFormFloat8 || kind == kFormFloat8Operand ? 8
                                                               : 0;
  }
  bool may_lose_nan_operands() const { return kind == kFormFloat4Operand || kind == kFormFloat8Operand; }
};

const std::vector<A64Form>& A64Forms();

struct A64Pattern {
  uint32_t mask;  // fixed bits
  uint32_t value;
};
// Aborts on a malformed pattern.
A64Pattern ParsePattern(const char* pattern);
inline uint32_t FillPattern(const A64Pattern& pattern, Random* random) {
  return (static_cast<uint32_t>(random->Next()) & ~pattern.mask) | pattern.value;
}

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_FORMS_H_
