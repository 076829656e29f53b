// What VEX and EVEX forms write, by opcode. The decoder accepts only opcodes that exist, so one rule covers the rest:
// an opcode not listed here writes the vector register modrm.reg and zeroes it above the vector length.
#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {
namespace {

bool WriteVector(uint32_t number, const Instruction& in, BlockBuilder* out) {
  ClobberVector(number, in.vector_bytes, true, out);
  return true;
}
bool WriteReg(const Instruction& in, BlockBuilder* out) { return WriteVector(in.reg, in, out); }
bool WriteGpr(uint32_t number, BlockBuilder* out) {
  out->AddUnknown(GprSlot(number));
  return true;
}
bool WriteMask(uint32_t number, BlockBuilder* out) {
  out->AddUnknown(MaskSlot(number));
  return true;
}
bool WriteFlags(BlockBuilder* out) {
  ClobberFlags(out);
  return true;
}
// Store forms write memory or the vector register modrm.rm.
bool StoreOrVector(uint32_t bytes, const Instruction& in, BlockBuilder* out) {
  if (in.mod == 3) return WriteVector(in.rm, in, out);
  ClobberStore(in, bytes, out);
  return true;
}
bool StoreOrGpr(uint32_t bytes, const Instruction& in, BlockBuilder* out) {
  if (in.mod == 3) return WriteGpr(in.rm, out);
  ClobberStore(in, bytes, out);
  return true;
}
bool IsScalarPp(const Instruction& in) { return in.pp == Pp::kF3 || in.pp == Pp::kF2; }

// Opcodes of map 1 common to VEX and EVEX. True if handled.
bool SharedMap1(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x11:
      return StoreOrVector(in.pp == Pp::kF3 ? 4 : in.pp == Pp::kF2 ? 8 : in.vector_bytes, in, out);
    case 0x13: case 0x17:
      return StoreOrVector(8, in, out);
    case 0x29: case 0x2b: case 0x7f: case 0xe7:
      return StoreOrVector(in.vector_bytes, in, out);
    case 0x2c: case 0x2d:
      return WriteGpr(in.reg, out);
    case 0x2e: case 0x2f:
      return WriteFlags(out);
    case 0x71: case 0x72: case 0x73:
      return WriteVector(in.vvvv, in, out);
    case 0x7e:
      if (in.pp == Pp::kF3) return WriteReg(in, out);
      return StoreOrGpr(in.w ? 8 : 4, in, out);
    case 0xc5:
      return WriteGpr(in.reg, out);
    case 0xd6:
      return StoreOrVector(8, in, out);
    default:
      return false;
  }
  // clang-format on
}

// pextr*, extractps, cvtps2ph: identical in VEX and EVEX map 3.
bool SharedMap3(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x14:
      return StoreOrGpr(1, in, out);
    case 0x15:
      return StoreOrGpr(2, in, out);
    case 0x16:
      return StoreOrGpr(in.w ? 8 : 4, in, out);
    case 0x17:
      return StoreOrGpr(4, in, out);
    case 0x19: case 0x39:
      return StoreOrVector(16, in, out);
    case 0x1d:
      return StoreOrVector(in.vector_bytes / 2u, in, out);
    default:
      return false;
  }
  // clang-format on
}

bool VexMap1(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x41: case 0x42: case 0x44: case 0x45: case 0x46: case 0x47: case 0x4a: case 0x4b: case 0x90: case 0x92:
      return WriteMask(in.reg, out);
    case 0x91:
      ClobberStore(in, 8, out);  // 1, 2, 4 or 8 bytes: takes the largest
      return true;
    case 0x93: case 0x50: case 0xd7:
      return WriteGpr(in.reg, out);
    case 0x98: case 0x99:
      return WriteFlags(out);
    case 0x77:  // vzeroupper, vzeroall: modelled exactly
      for (uint32_t i = 0; i < 16; ++i)
        out->Add(SOFTLBR_OP_VZERO_ABOVE, in.vector_bytes == 32 ? 0 : 16, VectorSlot(i), 0);
      return true;
    case 0xae:
      if (in.Extension() == 3) {
        ClobberStore(in, 4, out);
        return true;
      }
      out->AddUnknown(SOFTLBR_X86_MXCSR);
      out->Add(SOFTLBR_OP_ROUNDING, 4, 0, SOFTLBR_X86_MXCSR, 0, 0x1f80, 6);
      return true;
    case 0xf7:  // vmaskmovdqu: up to 16 bytes at rdi
      if (in.segment != Segment::kNone || in.is_address_32) {
        ClobberAllMemory(out);
      } else {
        out->Add(SOFTLBR_OP_STORE_UNKNOWN, 16, SOFTLBR_REG_ZERO, SOFTLBR_X86_RDI);
      }
      return true;
    default:
      return SharedMap1(in, out) || WriteReg(in, out);
  }
  // clang-format on
}

