// Division of a dividend of twice the operands' width, which only x86-64 has. Context: handler; at most 64 steps.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_WIDE_DIVISION_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_WIDE_DIVISION_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr {

struct Division {
  uint64_t quotient;
  uint64_t remainder;
};

// The dividend high : low has twice `width` bytes. False: it faults.
SOFTLBR_HANDLER_SAFE bool DivideX86(uint64_t high, uint64_t low, uint64_t divisor, uint32_t width, bool is_signed,
                                    Division* out);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_WIDE_DIVISION_H_
