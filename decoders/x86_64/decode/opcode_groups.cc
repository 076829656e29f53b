// Group rules of kChecked opcodes: the modrm bytes that are instructions.
//
// Forms that the manuals do not list are unknown. Lengths do not depend on these rules.
#include "decoders/x86_64/decode/opcode_forms.h"

namespace softlbr::x86 {
namespace {

// x87 register forms (modrm c0..ff) of opcodes d8..df: bit (modrm - c0) is set if the form exists. Undocumented aliases
// that every processor executes are included.
bool IsValidX87Register(uint8_t opcode, uint8_t modrm) {
  switch (opcode) {
    case 0xd9:
      if (modrm >= 0xd1 && modrm <= 0xd7) return false;
      return modrm != 0xe2 && modrm != 0xe3 && modrm != 0xe6 && modrm != 0xe7 && modrm != 0xef;
    case 0xda: return modrm < 0xe0 || modrm == 0xe9;
    case 0xdb: return modrm < 0xe5 || (modrm >= 0xe8 && modrm < 0xf8);
    case 0xdd: return modrm < 0xf0;
    case 0xde: return modrm < 0xd8 || modrm == 0xd9 || modrm >= 0xe0;
    case 0xdf: return modrm <= 0xe0 || (modrm >= 0xe8 && modrm < 0xf8);
    default: return true;
  }
}

bool IsValidX87Memory(uint8_t opcode, uint32_t extension) {
  switch (opcode) {
    case 0xd9: return extension != 1;
    case 0xdb: return extension != 4 && extension != 6;
    case 0xdd: return extension != 5;
    default: return true;
  }
}

bool IsValidOneByte(const Instruction& in, uint8_t modrm) {
  const uint32_t extension = in.Extension();
  switch (in.opcode) {
    case 0x8c: return extension <= 5;
    case 0x8e: return extension <= 5 && extension != 1;
    case 0x8f: return extension == 0;                   // others: XOP
    case 0xc6: return extension == 0 || modrm == 0xf8;  // mov, xabort
    case 0xc7:
      // mov, xbegin. With 66, xbegin has a 16-bit displacement; no compiler emits it: unknown.
      return extension == 0 || (modrm == 0xf8 && in.operand_bytes != 2);
    case 0xfe: return extension <= 1;
    case 0xff: return extension <= 6 && !(in.mod == 3 && (extension == 3 || extension == 5));
    default: return in.mod == 3 ? IsValidX87Register(in.opcode, modrm) : IsValidX87Memory(in.opcode, extension);
  }
}

// 0f 01, register forms.
bool IsValidGroup7Register(const Instruction& in, uint8_t modrm) {
  if (modrm >= 0xd8 && modrm <= 0xe7) return true;  // SVM, smsw
  if (modrm >= 0xf0) return modrm < 0xf8 || in.pp == Pp::kNone || modrm >= 0xfa;
  // clang-format off
  switch (modrm) {
    case 0xc0: case 0xc1: case 0xc2: case 0xc3: case 0xc4: case 0xc5:
    case 0xc8: case 0xc9: case 0xca: case 0xcb: case 0xcf:
    case 0xd0: case 0xd1: case 0xd4: case 0xd5: case 0xd6: case 0xd7:
      return in.pp == Pp::kNone;
    case 0xe8:
      return in.pp != Pp::k66;  // serialize, setssbsy, xsusldtrk
    case 0xe9:
      return in.pp == Pp::kF2;  // xresldtrk
    case 0xea: case 0xec: case 0xed:
      return in.pp == Pp::kF3;  // saveprevssp, uiret, testui
    case 0xee: case 0xef:
      return in.pp == Pp::kNone || in.pp == Pp::kF3;  // rdpkru wrpkru, clui stui
    default:
      return false;
  }
  // clang-format on
}

// 0f ae.
bool IsValidGroup15(const Instruction& in) {
  const uint32_t extension = in.Extension();
  if (in.mod != 3) {
    switch (in.pp) {
      case Pp::kNone: return true;
      case Pp::k66: return extension >= 6;                    // clwb, clflushopt
      case Pp::kF3: return extension == 4 || extension == 6;  // ptwrite, clrssbsy
      default: return false;
    }
  }
  switch (in.pp) {
    case Pp::kNone: return extension >= 5;  // lfence mfence sfence
    case Pp::k66: return extension == 6;    // tpause
    case Pp::kF3: return extension <= 6;    // rd/wr fs/gs base, ptwrite, incssp, umonitor
    default: return extension == 6;         // umwait
  }
}

bool IsValidShiftGroup(const Instruction& in) {
  const uint32_t extension = in.Extension();
  const bool is_evex = in.encoding == Encoding::kEvex;
  if (in.mod != 3 && !is_evex) return false;
  if (is_evex && in.pp != Pp::k66) return false;
  switch (in.opcode) {
    case 0x71: return extension == 2 || extension == 4 || extension == 6;
    case 0x72: return extension == 2 || extension == 4 || extension == 6 || (is_evex && extension <= 1);
    default: return extension == 2 || extension == 6 || (in.pp == Pp::k66 && (extension == 3 || extension == 7));
  }
}

bool IsValid0F(const Instruction& in, uint8_t modrm) {
  const uint32_t extension = in.Extension();
  // clang-format off
  switch (in.opcode) {
    case 0x00:
      return extension <= 5;
    case 0x01:
      if (in.mod == 3) return IsValidGroup7Register(in, modrm);
      return extension != 5 || in.pp == Pp::kF3;  // rstorssp
    case 0x0d:  // prefetches; register form: nop on Intel processors, undefined on AMD processors
      return in.mod != 3 || (in.cpu & kIntel) != 0;
    case 0x71: case 0x72: case 0x73:
      return IsValidShiftGroup(in);
    case 0x78:
      return in.pp == Pp::kNone;  // vmread; extrq and insertq have two more immediates
    case 0xae:
      return IsValidGroup15(in);
    case 0xb8:
      return in.pp == Pp::kF3;  // popcnt
    case 0xba:
      return extension >= 4;
    case 0xc7:
      if (in.mod == 3) return extension >= 6;            // rdrand, rdseed, rdpid
      return extension == 1 || extension >= 3;
    case 0xff:  // ud0: no modrm on AMD processors (DecodeLegacy)
      return (in.cpu & kIntel) != 0;
    default:
      return false;
  }
  // clang-format on
}

}  // namespace

bool IsValid3dNow(uint8_t suffix) {
  // clang-format off
  switch (suffix) {
    case 0x0c: case 0x0d: case 0x1c: case 0x1d: case 0x8a: case 0x8e: case 0x90: case 0x94:
    case 0x96: case 0x97: case 0x9a: case 0x9e: case 0xa0: case 0xa4: case 0xa6: case 0xa7:
    case 0xaa: case 0xae: case 0xb0: case 0xb4: case 0xb6: case 0xb7: case 0xbb: case 0xbf:
      return true;
    default:
      return false;
  }
  // clang-format on
}

bool IsValidModrm(const Instruction& in, uint8_t modrm) {
  const uint32_t extension = in.Extension();
  if (in.encoding == Encoding::kEvex) {
    if (in.map == Map::k0F) return IsValidShiftGroup(in);
    return in.mod != 3 && (extension == 1 || extension == 2 || extension == 5 || extension == 6);  // gather prefetches
  }
  if (in.encoding == Encoding::kVex) {
    if (in.map == Map::k0F38) return extension >= 1 && extension <= 3;                // blsr blsmsk blsi
    if (in.opcode == 0xae) return in.mod != 3 && (extension == 2 || extension == 3);  // vldmxcsr vstmxcsr
    return in.pp == Pp::k66 && IsValidShiftGroup(in);
  }
  switch (in.map) {
    case Map::kOneByte: return IsValidOneByte(in, modrm);
    case Map::k0F: return IsValid0F(in, modrm);
    case Map::k0F38:
      // movbe has a memory operand, crc32 (F2) any operand; f6: adcx, adox, wrss (memory).
      if (in.opcode == 0xf6) return in.pp == Pp::k66 || in.pp == Pp::kF3 || (in.pp == Pp::kNone && in.mod != 3);
      return in.pp == Pp::kF2 || in.mod != 3;
    default: return false;
  }
}

}  // namespace softlbr::x86
