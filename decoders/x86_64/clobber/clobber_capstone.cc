// What an instruction writes according to Capstone's detail: implicit registers, operands, flags.
//
// Capstone's `access` marks are not trusted: operand 0 counts as written regardless, because stores are often marked
// READ. Used only if Capstone's length agrees with ours, and only for MMX and SSE: for general instructions it omits
// too much (the flags of xadd and cmpxchg, the stack of push, al of xlat), and we have semantics for those.
#include "decoders/x86_64/clobber/capstone_handle.h"
#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {
namespace {

// Capstone does not number general registers in encoding order.
int GprNumber(unsigned reg) {
  // clang-format off
  switch (reg) {
    case X86_REG_AL: case X86_REG_AH: case X86_REG_AX: case X86_REG_EAX: case X86_REG_RAX: return 0;
    case X86_REG_CL: case X86_REG_CH: case X86_REG_CX: case X86_REG_ECX: case X86_REG_RCX: return 1;
    case X86_REG_DL: case X86_REG_DH: case X86_REG_DX: case X86_REG_EDX: case X86_REG_RDX: return 2;
    case X86_REG_BL: case X86_REG_BH: case X86_REG_BX: case X86_REG_EBX: case X86_REG_RBX: return 3;
    case X86_REG_SPL: case X86_REG_SP: case X86_REG_ESP: case X86_REG_RSP: return 4;
    case X86_REG_BPL: case X86_REG_BP: case X86_REG_EBP: case X86_REG_RBP: return 5;
    case X86_REG_SIL: case X86_REG_SI: case X86_REG_ESI: case X86_REG_RSI: return 6;
    case X86_REG_DIL: case X86_REG_DI: case X86_REG_EDI: case X86_REG_RDI: return 7;
    default: break;
  }
  // clang-format on
  if (reg >= X86_REG_R8 && reg <= X86_REG_R15) return static_cast<int>(8 + reg - X86_REG_R8);
  if (reg >= X86_REG_R8B && reg <= X86_REG_R15B) return static_cast<int>(8 + reg - X86_REG_R8B);
  if (reg >= X86_REG_R8D && reg <= X86_REG_R15D) return static_cast<int>(8 + reg - X86_REG_R8D);
  if (reg >= X86_REG_R8W && reg <= X86_REG_R15W) return static_cast<int>(8 + reg - X86_REG_R8W);
  return -1;
}

// False: a register that has no register slot and cannot be ignored.
bool ClobberRegister(unsigned reg, BlockBuilder* out) {
  const int gpr = GprNumber(reg);
  if (gpr >= 0) {
    out->AddUnknown(GprSlot(static_cast<uint32_t>(gpr)));
    return true;
  }
  if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) {
    ClobberVector(reg - X86_REG_XMM0, 16, false, out);
    return true;
  }
  if (reg >= X86_REG_MM0 && reg <= X86_REG_MM7) {
    out->AddUnknown(MmxSlot(reg - X86_REG_MM0));
    return true;
  }
  if ((reg >= X86_REG_ST0 && reg <= X86_REG_ST7) || (reg >= X86_REG_FP0 && reg <= X86_REG_FP7) || reg == X86_REG_FPSW) {
    ClobberX87Registers(out);
    return true;
  }
  if (reg == X86_REG_EFLAGS) {
    ClobberFlags(out);
    out->AddUnknown(SOFTLBR_X86_DF);
    return true;
  }
  return false;
}

bool IsVectorForm(const Instruction& in) {
  if (in.map == Map::k0F38 || in.map == Map::k0F3A) return in.opcode < 0xf0;
  if (in.map != Map::k0F) return false;
  const uint32_t opcode = in.opcode;
  return (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
         (opcode >= 0x50 && opcode <= 0x7f) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6) || opcode >= 0xd0;
}

// A legacy form stores at most an xmm register; ClobberSystem handles fxsave and the like.
constexpr uint32_t kWidestStore = 16;

}  // namespace

bool ClobberByCapstone(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder, BlockBuilder* out) {
  if (!IsVectorForm(in) || in.has_lock) return false;
  CapstoneInstruction description;
  const uint32_t length = DescribeByCapstone(decoder, code, in.length, 0, &description);
  if (length != in.length) return false;
  const cs_detail& detail = description.detail;

  // Memory first: its address depends on the old register values.
  if (in.map == Map::k0F && in.opcode == 0xf7) ClobberAllMemory(out);  // maskmovq, maskmovdqu: at rdi
  bool may_store = false;
  for (uint32_t i = 0; i < detail.x86.op_count; ++i) {
    const cs_x86_op& operand = detail.x86.operands[i];
    if (operand.type == X86_OP_MEM && (i == 0 || (operand.access & CS_AC_WRITE) != 0)) may_store = true;
  }
  if (may_store) ClobberStore(in, kWidestStore, out);

  for (uint32_t i = 0; i < detail.x86.op_count; ++i) {
    const cs_x86_op& operand = detail.x86.operands[i];
    if (operand.type != X86_OP_REG || (i != 0 && (operand.access & CS_AC_WRITE) == 0)) continue;
    if (!ClobberRegister(static_cast<unsigned>(operand.reg), out)) return false;
  }
  for (uint32_t i = 0; i < detail.regs_write_count; ++i)
    if (!ClobberRegister(detail.regs_write[i], out)) return false;
  return true;
}

}  // namespace softlbr::x86
