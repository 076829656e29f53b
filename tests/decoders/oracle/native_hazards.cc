// Contract: native_hazards.h.
#include "tests/decoders/oracle/native_hazards.h"

namespace softlbr::oracle {
namespace {

bool IsSafeOneByte(uint8_t opcode, uint8_t modrm) {
  // clang-format off
  switch (opcode) {
    case 0x6c: case 0x6d: case 0x6e: case 0x6f:              // ins, outs
    case 0xe4: case 0xe5: case 0xe6: case 0xe7:              // in, out
    case 0xec: case 0xed: case 0xee: case 0xef:
    case 0x8e:                                               // mov to a segment register
    case 0x9d:                                               // popf: trap flag
    case 0xca: case 0xcb: case 0xcc: case 0xcd: case 0xce: case 0xcf:  // far returns, interrupts
    case 0xf1: case 0xf4: case 0xfa: case 0xfb:              // icebp, hlt, cli, sti
    case 0x9a: case 0xea:                                    // far transfers (invalid, but no reason to try)
      return false;
    case 0xc7:
      return modrm != 0xf8;  // xbegin
    case 0xff: {
      const uint32_t extension = modrm >> 3 & 7u;
      return extension != 3 && extension != 5;  // far
    }
    case 0xd9:
      return !(modrm < 0xc0 && (modrm >> 3 & 7u) >= 4 && (modrm >> 3 & 7u) <= 5);  // fldenv, fldcw
    case 0xdd:
      return !(modrm < 0xc0 && (modrm >> 3 & 7u) == 4);  // frstor
    default:
      return true;
  }
  // clang-format on
}

bool IsSafe0F(uint8_t opcode, uint8_t modrm) {
  // clang-format off
  switch (opcode) {
    case 0x00: case 0x01:                                    // system tables, wrpkru, xgetbv, ...
    case 0x05: case 0x06: case 0x07: case 0x34: case 0x35:   // syscall, clts, sysret, sysenter, sysexit
    case 0x08: case 0x09: case 0x0b: case 0x30: case 0x31: case 0x32: case 0x33: case 0x37:
    case 0x20: case 0x21: case 0x22: case 0x23: case 0x24: case 0x26:
    case 0x78: case 0x79:
    case 0xa1: case 0xa9: case 0xb2: case 0xb4: case 0xb5:   // segment registers
    case 0xa2:                                               // cpuid: causes a VM exit
    case 0xaa: case 0xff: case 0xb9:
    case 0xae:                                               // fxrstor, xrstor, ldmxcsr, wrfsbase
      return false;
    case 0xc7: {
      const uint32_t extension = modrm >> 3 & 7u;
      return extension == 1;  // cmpxchg8b, cmpxchg16b; others are xsaves, random numbers, virtualisation
    }
    case 0x1e:
      return modrm < 0xc0 || modrm == 0xfa;  // shadow stack
    default:
      return true;
  }
  // clang-format on
}

}  // namespace

bool IsSafeToRunNatively(const uint8_t* code, size_t size) {
  size_t at = 0;
  for (; at < size; ++at) {
    const uint8_t byte = code[at];
    if (byte == 0x64) return false;  // fs: our own thread data
    const bool is_prefix = byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x65 ||
                           byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
                           (byte & 0xf0) == 0x40;
    if (!is_prefix) break;
  }
  if (at >= size) return false;
  auto byte_at = [&](size_t i) { return i < size ? code[i] : uint8_t{0}; };
  const uint8_t opcode = code[at];
  if (opcode == 0xc5 || opcode == 0xc4 || opcode == 0x62) {
    const size_t payload = opcode == 0xc5 ? 1 : opcode == 0xc4 ? 2 : 3;
    const uint32_t map = opcode == 0xc5 ? 1 : byte_at(at + 1) & 7u;
    const uint8_t real = byte_at(at + payload + 1);
    if (opcode != 0x62 && map == 1) return real != 0xae;  // vldmxcsr
    if (opcode == 0xc4 && map == 2) {                     // AMX, cmpccxadd
      return real != 0x49 && real != 0x4b && real != 0x5c && real != 0x5e && (real & 0xf0) != 0xe0;
    }
    return true;
  }
  if (opcode != 0x0f) return IsSafeOneByte(opcode, byte_at(at + 1));
  const uint8_t second = byte_at(at + 1);
  if (second == 0x38) {
    const uint8_t third = byte_at(at + 2);
    return !(third >= 0xd8 && third <= 0xdb) && third != 0xf5 && third != 0xf8 && third != 0xfa && third != 0xfb;
  }
  if (second == 0x3a) return byte_at(at + 2) != 0xf0;
  return IsSafe0F(second, byte_at(at + 2));
}

}  // namespace softlbr::oracle
