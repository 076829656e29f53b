// What legacy MMX and SSE forms write, by opcode. Most opcodes operate on mm registers without a prefix and on xmm
// registers with 66.
//
// Returns false for forms not listed here (prefixes that no manual defines): Capstone, if it is there, is asked about
// those.
#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {
namespace {

constexpr uint32_t kXmmBytes = 16;
constexpr uint32_t kMmxBytes = 8;

bool WriteXmm(uint32_t number, BlockBuilder* out) {
  ClobberVector(number, kXmmBytes, false, out);
  return true;
}
bool WriteMmx(uint32_t number, BlockBuilder* out) {
  out->AddUnknown(MmxSlot(number));
  return true;
}
bool WriteGpr(uint32_t number, BlockBuilder* out) {
  out->AddUnknown(GprSlot(number));
  return true;
}
bool WriteFlags(BlockBuilder* out) {
  ClobberFlags(out);
  return true;
}
// mm without a prefix, xmm with 66.
bool WriteByPrefix(uint32_t number, const Instruction& in, BlockBuilder* out) {
  if (in.pp == Pp::kNone) return WriteMmx(number, out);
  return in.pp == Pp::k66 && WriteXmm(number, out);
}
bool Store(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  ClobberStore(in, bytes, out);
  return true;
}
bool StoreOrXmm(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  return in.mod == 3 ? WriteXmm(in.rm, out) : Store(in, bytes, out);
}
bool StoreOrGpr(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  return in.mod == 3 ? WriteGpr(in.rm, out) : Store(in, bytes, out);
}
bool IsPacked(const Instruction& in) { return in.pp == Pp::kNone || in.pp == Pp::k66; }

bool Map0F(const Instruction& in, BlockBuilder* out) {
  const uint32_t op = in.opcode;
  // clang-format off
  switch (op) {
    case 0x11:
      return StoreOrXmm(in, in.pp == Pp::kF3 ? 4 : in.pp == Pp::kF2 ? 8 : kXmmBytes, out);
    case 0x13: case 0x17:
      return IsPacked(in) && in.mod != 3 && Store(in, 8, out);
    case 0x29:
      return IsPacked(in) && StoreOrXmm(in, kXmmBytes, out);
    case 0x2b:  // movntss and movntsd: AMD's SSE4a
      return in.mod != 3 && Store(in, in.pp == Pp::kF3 ? 4 : in.pp == Pp::kF2 ? 8 : kXmmBytes, out);
    case 0x2c: case 0x2d:
      return IsPacked(in) ? WriteMmx(in.reg, out) : WriteGpr(in.reg, out);
    case 0x2e: case 0x2f:
      return IsPacked(in) && WriteFlags(out);
    case 0x50: case 0xc5: case 0xd7:
      return IsPacked(in) && WriteGpr(in.reg, out);
    case 0x71: case 0x72: case 0x73:
      return WriteByPrefix(in.rm, in, out);
    case 0x6f: case 0x70:
      return in.pp == Pp::kNone ? WriteMmx(in.reg, out) : WriteXmm(in.reg, out);
    case 0x7e:
      if (in.pp == Pp::kF3) return WriteXmm(in.reg, out);
      return IsPacked(in) && StoreOrGpr(in, in.w ? 8 : 4, out);
    case 0x7f:
      if (in.pp != Pp::kNone) return in.pp != Pp::kF2 && StoreOrXmm(in, kXmmBytes, out);
      return in.mod == 3 ? WriteMmx(in.rm, out) : Store(in, kMmxBytes, out);
    case 0xd6:
      switch (in.pp) {
        case Pp::k66: return StoreOrXmm(in, 8, out);
        case Pp::kF3: return in.mod == 3 && WriteXmm(in.reg, out);   // movq2dq
        case Pp::kF2: return in.mod == 3 && WriteMmx(in.reg, out);   // movdq2q
        default: return false;
      }
    case 0xe7:
      return IsPacked(in) && Store(in, in.pp == Pp::k66 ? kXmmBytes : kMmxBytes, out);
    case 0xf7:  // maskmovq, maskmovdqu: at rdi
      if (!IsPacked(in)) return false;
      ClobberAllMemory(out);
      return true;
    case 0xc2: case 0xc6: case 0xe6: case 0xd0: case 0xf0: case 0x7c: case 0x7d: case 0x10: case 0x12: case 0x14:
    case 0x15: case 0x16: case 0x28: case 0x2a:
      return WriteXmm(in.reg, out);
    case 0xc4:
      return WriteByPrefix(in.reg, in, out);
    default:
      break;
  }
  // clang-format on
  if (op >= 0x51 && op <= 0x5f) return WriteXmm(in.reg, out);
  if ((op >= 0x60 && op <= 0x6e) || (op >= 0x74 && op <= 0x76) || (op >= 0xd1 && op <= 0xfe))
    return WriteByPrefix(in.reg, in, out);
  return false;
}

bool Map0F38(const Instruction& in, BlockBuilder* out) {
  const uint32_t op = in.opcode;
  if (op <= 0x0b || (op >= 0x1c && op <= 0x1e)) return WriteByPrefix(in.reg, in, out);
  if (in.pp != Pp::k66 || op > 0x41) return false;
  return op == 0x17 ? WriteFlags(out) : WriteXmm(in.reg, out);
}

bool Map0F3A(const Instruction& in, BlockBuilder* out) {
  if (in.opcode == 0x0f) return WriteByPrefix(in.reg, in, out);
  if (in.pp != Pp::k66) return false;
  // clang-format off
  switch (in.opcode) {
    case 0x14: return StoreOrGpr(in, 1, out);
    case 0x15: return StoreOrGpr(in, 2, out);
    case 0x16: return StoreOrGpr(in, in.w ? 8 : 4, out);
    case 0x17: return StoreOrGpr(in, 4, out);
    case 0x60: case 0x62:
      ClobberFlags(out);
      return WriteXmm(0, out);
    case 0x61: case 0x63:
      ClobberFlags(out);
      return WriteGpr(1, out);
    default:
      return in.opcode <= 0x44 && WriteXmm(in.reg, out);
  }
  // clang-format on
}

}  // namespace

bool ClobberSse(const Instruction& in, BlockBuilder* out) {
  if (in.has_lock) return false;
  switch (in.map) {
    case Map::k0F: return Map0F(in, out);
    case Map::k0F38: return Map0F38(in, out);
    case Map::k0F3A: return Map0F3A(in, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
