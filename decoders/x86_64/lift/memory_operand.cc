// Addresses of memory operands. Contract: lift.h.
#include "decoders/x86_64/lift/lift.h"

namespace softlbr::x86 {

Address MemoryAddress(const Instruction& in, BlockBuilder* out) {
  int64_t disp = in.disp;
  uint16_t index = in.index;
  if (in.IsRipRelative()) disp += out->next_offset();
  const bool fits = disp == static_cast<int32_t>(disp);
  if (SOFTLBR_LIKELY(fits && in.segment == Segment::kNone && !in.is_address_32))
    return Address{in.base, index, in.scale, static_cast<int32_t>(disp)};

  if (!fits) {  // rip-relative near the ends of the 32-bit range; such an address has no index
    index = out->Temp();
    out->AddConst(index, disp);
    disp = 0;
  }
  Address address{in.base, index, in.scale, static_cast<int32_t>(disp)};
  if (in.is_address_32) {
    const uint16_t temp = out->Temp();
    out->Add(SOFTLBR_OP_ADDRESS, 4, temp, address.a, address.b, address.imm, address.shift);
    address = Address{temp, SOFTLBR_REG_ZERO, 0, 0};
  }
  if (in.segment == Segment::kNone) return address;
  const uint16_t segment = in.segment == Segment::kFs ? SOFTLBR_X86_FS_BASE : SOFTLBR_X86_GS_BASE;
  if (address.a == SOFTLBR_REG_ZERO) return Address{segment, address.b, address.shift, address.imm};
  if (address.b == SOFTLBR_REG_ZERO) return Address{segment, address.a, 0, address.imm};
  const uint16_t temp = out->Temp();
  out->Add(SOFTLBR_OP_ADDRESS, 8, temp, address.a, address.b, address.imm, address.shift);
  return Address{segment, temp, 0, 0};
}

}  // namespace softlbr::x86
