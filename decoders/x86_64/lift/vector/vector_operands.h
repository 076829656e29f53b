// Operands of vector instructions: what the legacy, VEX and EVEX forms of an operation have in common.
//
// Who calls: lift_vector*.cc, lift_float*.cc. Context: handler. Header-only.
// Each temporary vector has a fixed use, so that two uses within an instruction do not collide:
#ifndef SOFTLBR_DECODERS_X86_64_LIFT_VECTOR_VECTOR_OPERANDS_H_
#define SOFTLBR_DECODERS_X86_64_LIFT_VECTOR_VECTOR_OPERANDS_H_

#include "decoders/x86_64/lift/lift.h"

namespace softlbr::x86 {

inline constexpr uint16_t kSourceTemp = SOFTLBR_REG_VECTOR_TEMP;      // an operand loaded by RmSource() or MmxSource()
inline constexpr uint16_t kResultTemp = SOFTLBR_REG_VECTOR_TEMP + 8;  // a result before its mask is applied
inline constexpr uint16_t kZeroTemp = SOFTLBR_REG_VECTOR_TEMP + 16;   // zeroes for zeroing masks
inline constexpr uint16_t kSpareTemp = SOFTLBR_REG_VECTOR_TEMP + 24;  // for use by the caller

inline constexpr uint32_t kXmmBytes = 16;
inline constexpr uint32_t kMmxBytes = 8;

SOFTLBR_HANDLER_SAFE inline bool IsLegacy(const Instruction& in) { return in.encoding == Encoding::kLegacy; }
SOFTLBR_HANDLER_SAFE inline bool IsEvex(const Instruction& in) { return in.encoding == Encoding::kEvex; }
SOFTLBR_HANDLER_SAFE inline bool IsMasked(const Instruction& in) { return IsEvex(in) && in.mask != 0; }
SOFTLBR_HANDLER_SAFE inline bool IsScalarPrefix(const Instruction& in) { return in.pp == Pp::kF3 || in.pp == Pp::kF2; }
// Lane bytes by mandatory prefix: ps/ss or pd/sd.
SOFTLBR_HANDLER_SAFE inline uint32_t FloatLane(const Instruction& in) {
  return in.pp == Pp::k66 || in.pp == Pp::kF2 ? 8 : 4;
}
SOFTLBR_HANDLER_SAFE inline uint32_t LaneByW(const Instruction& in) { return in.w ? 8 : 4; }

SOFTLBR_HANDLER_SAFE inline uint16_t RegSlot(const Instruction& in) { return VectorSlot(in.reg); }
// The first source; in legacy forms it is the destination.
SOFTLBR_HANDLER_SAFE inline uint16_t FirstSlot(const Instruction& in) {
  return VectorSlot(IsLegacy(in) ? in.reg : in.vvvv);
}

// Loads 1..64 bytes into the low bytes of a temporary vector.
SOFTLBR_HANDLER_SAFE inline void LoadInto(const Instruction& in, uint32_t bytes, uint16_t slot, BlockBuilder* out) {
  const Address address = MemoryAddress(in, out);
  AddMemory(bytes < 4 ? SOFTLBR_OP_LOAD : SOFTLBR_OP_VLOAD, bytes, slot, address, 0, out);
}

// The modrm.rm operand as a vector of `bytes`: its register, or kSourceTemp after a load. EVEX memory broadcasts of
// `lane`-byte elements are expanded.
SOFTLBR_HANDLER_SAFE inline uint16_t RmSource(const Instruction& in, uint32_t bytes, uint32_t lane, BlockBuilder* out) {
  if (!in.IsMemory()) return VectorSlot(in.rm);
  if (IsEvex(in) && in.is_broadcast) {
    LoadInto(in, lane, kSourceTemp, out);
    out->Add(SOFTLBR_OP_VBROADCAST, bytes, kSourceTemp, kSourceTemp, 0, 0, lane);
  } else {
    LoadInto(in, bytes, kSourceTemp, out);
  }
  return kSourceTemp;
}
SOFTLBR_HANDLER_SAFE inline uint16_t RmSource(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  return RmSource(in, bytes, 4, out);
}

// modrm.rm as an MMX operand; memory is loaded into kSourceTemp.
SOFTLBR_HANDLER_SAFE inline uint16_t MmxSource(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (!in.IsMemory()) return MmxSlot(in.rm);
  LoadInto(in, bytes, kSourceTemp, out);
  return kSourceTemp;
}

// The slot to compute the result in: the destination itself, or a temporary vector if a mask selects lanes afterwards.
SOFTLBR_HANDLER_SAFE inline uint16_t WorkSlot(const Instruction& in, uint16_t destination) {
  return IsMasked(in) ? kResultTemp : destination;
}

// Applies the mask by lanes and zeroes the bytes above, as the encoding requires. `width` bytes were computed in
// WorkSlot().
SOFTLBR_HANDLER_SAFE inline void Finish(const Instruction& in, uint16_t destination, uint32_t width, uint32_t lane,
                                        BlockBuilder* out) {
  if (IsMasked(in)) {
    uint16_t otherwise = destination;
    if (in.is_zeroing) {
      otherwise = kZeroTemp;
      out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, kZeroTemp, 0);
    }
    out->Add(SOFTLBR_OP_VSELECT_MASK, width, destination, kResultTemp, otherwise, MaskSlot(in.mask), lane);
  }
  if (!IsLegacy(in) && width < 64) out->Add(SOFTLBR_OP_VZERO_ABOVE, width, destination, 0);
}

// Families. Each returns false if it has no semantics for the form; the caller then drops the uops it added.
SOFTLBR_HANDLER_SAFE bool LiftVectorMove(const Instruction& in, BlockBuilder* out);      // loads, stores, registers
SOFTLBR_HANDLER_SAFE bool LiftVectorElement(const Instruction& in, BlockBuilder* out);   // insert, extract, broadcast
SOFTLBR_HANDLER_SAFE bool LiftVectorInteger(const Instruction& in, BlockBuilder* out);   // arithmetic, logic, shifts
SOFTLBR_HANDLER_SAFE bool LiftVectorComposed(const Instruction& in, BlockBuilder* out);  // psign, phadd, pmulhrsw
SOFTLBR_HANDLER_SAFE bool LiftVectorShuffle(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftVectorMask(const Instruction& in, BlockBuilder* out);  // k registers
SOFTLBR_HANDLER_SAFE bool LiftMmx(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftFloatArithmetic(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftFloatConvert(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftFloatFused(const Instruction& in, BlockBuilder* out);

// Packed integer operations with two sources, shared by LiftVectorInteger and LiftMmx. op NOP: not such an operation.
struct PackedOp {
  uint8_t op;
  uint8_t lane;  // aux
  uint16_t flags;
  uint8_t mask_lane;  // lane size of the mask; 0: cannot be masked
};
SOFTLBR_HANDLER_SAFE PackedOp PackedInteger0F(const Instruction& in);
SOFTLBR_HANDLER_SAFE PackedOp PackedInteger0F38(const Instruction& in);
// Opcodes 71, 72, 73: shifts by immediate. op NOP: no such form. The count is imm.
SOFTLBR_HANDLER_SAFE PackedOp ShiftByImmediate(const Instruction& in);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_LIFT_VECTOR_VECTOR_OPERANDS_H_
