// What x87, system and state-management instructions write.
//
// The x87 stack is not modelled: any x87 instruction makes mm0..mm7 UNKNOWN, which also covers MMX state. Privileged
// instructions are refused: they fault in user mode.
#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {
namespace {

// Number of bytes stored by the x87 memory form; 0 if it stores nothing.
uint32_t X87StoreBytes(uint32_t opcode, uint32_t extension) {
  // clang-format off
  switch (opcode) {
    case 0xd9:
      switch (extension) {
        case 2: case 3: return 4;
        case 6: return 28;  // fnstenv
        case 7: return 2;   // fnstcw
        default: return 0;
      }
    case 0xdb:
      switch (extension) {
        case 1: case 2: case 3: return 4;
        case 7: return 10;
        default: return 0;
      }
    case 0xdd:
      switch (extension) {
        case 1: case 2: case 3: return 8;
        case 6: return 108;  // fnsave
        case 7: return 2;    // fnstsw
        default: return 0;
      }
    case 0xdf:
      switch (extension) {
        case 1: case 2: case 3: return 2;
        case 6: return 10;
        case 7: return 8;
        default: return 0;
      }
    default:
      return 0;
  }
  // clang-format on
}

void ClobberAllVectorState(BlockBuilder* out) {
  for (uint32_t i = 0; i < SOFTLBR_VECTOR_REGISTERS; ++i) ClobberVector(i, 64, false, out);
  out->Add(SOFTLBR_OP_UNKNOWN, 64, SOFTLBR_X86_K0, 0);
  ClobberX87Registers(out);
  out->AddUnknown(SOFTLBR_X86_MXCSR);
  out->Add(SOFTLBR_OP_ROUNDING, 4, 0, SOFTLBR_X86_MXCSR, 0, 0x1f80, 6);
}

void ClobberGprs(uint32_t mask, BlockBuilder* out) {
  for (uint32_t i = 0; i < 16; ++i)
    if (mask >> i & 1) out->AddUnknown(GprSlot(i));
}
enum GprMask : uint32_t { kRax = 1, kRcx = 2, kRdx = 4, kRbx = 8 };

void ClobberStoreOrGpr(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (in.mod == 3) {
    out->AddUnknown(GprSlot(in.rm));
  } else {
    ClobberStore(in, bytes, out);
  }
}

// fs and gs selectors: the kernel determines the base that a selector loads.
void ClobberSegmentBase(uint32_t selector, BlockBuilder* out) {
  if (selector == 4) out->AddUnknown(SOFTLBR_X86_FS_BASE);
  if (selector == 5) out->AddUnknown(SOFTLBR_X86_GS_BASE);
}

// 0f 01, register forms.
Answer Group7Register(const Instruction& in, BlockBuilder* out) {
  const uint32_t modrm = 0xc0u | in.Extension() << 3 | (in.rm & 7u);
  // clang-format off
  switch (modrm) {
    case 0xc8: case 0xc9: case 0xfa: case 0xfb:  // monitor, mwait and their variants
      return Answer::kRefused;
    case 0xd0: case 0xee:  // xgetbv; rdpkru / clui
      ClobberGprs(kRax | kRdx, out);
      return Answer::kDone;
    case 0xd5: case 0xe8: case 0xe9: case 0xea: case 0xef:  // xend, serialize, xresldtrk, saveprevssp, wrpkru / stui
      return Answer::kDone;
    case 0xd6: case 0xed:  // xtest, testui
      ClobberFlags(out);
      return Answer::kDone;
    case 0xe0: case 0xe1: case 0xe2: case 0xe3: case 0xe4: case 0xe5: case 0xe6: case 0xe7:  // smsw
      out->AddUnknown(GprSlot(in.rm));
      return Answer::kDone;
    case 0xf9:
      ClobberGprs(kRax | kRcx | kRdx, out);
      return Answer::kDone;
    case 0xfc:  // clzero: a cache line around rax
      if (in.pp != Pp::kNone) return Answer::kRefused;
      ClobberAllMemory(out);
      return Answer::kDone;
    case 0xfd:
      ClobberGprs(kRax | kRdx, out);
      ClobberFlags(out);
      return Answer::kDone;
    default:
      return Answer::kRefused;
  }
  // clang-format on
}

Answer Group15Memory(const Instruction& in, BlockBuilder* out) {
  if (in.pp == Pp::k66) return Answer::kDone;  // clwb, clflushopt
  if (in.pp == Pp::kF3) {
    if (in.Extension() == 6) ClobberFlags(out);  // clrssbsy
    return Answer::kDone;
  }
  // clang-format off
  switch (in.Extension()) {
    case 0:
      ClobberStore(in, 512, out);
      return Answer::kDone;
    case 1: case 5:
      ClobberAllVectorState(out);
      return Answer::kDone;
    case 2:
      out->AddUnknown(SOFTLBR_X86_MXCSR);
      out->Add(SOFTLBR_OP_ROUNDING, 4, 0, SOFTLBR_X86_MXCSR, 0, 0x1f80, 6);
      return Answer::kDone;
    case 3:
      ClobberStore(in, 4, out);
      return Answer::kDone;
    case 4: case 6:  // xsave, xsaveopt: the length depends on the CPU and on edx:eax
      ClobberAllMemory(out);
      return Answer::kDone;
    default:  // clflush
      return Answer::kDone;
  }
  // clang-format on
}

Answer Group15Register(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.pp) {
    case Pp::kF3:
      switch (in.Extension()) {
        case 0: case 1:
          out->AddUnknown(GprSlot(in.rm));
          return Answer::kDone;
        case 2: case 3:
          ClobberSegmentBase(in.Extension() + 2, out);
          return Answer::kDone;
        default:  // ptwrite, incssp, umonitor
          return Answer::kDone;
      }
    case Pp::kNone:  // fences
      return Answer::kDone;
    default:  // tpause, umwait
      ClobberFlags(out);
      return Answer::kDone;
  }
  // clang-format on
}

