// Floating-point semantics on vector registers: dispatch, compares into flags and masks, MXCSR.
//
// The low six bits of MXCSR, its status bits, are never known: no operation here computes the exceptions it raised. So
// the low byte of a stored MXCSR is UNKNOWN. The control bits are exact; ldmxcsr tells the evaluator whether rounding
// is still the default. Without semantics: reciprocal estimates, dot products, half precision, EVEX forms with a
// rounding override, masked scalar forms, AVX-512 conversions to and from unsigned.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

constexpr int32_t kMxcsrDefault = 0x1f80;
constexpr uint32_t kMxcsrStatusBits = 6;

// comiss, ucomiss, comisd, ucomisd.
bool CompareIntoFlags(const Instruction& in, BlockBuilder* out) {
  if (IsScalarPrefix(in) || IsMasked(in) || (IsEvex(in) && in.is_broadcast)) return false;
  const uint32_t lane = FloatLane(in);
  const uint16_t source = RmSource(in, lane, out);
  out->Add(SOFTLBR_OP_FCMP_FLAGS, kXmmBytes, 0, RegSlot(in), source, 0, lane, SOFTLBR_UOP_SET_FLAGS);
  return true;
}

// cmpps and so on: lanes of ones or zeroes; EVEX forms write a mask register.
bool CompareIntoLanes(const Instruction& in, BlockBuilder* out) {
  const uint32_t lane = FloatLane(in);
  const bool is_scalar = IsScalarPrefix(in);
  const uint32_t predicate = in.ImmByte() & (IsLegacy(in) ? 7u : 31u);
  const uint32_t flags = is_scalar ? uint32_t{SOFTLBR_UOP_SCALAR} : 0;
  const uint32_t width = is_scalar ? kXmmBytes : in.vector_bytes;
  if (is_scalar && IsEvex(in) && in.is_broadcast) return false;
  const uint16_t source = RmSource(in, is_scalar ? lane : width, lane, out);
  if (!IsEvex(in)) {
    out->Add(SOFTLBR_OP_FCMP, width, RegSlot(in), FirstSlot(in), source, static_cast<int32_t>(predicate), lane, flags);
    Finish(in, RegSlot(in), width, lane, out);
    return true;
  }
  const uint16_t work = IsMasked(in) ? out->Temp() : MaskSlot(in.reg);
  out->Add(SOFTLBR_OP_FCMP_MASK, width, work, VectorSlot(in.vvvv), source, static_cast<int32_t>(predicate), lane,
           flags);
  if (IsMasked(in)) out->Add(SOFTLBR_OP_AND, 8, MaskSlot(in.reg), work, MaskSlot(in.mask));
  return true;
}

bool LiftControlWord(const Instruction& in, BlockBuilder* out) {
  if (!in.IsMemory() || in.pp != Pp::kNone || IsEvex(in)) return false;
  const Address address = MemoryAddress(in, out);
  switch (in.Extension()) {
    case 2:  // ldmxcsr
      AddMemory(SOFTLBR_OP_LOAD, 4, SOFTLBR_X86_MXCSR, address, 0, out);
      out->Add(SOFTLBR_OP_ROUNDING, 4, 0, SOFTLBR_X86_MXCSR, 0, kMxcsrDefault, kMxcsrStatusBits);
      return true;
    case 3:  // stmxcsr
      AddMemory(SOFTLBR_OP_STORE, 4, SOFTLBR_X86_MXCSR, address, 0, out);
      AddMemory(SOFTLBR_OP_STORE_UNKNOWN, 1, 0, address, 0, out);
      return true;
    default: return false;
  }
}

}  // namespace

bool LiftFloat(const Instruction& in, BlockBuilder* out) {
  if (in.map == Map::kOneByte || in.encoding == Encoding::k3dNow || in.has_lock) return false;
  if (in.IsMemory() && (in.is_vsib || !in.is_disp_exact)) return false;
  if (IsEvex(in) && in.is_broadcast && in.IsRegister()) return false;
  if (in.map == Map::k0F) {
    if (in.opcode == 0x2e || in.opcode == 0x2f) return CompareIntoFlags(in, out);
    if (in.opcode == 0xc2) return CompareIntoLanes(in, out);
    if (in.opcode == 0xae) return LiftControlWord(in, out);
  }
  if (LiftFloatArithmetic(in, out)) return true;
  out->Rewind();
  if (LiftFloatConvert(in, out)) return true;
  out->Rewind();
  return LiftFloatFused(in, out);
}

}  // namespace softlbr::x86