bool VexMap2(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x0e: case 0x0f: case 0x17:  // vtestps, vtestpd, vptest
      return WriteFlags(out);
    case 0x2e: case 0x2f: case 0x8e:  // masked stores: any byte may be written
      ClobberStore(in, in.vector_bytes, out);
      return true;
    case 0x90: case 0x91: case 0x92: case 0x93:  // gathers also clear their mask
      WriteVector(in.vvvv, in, out);
      return WriteReg(in, out);
    case 0xf2:
      ClobberFlags(out);
      return WriteGpr(in.reg, out);
    case 0xf3:
      ClobberFlags(out);
      return WriteGpr(in.vvvv, out);
    case 0xf5: case 0xf7:
      if (in.pp == Pp::kNone) ClobberFlags(out);  // bzhi, bextr
      return WriteGpr(in.reg, out);
    case 0xf6:
      WriteGpr(in.vvvv, out);
      return WriteGpr(in.reg, out);
    default:
      return WriteReg(in, out);
  }
  // clang-format on
}

bool VexMap3(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x30: case 0x31: case 0x32: case 0x33:
      return WriteMask(in.reg, out);
    case 0x60: case 0x62:
      ClobberFlags(out);
      return WriteVector(0, in, out);
    case 0x61: case 0x63:
      ClobberFlags(out);
      return WriteGpr(1, out);
    case 0xf0:
      return WriteGpr(in.reg, out);
    default:
      return SharedMap3(in, out) || WriteReg(in, out);
  }
  // clang-format on
}

bool EvexMap1(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x64: case 0x65: case 0x66: case 0x74: case 0x75: case 0x76: case 0xc2:
      return WriteMask(in.reg, out);
    case 0x78: case 0x79:
      return IsScalarPp(in) ? WriteGpr(in.reg, out) : WriteReg(in, out);
    default:
      return SharedMap1(in, out) || WriteReg(in, out);
  }
  // clang-format on
}

bool EvexMap2(const Instruction& in, BlockBuilder* out) {
  const bool is_f3 = in.pp == Pp::kF3;
  // clang-format off
  switch (in.opcode) {
    case 0x10: case 0x20: case 0x30: case 0x13: case 0x23: case 0x33: case 0x15: case 0x25: case 0x35:
      return is_f3 ? StoreOrVector(in.vector_bytes / 2u, in, out) : WriteReg(in, out);
    case 0x11: case 0x21: case 0x31: case 0x14: case 0x24: case 0x34:
      return is_f3 ? StoreOrVector(in.vector_bytes / 4u, in, out) : WriteReg(in, out);
    case 0x12: case 0x22: case 0x32:
      return is_f3 ? StoreOrVector(in.vector_bytes / 8u, in, out) : WriteReg(in, out);
    case 0x26: case 0x27: case 0x29: case 0x37: case 0x8f:
      return WriteMask(in.reg, out);
    case 0x39:
      return is_f3 ? WriteMask(in.reg, out) : WriteReg(in, out);
    case 0x63: case 0x8a: case 0x8b:  // compress
      return StoreOrVector(in.vector_bytes, in, out);
    case 0x68:  // vp2intersect: a pair of masks
      WriteMask(in.reg & ~1u, out);
      return WriteMask(in.reg | 1u, out);
    case 0x90: case 0x91: case 0x92: case 0x93:
      WriteMask(in.mask, out);
      return WriteReg(in, out);
    case 0xa0: case 0xa1: case 0xa2: case 0xa3:
      WriteMask(in.mask, out);
      ClobberAllMemory(out);
      return true;
    case 0xc6: case 0xc7:
      return true;  // prefetches
    default:
      return WriteReg(in, out);
  }
  // clang-format on
}

bool EvexMap3(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x1e: case 0x1f: case 0x3e: case 0x3f: case 0x66: case 0x67: case 0xc2:
      return WriteMask(in.reg, out);
    case 0x1b: case 0x3b:
      return StoreOrVector(32, in, out);
    default:
      return SharedMap3(in, out) || WriteReg(in, out);
  }
  // clang-format on
}

bool EvexMap5(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x11:
      return StoreOrVector(2, in, out);
    case 0x2c: case 0x2d:
      return WriteGpr(in.reg, out);
    case 0x2e: case 0x2f:
      return WriteFlags(out);
    case 0x78: case 0x79:
      return IsScalarPp(in) ? WriteGpr(in.reg, out) : WriteReg(in, out);
    case 0x7e:
      return StoreOrGpr(2, in, out);
    default:
      return WriteReg(in, out);
  }
  // clang-format on
}

}  // namespace

bool ClobberVex(const Instruction& in, BlockBuilder* out) {
  switch (in.map) {
    case Map::k0F: return VexMap1(in, out);
    case Map::k0F38: return VexMap2(in, out);
    case Map::k0F3A: return VexMap3(in, out);
    default: return false;
  }
}

bool ClobberEvex(const Instruction& in, BlockBuilder* out) {
  switch (in.map) {
    case Map::k0F: return EvexMap1(in, out);
    case Map::k0F38: return EvexMap2(in, out);
    case Map::k0F3A: return EvexMap3(in, out);
    case Map::kMap5: return EvexMap5(in, out);
    case Map::kMap6: return WriteReg(in, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
