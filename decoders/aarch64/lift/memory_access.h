// Addresses of A64 accesses and the uops for them. Used by the load and store families only.
#ifndef SOFTLBR_DECODERS_AARCH64_LIFT_MEMORY_ACCESS_H_
#define SOFTLBR_DECODERS_AARCH64_LIFT_MEMORY_ACCESS_H_

#include "decoders/aarch64/lift/lift_aarch64.h"

namespace softlbr::a64 {

// a + (b << shift) + imm, in register slots.
struct MemoryAddress {
  uint32_t a;
  uint32_t b;
  uint32_t shift;
  int32_t imm;
};

// Adds LOAD / VLOAD into dst, STORE / VSTORE of dst, or STORE_UNKNOWN.
SOFTLBR_HANDLER_SAFE inline void AddMemory(uint32_t op, uint32_t bytes, uint32_t dst, const MemoryAddress& address,
                                           uint32_t flags, BlockBuilder* out) {
  out->Add(op, bytes, dst, address.a, address.b, address.imm, address.shift, flags);
}

// Transfers the low bytes of a V register; a load zeroes the rest.
SOFTLBR_HANDLER_SAFE void TransferVector(bool is_load, uint32_t bytes, uint32_t number, const MemoryAddress& address,
                                         BlockBuilder* out);

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_LIFT_MEMORY_ACCESS_H_
