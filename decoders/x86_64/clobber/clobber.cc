// Instructions without semantics: everything that they may write becomes UNKNOWN.
//
// Our own tables come first: Capstone 4.0.2 lacks or misreads many forms and takes 300 ns and 7 KiB of stack. It is
// asked, in the shared object only, about MMX and SSE forms that our tables do not have (prefixes that no manual
// defines). A form that none can describe is refused: the block ends UNDECODABLE before it, and the trace ends there.
#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {

void ClobberFlags(BlockBuilder* out) { out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, SOFTLBR_FLAG_ALL); }

void ClobberAllMemory(BlockBuilder* out) { out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0); }

void ClobberStore(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (!in.IsMemory() || in.is_vsib || !in.is_disp_exact) {
    ClobberAllMemory(out);
    return;
  }
  const Address address = MemoryAddress(in, out);
  if (bytes <= 64) {
    AddMemory(SOFTLBR_OP_STORE_UNKNOWN, bytes, SOFTLBR_REG_ZERO, address, 0, out);
    return;
  }
  const uint16_t length = out->Temp();
  out->AddConst(length, bytes);
  AddMemory(SOFTLBR_OP_STORE_UNKNOWN, 0, length, address, 0, out);
}

void ProbeOperand(const Instruction& in, BlockBuilder* out) {
  if (!in.IsMemory() || in.is_vsib || !in.is_disp_exact || in.mask != 0) return;
  const uint32_t opcode = in.opcode;
  const bool is_hint =
      in.encoding == Encoding::kLegacy && in.map == Map::k0F && (opcode == 0x0d || (opcode >= 0x18 && opcode <= 0x1f));
  const bool is_masked = in.encoding == Encoding::kVex && in.map == Map::k0F38 &&
                         ((opcode & 0xfcu) == 0x2c || opcode == 0x8c || opcode == 0x8e);
  if (is_hint || is_masked) return;
  const Address address = MemoryAddress(in, out);
  AddMemory(SOFTLBR_OP_LOAD, 1, out->Temp(), address, 0, out);
}

void ClobberVector(uint32_t number, uint32_t bytes, bool is_zeroing_above, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_UNKNOWN, bytes < 16 ? 16 : bytes, VectorSlot(number), 0);
  if (is_zeroing_above && bytes < 64) out->Add(SOFTLBR_OP_VZERO_ABOVE, bytes < 16 ? 16 : bytes, VectorSlot(number), 0);
}

void ClobberX87Registers(BlockBuilder* out) { out->Add(SOFTLBR_OP_UNKNOWN, 64, SOFTLBR_X86_MM0, 0); }

bool ClobberInstruction(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder, BlockBuilder* out) {
  const bool is_x87 =
      in.encoding == Encoding::kLegacy && in.map == Map::kOneByte && in.opcode >= 0xd8 && in.opcode <= 0xdf;
  if (is_x87) return ClobberX87(in, out);
  ProbeOperand(in, out);
  switch (in.encoding) {
    case Encoding::kVex: return ClobberVex(in, out);
    case Encoding::kEvex: return ClobberEvex(in, out);
    case Encoding::k3dNow: out->AddUnknown(MmxSlot(in.reg)); return true;
    case Encoding::kLegacy: break;
  }
  switch (ClobberSystem(in, out)) {
    case Answer::kDone: return true;
    case Answer::kRefused: return false;
    case Answer::kNotMine: break;
  }
  out->Rewind();
  ProbeOperand(in, out);
  if (ClobberSse(in, out)) return true;
  out->Rewind();
  ProbeOperand(in, out);
  return ClobberByCapstone(in, code, decoder, out);
}

}  // namespace softlbr::x86
