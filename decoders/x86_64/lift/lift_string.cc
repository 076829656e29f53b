// String instructions, with and without rep.
//
// The direction is the DF slot: nearly always known 0; if UNKNOWN, the results are UNKNOWN. Forms with a segment or a
// 67 prefix, and rep lods, have no semantics: all that they may write becomes UNKNOWN.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint32_t kRsi = SOFTLBR_X86_RSI;
constexpr uint32_t kRdi = SOFTLBR_X86_RDI;
constexpr uint32_t kDirectionFromDf = static_cast<uint32_t>(SOFTLBR_X86_DF) << 2;
static_assert(SOFTLBR_X86_DF < 64, "the aux field has six bits for the direction's register slot");

void Forget(const Instruction& in, BlockBuilder* out) {
  const uint32_t family = in.opcode & 0xfeu;
  if (family == 0xa4 || family == 0xaa) out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0);
  if (family == 0xac) out->AddUnknown(SOFTLBR_X86_RAX);
  if (family != 0xaa && family != 0xae) out->AddUnknown(kRsi);
  if (family != 0xac) out->AddUnknown(kRdi);
  if (in.rep != 0) out->AddUnknown(SOFTLBR_X86_RCX);
  if (family == 0xa6 || family == 0xae) out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, SOFTLBR_FLAG_ALL);
}

// lods: the element, then rsi += width - 2 * width * DF.
void Load(uint32_t width, BlockBuilder* out) {
  const Operand rax = SlotOperand(SOFTLBR_X86_RAX);
  AddMemory(SOFTLBR_OP_LOAD, width, rax.slot, Address{kRsi, SOFTLBR_REG_ZERO, 0, 0}, AsDst(rax, width), out);
  const uint16_t back = out->Temp();
  out->Add(SOFTLBR_OP_MUL, 8, back, SOFTLBR_X86_DF, 0, static_cast<int32_t>(2 * width), 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_ADDRESS, 8, kRsi, kRsi, SOFTLBR_REG_ZERO, static_cast<int32_t>(width));
  out->Add(SOFTLBR_OP_SUB, 8, kRsi, kRsi, back);
}

}  // namespace

// a4 a5 movs, a6 a7 cmps, aa ab stos, ac ad lods, ae af scas.
bool LiftString(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const uint32_t family = in.opcode & 0xfeu;
  if (in.is_address_32 || in.segment != Segment::kNone || (family == 0xac && in.rep != 0)) {
    Forget(in, out);
    return true;
  }
  const uint32_t count = in.rep != 0 ? uint32_t{SOFTLBR_X86_RCX} : uint32_t{SOFTLBR_REG_ZERO};
  const uint32_t aux = kDirectionFromDf | (in.rep == 0xf3 ? 2u : 0u);
  switch (family) {
    case 0xa4: out->Add(SOFTLBR_OP_STRING_MOVE, width, kRdi, kRsi, count, 0, kDirectionFromDf); return true;
    case 0xaa:
      out->Add(SOFTLBR_OP_STRING_STORE, width, kRdi, SOFTLBR_REG_ZERO, count, SOFTLBR_X86_RAX, kDirectionFromDf);
      return true;
    case 0xac: Load(width, out); return true;
    case 0xae:
      out->Add(SOFTLBR_OP_STRING_SCAN, width, kRdi, SOFTLBR_REG_ZERO, count, SOFTLBR_X86_RAX, aux,
               SOFTLBR_UOP_SET_FLAGS);
      return true;
    default:  // cmps
      out->Add(SOFTLBR_OP_STRING_COMPARE, width, kRdi, kRsi, count, 0, aux, SOFTLBR_UOP_SET_FLAGS);
      return true;
  }
}

}  // namespace softlbr::x86