Answer System0F(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x00:
      if (in.Extension() <= 1) {
        ClobberStoreOrGpr(in, 2, out);
        return Answer::kDone;
      }
      if (in.Extension() <= 3) return Answer::kRefused;
      ClobberFlags(out);  // verr, verw
      return Answer::kDone;
    case 0x01:
      if (in.mod == 3) return Group7Register(in, out);
      if (in.Extension() <= 1) {  // sgdt, sidt
        ClobberStore(in, 10, out);
        return Answer::kDone;
      }
      if (in.Extension() == 4) {  // smsw
        ClobberStore(in, 2, out);
        return Answer::kDone;
      }
      return Answer::kRefused;
    case 0x02: case 0x03:
      out->AddUnknown(GprSlot(in.reg));
      ClobberFlags(out);
      return Answer::kDone;
    case 0x0e: case 0x77:
      return Answer::kDone;
    case 0x06: case 0x08: case 0x09: case 0x20: case 0x21: case 0x22: case 0x23: case 0x30: case 0x32: case 0x37:
    case 0x78: case 0x79:
      return Answer::kRefused;
    case 0x1b:  // bndmov, bndstx; nops without MPX
      if (in.IsMemory() && (in.pp == Pp::k66 || in.pp == Pp::kNone)) ClobberAllMemory(out);
      return Answer::kDone;
    case 0x18: case 0x19: case 0x1a: case 0x1c: case 0x1d: case 0x1f: case 0x0d:
      return Answer::kDone;
    case 0x1e:  // rdssp writes its register if shadow stacks are on; all others are hints
      if (in.pp == Pp::kF3 && in.mod == 3 && in.Extension() == 1) out->AddUnknown(GprSlot(in.rm));
      return Answer::kDone;
    case 0x31: case 0x33:
      ClobberGprs(kRax | kRdx, out);
      return Answer::kDone;
    case 0xa1: case 0xa9:  // pop fs, pop gs
      ClobberSegmentBase(in.opcode == 0xa1 ? 4 : 5, out);
      out->AddUnknown(SOFTLBR_X86_RSP);
      return Answer::kDone;
    case 0xa2:
      ClobberGprs(kRax | kRcx | kRdx | kRbx, out);
      return Answer::kDone;
    case 0xae:
      return in.mod == 3 ? Group15Register(in, out) : Group15Memory(in, out);
    case 0xb2: case 0xb4: case 0xb5:
      ClobberSegmentBase(in.opcode & 7u, out);
      out->AddUnknown(GprSlot(in.reg));
      return Answer::kDone;
    case 0xc7:
      if (in.mod == 3) {
        if (in.pp == Pp::kF3 && in.Extension() == 6) return Answer::kRefused;  // senduipi
        out->AddUnknown(GprSlot(in.rm));
        if (in.pp != Pp::kF3) ClobberFlags(out);
        return Answer::kDone;
      }
      if (in.Extension() == 1) {  // cmpxchg8b, cmpxchg16b
        ClobberStore(in, 16, out);
        ClobberGprs(kRax | kRdx, out);
        ClobberFlags(out);
        return Answer::kDone;
      }
      if (in.Extension() != 4) return Answer::kRefused;
      ClobberAllMemory(out);  // xsavec
      return Answer::kDone;
    default:
      return Answer::kNotMine;
  }
  // clang-format on
}

