// EVEX compressed displacements: disp8 is scaled by the size of the memory operand ("tuple type" in the manuals).
//
// The displacement of an opcode that is missing here is not exact: its address is UNKNOWN.
#include "decoders/x86_64/decode/opcode_forms.h"

namespace softlbr::x86 {
namespace {

// Tuple types, named as in the manuals. `element` is the element size in bytes.
uint32_t Full(const Instruction& in, uint32_t element) { return in.is_broadcast ? element : in.vector_bytes; }
uint32_t Full(const Instruction& in) { return Full(in, in.w ? 8 : 4); }
uint32_t Half(const Instruction& in, uint32_t element) { return in.is_broadcast ? element : in.vector_bytes / 2u; }
uint32_t Quarter(const Instruction& in, uint32_t element) { return in.is_broadcast ? element : in.vector_bytes / 4u; }
uint32_t FullMem(const Instruction& in) { return in.vector_bytes; }
uint32_t Scalar(const Instruction& in) { return in.w ? 8 : 4; }

// ps, pd, ss or sd, by mandatory prefix.
uint32_t PackedOrScalarFloat(const Instruction& in) {
  switch (in.pp) {
    case Pp::kF3: return 4;
    case Pp::kF2: return 8;
    default: return Full(in);
  }
}

uint32_t Map1(const Instruction& in) {
  const bool is_scalar_pp = in.pp == Pp::kF3 || in.pp == Pp::kF2;
  // clang-format off
  switch (in.opcode) {
    case 0x10: case 0x11:
      return in.pp == Pp::kF3 ? 4 : in.pp == Pp::kF2 ? 8 : FullMem(in);
    case 0x12:
      if (in.pp == Pp::kF2) return in.vector_bytes == 16 ? 8 : FullMem(in);  // movddup
      return in.pp == Pp::kF3 ? FullMem(in) : 8;
    case 0x16:
      return in.pp == Pp::kF3 ? FullMem(in) : 8;
    case 0x13: case 0x17:
      return 8;
    case 0x14: case 0x15:
      return Full(in);
    case 0x28: case 0x29: case 0x2b:
      return FullMem(in);
    case 0x2a:
      return Scalar(in);
    case 0x2c: case 0x2d:
      return in.pp == Pp::kF3 ? 4 : 8;
    case 0x2e: case 0x2f:
      return in.pp == Pp::k66 ? 8 : 4;
    case 0x51: case 0x58: case 0x59: case 0x5c: case 0x5d: case 0x5e: case 0x5f: case 0xc2:
      return PackedOrScalarFloat(in);
    case 0x5a:
      return in.pp == Pp::kNone ? Half(in, 4) : PackedOrScalarFloat(in);
    case 0x54: case 0x55: case 0x56: case 0x57: case 0x5b: case 0x62: case 0x66: case 0x6a: case 0x6b: case 0x6c:
    case 0x6d: case 0x72: case 0x76: case 0xc6: case 0xd4: case 0xdb: case 0xdf: case 0xeb: case 0xef: case 0xf4:
    case 0xfa: case 0xfb: case 0xfe:
      return Full(in);
    case 0x60: case 0x61: case 0x63: case 0x64: case 0x65: case 0x67: case 0x68: case 0x69: case 0x6f: case 0x71:
    case 0x74: case 0x75: case 0x7f: case 0xd5: case 0xd8: case 0xd9: case 0xda: case 0xdc: case 0xdd: case 0xde:
    case 0xe0: case 0xe3: case 0xe4: case 0xe5: case 0xe7: case 0xe8: case 0xe9: case 0xea: case 0xec: case 0xed:
    case 0xee: case 0xf5: case 0xf6: case 0xf8: case 0xf9: case 0xfc: case 0xfd:
      return FullMem(in);
    case 0x6e:
      return Scalar(in);
    case 0x7e:
      return in.pp == Pp::kF3 ? 8 : Scalar(in);
    case 0x70:
      return in.pp == Pp::k66 ? Full(in) : FullMem(in);
    case 0x73:
      return in.Extension() == 3 || in.Extension() == 7 ? FullMem(in) : Full(in);
    case 0x78: case 0x79:
      if (is_scalar_pp) return in.pp == Pp::kF3 ? 4 : 8;
      return in.pp == Pp::k66 && !in.w ? Half(in, 4) : Full(in);
    case 0x7a:
      return (in.pp == Pp::k66 || in.pp == Pp::kF3) && !in.w ? Half(in, 4) : Full(in);
    case 0x7b:
      if (is_scalar_pp) return Scalar(in);
      return !in.w ? Half(in, 4) : Full(in);
    case 0xc4:
      return 2;
    case 0xd1: case 0xd2: case 0xd3: case 0xe1: case 0xe2: case 0xf1: case 0xf2: case 0xf3:
      return 16;
    case 0xd6:
      return 8;
    case 0xe6:
      return in.pp == Pp::kF3 && !in.w ? Half(in, 4) : Full(in);
    default:
      return 0;
  }
  // clang-format on
}

// FMA rows 9x, ax, bx: true for the opcodes that are scalar.
bool IsFmaScalar(uint32_t low) { return low == 9 || low == 11 || low == 13 || low == 15; }

uint32_t Map2(const Instruction& in) {
  const bool is_f3 = in.pp == Pp::kF3;
  // clang-format off
  switch (in.opcode) {
    case 0x00: case 0x04: case 0x0b: case 0x1c: case 0x1d: case 0x26: case 0x2a: case 0x3c: case 0x3e: case 0x54:
    case 0x66: case 0x70: case 0x75: case 0x7d: case 0x8d: case 0x8f: case 0xcf: case 0xdc: case 0xdd: case 0xde:
    case 0xdf:
      return FullMem(in);
    case 0x10: case 0x20: case 0x30: case 0x13: case 0x23: case 0x33: case 0x15: case 0x25: case 0x35:
      if (in.opcode == 0x10 && !is_f3) return FullMem(in);  // vpsrlvw
      if (in.opcode == 0x15 && !is_f3) return Full(in);     // vprolv
      return in.vector_bytes / 2u;
    case 0x11: case 0x21: case 0x31: case 0x14: case 0x24: case 0x34:
      if (in.opcode == 0x11 && !is_f3) return FullMem(in);  // vpsravw
      if (in.opcode == 0x14 && !is_f3) return Full(in);     // vprorv
      return in.vector_bytes / 4u;
    case 0x12: case 0x22: case 0x32:
      if (in.opcode == 0x12 && !is_f3) return FullMem(in);  // vpsllvw
      return in.vector_bytes / 8u;
    case 0x38: case 0x3a:
      return is_f3 ? 0 : FullMem(in);
    case 0x28: case 0x29: case 0x39:
      return is_f3 ? 0 : Full(in);
    case 0x0c: case 0x0d: case 0x16: case 0x1e: case 0x1f: case 0x27: case 0x2b: case 0x2c: case 0x36: case 0x37:
    case 0x3b: case 0x3d: case 0x3f: case 0x40: case 0x42: case 0x44: case 0x45: case 0x46: case 0x47: case 0x4c:
    case 0x4e: case 0x50: case 0x51: case 0x55: case 0x64: case 0x65: case 0x68: case 0x71: case 0x73: case 0x76:
    case 0x77: case 0x7e: case 0x7f: case 0x83: case 0xb4: case 0xb5: case 0xc4: case 0xc8: case 0xca: case 0xcc:
      return Full(in);
    case 0x52: case 0x53:
      return in.pp == Pp::kF2 ? 16 : Full(in);
    case 0x72:
      return in.pp == Pp::k66 ? FullMem(in) : Full(in);
    case 0x18: case 0x58:
      return 4;
    case 0x19: case 0x59:
      return 8;
    case 0x1a: case 0x5a:
      return 16;
    case 0x1b: case 0x5b:
      return 32;
    case 0x78:
      return 1;
    case 0x79:
      return 2;
    case 0x62: case 0x63:
      return in.w ? 2 : 1;
    case 0x2d: case 0x43: case 0x4d: case 0x4f: case 0x88: case 0x89: case 0x8a: case 0x8b: case 0x90: case 0x91:
    case 0x92: case 0x93: case 0xa0: case 0xa1: case 0xa2: case 0xa3: case 0xc6: case 0xc7: case 0xcb: case 0xcd:
      return Scalar(in);
    case 0x96: case 0x97: case 0x98: case 0x99: case 0x9a: case 0x9b: case 0x9c: case 0x9d: case 0x9e: case 0x9f:
    case 0xa6: case 0xa7: case 0xa8: case 0xa9: case 0xaa: case 0xab: case 0xac: case 0xad: case 0xae: case 0xaf:
    case 0xb6: case 0xb7: case 0xb8: case 0xb9: case 0xba: case 0xbb: case 0xbc: case 0xbd: case 0xbe: case 0xbf:
      if (in.pp == Pp::kF2) return 16;  // 4-iteration forms
      return IsFmaScalar(in.opcode & 15u) ? Scalar(in) : Full(in);
    default:
      return 0;
  }
  // clang-format on
}

uint32_t Map3(const Instruction& in) {
  const bool is_fp16 = in.pp == Pp::kNone;
  // clang-format off
  switch (in.opcode) {
    case 0x08: case 0x26: case 0x56:
      return is_fp16 ? Full(in, 2) : Full(in);
    case 0x66:
      return is_fp16 ? Full(in, 2) : Full(in);
    case 0x0a: case 0x27: case 0x57: case 0x67:
      return is_fp16 ? 2 : Scalar(in);
    case 0xc2:
      return in.pp == Pp::kF3 ? 2 : Full(in, 2);
    case 0x00: case 0x01: case 0x03: case 0x04: case 0x05: case 0x09: case 0x1e: case 0x1f: case 0x23: case 0x25:
    case 0x43: case 0x50: case 0x54: case 0x71: case 0x73: case 0xce: case 0xcf:
      return Full(in);
    case 0x0b: case 0x16: case 0x22: case 0x51: case 0x55:
      return Scalar(in);
    case 0x0f: case 0x3e: case 0x3f: case 0x42: case 0x44: case 0x70: case 0x72:
      return FullMem(in);
    case 0x14: case 0x20:
      return 1;
    case 0x15:
      return 2;
    case 0x17: case 0x21:
      return 4;
    case 0x18: case 0x19: case 0x38: case 0x39:
      return 16;
    case 0x1a: case 0x1b: case 0x3a: case 0x3b:
      return 32;
    case 0x1d:
      return in.vector_bytes / 2u;
    default:
      return 0;
  }
  // clang-format on
}

uint32_t Map5(const Instruction& in) {
  // clang-format off
  switch (in.opcode) {
    case 0x10: case 0x11: case 0x2c: case 0x2d: case 0x2e: case 0x2f: case 0x6e: case 0x7e:
      return 2;
    case 0x1d:
      return in.pp == Pp::k66 ? Full(in, 4) : 4;
    case 0x2a:
      return Scalar(in);
    case 0x51: case 0x58: case 0x59: case 0x5c: case 0x5d: case 0x5e: case 0x5f:
      return in.pp == Pp::kF3 ? 2 : Full(in, 2);
    case 0x5a:
      switch (in.pp) {
        case Pp::kNone: return Quarter(in, 2);
        case Pp::k66: return Full(in, 8);
        case Pp::kF3: return 2;
        default: return 8;
      }
    case 0x5b:
      return in.pp == Pp::kNone ? Full(in) : Half(in, 2);
    case 0x78: case 0x79:
      switch (in.pp) {
        case Pp::kNone: return Half(in, 2);
        case Pp::k66: return Quarter(in, 2);
        case Pp::kF3: return 2;
        default: return 0;
      }
    case 0x7a:
      return in.pp == Pp::k66 ? Quarter(in, 2) : Full(in);
    case 0x7b:
      return in.pp == Pp::k66 ? Quarter(in, 2) : Scalar(in);
    case 0x7c: case 0x7d:
      return Full(in, 2);
    default:
      return 0;
  }
  // clang-format on
}

uint32_t Map6(const Instruction& in) {
  // clang-format off
  switch (in.opcode) {
    case 0x13:
      return in.pp == Pp::k66 ? Half(in, 2) : 2;
    case 0x56: case 0xd6:
      return Full(in, 4);
    case 0x57: case 0xd7:
      return 4;
    case 0x2c: case 0x42: case 0x4c: case 0x4e:
      return Full(in, 2);
    case 0x2d: case 0x43: case 0x4d: case 0x4f:
      return 2;
    default:  // FMA rows
      return IsFmaScalar(in.opcode & 15u) ? 2 : Full(in, 2);
  }
  // clang-format on
}

}  // namespace

uint32_t EvexDisplacementScale(const Instruction& in) {
  switch (in.map) {
    case Map::k0F: return Map1(in);
    case Map::k0F38: return Map2(in);
    case Map::k0F3A: return Map3(in);
    case Map::kMap5: return Map5(in);
    case Map::kMap6: return Map6(in);
    default: return 0;
  }
}

}  // namespace softlbr::x86
