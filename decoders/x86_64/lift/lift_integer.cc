// Dispatches general-purpose instructions to their families (scalar_operands.h). Other forms are left to LiftVector,
// LiftFloat and the clobberer.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

bool OneByte(const Instruction& in, BlockBuilder* out) {
  const uint8_t opcode = in.opcode;
  if (opcode < 0x40) return LiftAlu(in, out);
  if (opcode < 0x60) return LiftStack(in, out);
  // clang-format off
  switch (opcode) {
    case 0x63:
      return LiftExtend(in, out);
    case 0x68: case 0x6a: case 0x8f: case 0x9c: case 0x9d: case 0xc8: case 0xc9:
      return LiftStack(in, out);
    case 0x69: case 0x6b:
      return LiftMultiply(in, out);
    case 0x80: case 0x81: case 0x83:
      return LiftAluGroup(in, out);
    case 0x84: case 0x85: case 0xa8: case 0xa9:
      return LiftTest(in, out);
    case 0x86: case 0x87:
    case 0x90: case 0x91: case 0x92: case 0x93: case 0x94: case 0x95: case 0x96: case 0x97:
      return LiftExchange(in, out);
    case 0x88: case 0x89: case 0x8a: case 0x8b: case 0xa0: case 0xa1: case 0xa2: case 0xa3: case 0xc6: case 0xc7:
    case 0xb0: case 0xb1: case 0xb2: case 0xb3: case 0xb4: case 0xb5: case 0xb6: case 0xb7:
    case 0xb8: case 0xb9: case 0xba: case 0xbb: case 0xbc: case 0xbd: case 0xbe: case 0xbf:
      return LiftMove(in, out);
    case 0x8d:
      return LiftLea(in, out);
    case 0xa4: case 0xa5: case 0xa6: case 0xa7: case 0xaa: case 0xab: case 0xac: case 0xad: case 0xae: case 0xaf:
      return LiftString(in, out);
    case 0x98: case 0x99: case 0x9e: case 0x9f: case 0xd7: case 0xf5: case 0xf8: case 0xf9: case 0xfc: case 0xfd:
      return LiftMisc(in, out);
    case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3:
      return LiftShift(in, out);
    case 0xf6: case 0xf7:
      return LiftGroup3(in, out);
    case 0xfe: case 0xff:
      return in.Extension() == 6 ? LiftStack(in, out) : LiftIncDec(in, out);
    default:
      return false;
  }
  // clang-format on
}

bool TwoByte(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x01: case 0x0d: case 0x18: case 0x19: case 0x1a: case 0x1c: case 0x1d: case 0x1e: case 0x1f: case 0xae:
    case 0xc3:
    case 0xc8: case 0xc9: case 0xca: case 0xcb: case 0xcc: case 0xcd: case 0xce: case 0xcf:
      return LiftMisc0F(in, out);
    case 0x40: case 0x41: case 0x42: case 0x43: case 0x44: case 0x45: case 0x46: case 0x47:
    case 0x48: case 0x49: case 0x4a: case 0x4b: case 0x4c: case 0x4d: case 0x4e: case 0x4f:
    case 0x90: case 0x91: case 0x92: case 0x93: case 0x94: case 0x95: case 0x96: case 0x97:
    case 0x98: case 0x99: case 0x9a: case 0x9b: case 0x9c: case 0x9d: case 0x9e: case 0x9f:
      return LiftConditional(in, out);
    case 0xa0: case 0xa8:
      return LiftStack(in, out);
    case 0xa3: case 0xab: case 0xb3: case 0xbb: case 0xba:
      return LiftBitTest(in, out);
    case 0xa4: case 0xa5: case 0xac: case 0xad:
      return LiftDoubleShift(in, out);
    case 0xaf:
      return LiftMultiply(in, out);
    case 0xb0: case 0xb1: case 0xc0: case 0xc1:
      return LiftExchange(in, out);
    case 0xb6: case 0xb7: case 0xbe: case 0xbf:
      return LiftExtend(in, out);
    case 0xb8: case 0xbc: case 0xbd:
      return LiftBitScan(in, out);
    default:
      return false;
  }
  // clang-format on
}

}  // namespace

bool LiftInteger(const Instruction& in, BlockBuilder* out) {
  if (in.encoding == Encoding::kLegacy) {
    switch (in.map) {
      case Map::kOneByte: return OneByte(in, out);
      case Map::k0F: return TwoByte(in, out);
      case Map::k0F38:
        if (in.opcode == 0xf0 || in.opcode == 0xf1 || in.opcode == 0xf9) return LiftMisc0F38(in, out);
        if (in.opcode == 0xf6 && in.pp != Pp::kNone) return LiftAdcxAdox(in, out);
        return false;
      default: return false;
    }
  }
  if (in.encoding != Encoding::kVex) return false;
  if (in.map == Map::k0F38 ? in.opcode >= 0xf2 : in.map == Map::k0F3A && in.opcode == 0xf0)
    return LiftVexInteger(in, out);
  return false;
}

}  // namespace softlbr::x86