Answer SystemOneByte(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x6c: case 0x6d: case 0x6e: case 0x6f: case 0xe4: case 0xe5: case 0xe6: case 0xe7: case 0xec: case 0xed:
    case 0xee: case 0xef: case 0xfa: case 0xfb:
      return Answer::kRefused;
    case 0x8c:
      ClobberStoreOrGpr(in, 2, out);
      return Answer::kDone;
    case 0x8e:
      ClobberSegmentBase(in.Extension(), out);
      return Answer::kDone;
    case 0x9b:
      return Answer::kDone;
    case 0xc8:
      ClobberAllMemory(out);
      out->AddUnknown(SOFTLBR_X86_RSP);
      out->AddUnknown(SOFTLBR_X86_RBP);
      return Answer::kDone;
    default:
      return Answer::kNotMine;
  }
  // clang-format on
}

Answer System0F38(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x80: case 0x81: case 0x82: case 0xf5:
      return Answer::kRefused;
    case 0xc8: case 0xc9: case 0xca: case 0xcb: case 0xcc: case 0xcd: case 0xcf: case 0xdb: case 0xdc: case 0xdd:
    case 0xde: case 0xdf:
      ClobberVector(in.reg, 16, false, out);
      return Answer::kDone;
    case 0xf6:
      if (in.pp == Pp::kNone) {  // wrss
        ClobberStore(in, in.w ? 8 : 4, out);
      } else {  // adcx, adox
        out->AddUnknown(GprSlot(in.reg));
        ClobberFlags(out);
      }
      return Answer::kDone;
    case 0xf8:
      ClobberAllMemory(out);  // movdir64b, enqcmd: the register operand is the destination address
      if (in.pp != Pp::k66) ClobberFlags(out);
      return Answer::kDone;
    case 0xf9:
      ClobberStore(in, in.w ? 8 : 4, out);
      return Answer::kDone;
    default:
      return Answer::kNotMine;
  }
  // clang-format on
}

Answer System0F3A(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0xcc: case 0xce: case 0xcf: case 0xdf:  // sha1rnds4, gf2p8affine*, aeskeygenassist
      ClobberVector(in.reg, 16, false, out);
      return Answer::kDone;
    default:
      return Answer::kNotMine;
  }
  // clang-format on
}

}  // namespace

bool ClobberX87(const Instruction& in, BlockBuilder* out) {
  const uint32_t extension = in.Extension();
  if (in.mod != 3) {
    const uint32_t bytes = X87StoreBytes(in.opcode, extension);
    if (bytes != 0) {
      ClobberStore(in, bytes, out);
    } else {
      ProbeOperand(in, out);
    }
    if (in.opcode == 0xd9 && (extension == 5 || extension == 7)) return true;  // fldcw, fnstcw
    if (in.opcode == 0xdd && extension == 7) return true;                      // fnstsw
  } else {
    // fcomi, fucomi and their popping forms
    if ((in.opcode == 0xdb || in.opcode == 0xdf) && (extension == 5 || extension == 6)) ClobberFlags(out);
    if (in.opcode == 0xdf && extension == 4) {  // fnstsw ax
      out->Add(SOFTLBR_OP_UNKNOWN, 2, SOFTLBR_X86_RAX, 0, 0, 0, 0, SOFTLBR_UOP_MERGE);
      return true;
    }
  }
  ClobberX87Registers(out);
  return true;
}

Answer ClobberSystem(const Instruction& in, BlockBuilder* out) {
  switch (in.map) {
    case Map::kOneByte: return SystemOneByte(in, out);
    case Map::k0F: return System0F(in, out);
    case Map::k0F38: return System0F38(in, out);
    case Map::k0F3A: return System0F3A(in, out);
    default: return Answer::kNotMine;
  }
}

}  // namespace softlbr::x86
