// Decodes bytes to an Instruction. One pass, no backtracking: prefixes, opcode, modrm, sib, displacement, immediate.
//
// Two paths give the same result. If kFastWindowBytes are available, legacy one- and two-byte forms are decoded by
// tables and arithmetic without branches, because machine code is random enough that a predictor would miss them. All
// other forms, and the last bytes of a window, are decoded byte by byte with a bounds check before each.
// decode_forms_test runs every form through both.
//
// Deliberate choices:
//   - A near branch with 66 and without REX.W: Intel processors ignore the 66; on AMD processors the displacement has
//     16 bits. If the CPU is not known, the form is unknown if its length depends on this. (Compilers emit only data16
//     rex.W call, which is the same on both.)
//   - Prefix combinations that processors reject (LOCK or REX before VEX, ...) are unknown, not guessed.
//   - XOP, REX2 and the other APX forms, older aliases of UMONITOR and VIA's extensions are unknown.
#include "decoders/x86_64/decode/instruction.h"
#include "decoders/x86_64/decode/opcode_forms.h"

namespace softlbr::x86 {
namespace {

struct Cursor {
  const uint8_t* code;
  uint32_t at;
  uint32_t limit;  // min(window, 15)

  bool Has(uint32_t n) const { return at + n <= limit; }
  uint8_t Byte() { return code[at++]; }
  int32_t Read32() {
    const uint32_t v =
        uint32_t{code[at]} | uint32_t{code[at + 1]} << 8 | uint32_t{code[at + 2]} << 16 | uint32_t{code[at + 3]} << 24;
    at += 4;
    return static_cast<int32_t>(v);
  }
  int64_t Read64() {
    const uint64_t low = static_cast<uint32_t>(Read32());
    const uint64_t high = static_cast<uint32_t>(Read32());
    return static_cast<int64_t>(low | high << 32);
  }
  int16_t Read16() {
    const int v = code[at] | code[at + 1] << 8;
    at += 2;
    return static_cast<int16_t>(v);
  }
};

// Result if the instruction does not end within `limit` bytes: kUnknown if 15 bytes were available, else kTruncated.
DecodeResult OutOfBytes(const Cursor& c) {
  return c.limit >= kMaxInstructionBytes ? DecodeResult::kUnknown : DecodeResult::kTruncated;
}

// High register-number bits, added to the three bits of a modrm or sib field.
struct Extensions {
  uint32_t r = 0;  // 0, 8, (EVEX) 16, 24
  uint32_t x = 0;
  uint32_t b = 0;
  uint32_t v_high = 0;  // EVEX.V': 16
};

bool IsVsib(const Instruction& in) {
  if (in.encoding == Encoding::kLegacy || in.map != Map::k0F38) return false;
  const uint32_t high = in.opcode & 0xfcu;
  return high == 0x90 || (in.encoding == Encoding::kEvex && (high == 0xa0 || in.opcode == 0xc6 || in.opcode == 0xc7));
}

// Reads modrm, sib and displacement. The caller has checked that the modrm byte is available.
bool ReadModrm(Cursor* c, const Extensions& ext, Instruction* in, uint8_t* modrm_out) {
  const uint8_t modrm = c->Byte();
  *modrm_out = modrm;
  in->has_modrm = true;
  in->mod = modrm >> 6;
  in->reg = static_cast<uint8_t>((modrm >> 3 & 7) | ext.r);
  const uint32_t rm = modrm & 7u;
  in->rm = static_cast<uint8_t>(rm | ext.b);
  if (in->mod == 3) {
    if (in->encoding == Encoding::kEvex) in->rm |= static_cast<uint8_t>(ext.x << 1);
    return true;
  }
  in->is_disp_exact = true;
  bool has_base = true;
  if (rm == 4) {
    if (!c->Has(1)) return false;
    const uint8_t sib = c->Byte();
    in->scale = sib >> 6;
    const uint32_t index = (sib >> 3 & 7u) | ext.x;
    const uint32_t base = sib & 7u;
    if (SOFTLBR_UNLIKELY(IsVsib(*in))) {
      in->is_vsib = true;
      in->vsib_index = static_cast<uint8_t>(index | ext.v_high);
    } else if (index != 4) {
      in->index = GprSlot(index);
    }
    if (base == 5 && in->mod == 0) {
      has_base = false;
      if (!c->Has(4)) return false;
      in->disp = c->Read32();
    } else {
      in->base = GprSlot(base | ext.b);
    }
  } else if (rm == 5 && in->mod == 0) {
    has_base = false;
    in->base = SOFTLBR_REG_BLOCK;
    if (!c->Has(4)) return false;
    in->disp = c->Read32();
  } else {
    in->base = GprSlot(rm | ext.b);
  }
  if (has_base && in->mod == 2) {
    if (!c->Has(4)) return false;
    in->disp = c->Read32();
  } else if (in->mod == 1) {
    if (!c->Has(1)) return false;
    in->disp = static_cast<int8_t>(c->Byte());
    if (in->encoding == Encoding::kEvex) {
      const uint32_t scale = EvexDisplacementScale(*in);
      in->is_disp_exact = scale != 0;
      in->disp *= static_cast<int32_t>(scale);
    }
  }
  return true;
}

bool ReadImmediate(Cursor* c, uint32_t kind, Instruction* in) {
  switch (kind) {
    case 0: return true;
    case kImm8:
      if (!c->Has(1)) return false;
      in->imm_bytes = 1;
      in->imm = static_cast<int8_t>(c->Byte());
      return true;
    case kImm16:
      if (!c->Has(2)) return false;
      in->imm_bytes = 2;
      in->imm = static_cast<uint16_t>(c->Read16());  // ret n: unsigned
      return true;
    case kImmZ:
      if (in->operand_bytes == 2) {
        if (!c->Has(2)) return false;
        in->imm_bytes = 2;
        in->imm = c->Read16();
        return true;
      }
      [[fallthrough]];
    case kRel32:
      if (!c->Has(4)) return false;
      in->imm_bytes = 4;
      in->imm = c->Read32();
      return true;
    case kImmV:
      if (!c->Has(in->operand_bytes)) return false;
      in->imm_bytes = in->operand_bytes;
      in->imm = in->operand_bytes == 8 ? c->Read64() : in->operand_bytes == 4 ? c->Read32() : c->Read16();
      return true;
    case kOffset:
      in->imm_bytes = in->is_address_32 ? 4 : 8;
      if (!c->Has(in->imm_bytes)) return false;
      in->imm = in->is_address_32 ? int64_t{static_cast<uint32_t>(c->Read32())} : c->Read64();
      return true;
    case kImm16Imm8:
      if (!c->Has(3)) return false;
      in->imm_bytes = 2;
      in->imm = static_cast<uint16_t>(c->Read16());
      in->imm2 = c->Byte();
      return true;
    default:  // kGroup3
      if (in->Extension() > 1) return true;
      return ReadImmediate(c, in->opcode == 0xf6 ? kImm8 : kImmZ, in);
  }
}

// Reads everything after the opcode byte.
DecodeResult ReadOperands(Cursor* c, uint32_t form, const Extensions& ext, Instruction* in) {
  if (SOFTLBR_UNLIKELY((form & kValid) == 0)) return DecodeResult::kUnknown;
  if (form & (kModrm & ~kValid)) {
    uint8_t modrm = 0;
    if (SOFTLBR_UNLIKELY(!c->Has(1))) return OutOfBytes(*c);
    if (SOFTLBR_UNLIKELY(!ReadModrm(c, ext, in, &modrm))) return OutOfBytes(*c);
    const uint32_t rule = form & kChecked;
    if (SOFTLBR_UNLIKELY(rule != 0)) {
      if (rule == kMemoryOnly && in->mod == 3) return DecodeResult::kUnknown;
      if (rule == kRegisterOnly && in->mod != 3) return DecodeResult::kUnknown;
      if (rule == kChecked && !IsValidModrm(*in, modrm)) return DecodeResult::kUnknown;
    }
  }
  uint32_t kind = form & kImmMask;
  if (kind == kRel32 && in->operand_bytes == 2 && (in->cpu & kIntel) == 0) {
    if ((in->cpu & kAmd) == 0) return DecodeResult::kUnknown;
    kind = kImmZ;
  }
  if (SOFTLBR_UNLIKELY(!ReadImmediate(c, kind, in))) return OutOfBytes(*c);
  in->length = static_cast<uint8_t>(c->at);
  return DecodeResult::kOk;
}

DecodeResult DecodeLegacy(Cursor* c, const Extensions& ext, uint8_t opcode, Instruction* in) {
  const FormTable* table = &kOneByteForms;
  if (opcode == 0x0f) {
    if (SOFTLBR_UNLIKELY(!c->Has(1))) return OutOfBytes(*c);
    opcode = c->Byte();
    in->map = Map::k0F;
    table = &k0FForms;
    if (opcode == 0x38 || opcode == 0x3a) {
      if (SOFTLBR_UNLIKELY(!c->Has(1))) return OutOfBytes(*c);
      in->map = opcode == 0x38 ? Map::k0F38 : Map::k0F3A;
      table = opcode == 0x38 ? &k0F38Forms : &k0F3AForms;
      opcode = c->Byte();
    } else if (opcode == 0x0f) {
      in->encoding = Encoding::k3dNow;
    }
  }
  in->opcode = opcode;
  in->rm = static_cast<uint8_t>((opcode & 7) | ext.b);  // for opcodes that encode a register; modrm overwrites it
  in->operand_bytes = in->w ? 8 : in->has_66 ? 2 : 4;
  in->vector_bytes = 16;
  in->pp = in->rep == 0xf3 ? Pp::kF3 : in->rep == 0xf2 ? Pp::kF2 : in->has_66 ? Pp::k66 : Pp::kNone;
  uint32_t form = table->form[opcode];
  if (in->map == Map::k0F && opcode == 0xff && (in->cpu & kAmd) != 0) form = kValid;  // ud0 has no modrm
  const DecodeResult result = ReadOperands(c, form, ext, in);
  if (SOFTLBR_UNLIKELY(in->encoding == Encoding::k3dNow) && result == DecodeResult::kOk && !IsValid3dNow(in->ImmByte()))
    return DecodeResult::kUnknown;
  return result;
}

DecodeResult DecodeVex(Cursor* c, uint8_t first, Instruction* in) {
  if (in->has_66 || in->rep != 0 || in->has_lock || in->has_rex) return DecodeResult::kUnknown;
  if (SOFTLBR_UNLIKELY(!c->Has(first == 0xc5 ? 2 : 3))) return OutOfBytes(*c);
  Extensions ext;
  const uint8_t p1 = c->Byte();
  ext.r = p1 & 0x80 ? 0 : 8;
  uint8_t last = p1;
  uint32_t map = 1;
  if (first == 0xc4) {
    ext.x = p1 & 0x40 ? 0 : 8;
    ext.b = p1 & 0x20 ? 0 : 8;
    map = p1 & 0x1f;
    last = c->Byte();
    in->w = last & 0x80;
  }
  if (map < 1 || map > 3) return DecodeResult::kUnknown;
  in->encoding = Encoding::kVex;
  in->map = static_cast<Map>(map);
  in->pp = static_cast<Pp>(last & 3);
  in->vvvv = ~(last >> 3) & 15;
  in->vector_bytes = last & 4 ? 32 : 16;
  in->operand_bytes = in->w ? 8 : 4;
  in->opcode = c->Byte();
  return ReadOperands(c, kVexForms[map - 1].form[in->opcode], ext, in);
}

DecodeResult DecodeEvex(Cursor* c, Instruction* in) {
  if (in->has_66 || in->rep != 0 || in->has_lock || in->has_rex) return DecodeResult::kUnknown;
  if (SOFTLBR_UNLIKELY(!c->Has(4))) return OutOfBytes(*c);
  const uint8_t p0 = c->Byte();
  const uint8_t p1 = c->Byte();
  const uint8_t p2 = c->Byte();
  const uint32_t map = p0 & 7;
  if ((p0 & 8) != 0 || (p1 & 4) == 0 || map == 0 || map == 4 || map > 6) return DecodeResult::kUnknown;
  Extensions ext;
  ext.r = (p0 & 0x80 ? 0u : 8u) | (p0 & 0x10 ? 0u : 16u);
  ext.x = p0 & 0x40 ? 0 : 8;
  ext.b = p0 & 0x20 ? 0 : 8;
  ext.v_high = p2 & 8 ? 0 : 16;
  in->encoding = Encoding::kEvex;
  in->map = static_cast<Map>(map);
  in->pp = static_cast<Pp>(p1 & 3);
  in->w = p1 & 0x80;
  in->operand_bytes = in->w ? 8 : 4;
  in->vvvv = static_cast<uint8_t>((~(p1 >> 3) & 15) | ext.v_high);
  in->mask = p2 & 7;
  in->is_zeroing = p2 & 0x80;
  in->is_broadcast = p2 & 0x10;
  const uint32_t length_bits = p2 >> 5 & 3;
  in->rounding = static_cast<uint8_t>(length_bits);
  in->opcode = c->Byte();
  if (SOFTLBR_UNLIKELY(!c->Has(1))) return OutOfBytes(*c);
  const bool is_register_form = c->code[c->at] >= 0xc0;
  if (in->is_broadcast && is_register_form) {
    in->vector_bytes = 64;
  } else if (length_bits == 3) {
    return DecodeResult::kUnknown;
  } else {
    in->vector_bytes = static_cast<uint8_t>(16u << length_bits);
  }
  return ReadOperands(c, kEvexForms[map - 1].form[in->opcode], ext, in);
}

// What follows a modrm byte.
struct ModrmShape {
  uint8_t has_sib;
  uint8_t disp_bytes;  // unless the sib byte requires one
  uint8_t is_memory;   // 0xff or 0
  uint8_t is_relative;
};
struct ModrmShapes {
  ModrmShape of[256];
};
constexpr ModrmShapes MakeModrmShapes() {
  ModrmShapes shapes{};
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t mod = i >> 6;
    const uint32_t rm = i & 7;
    ModrmShape& shape = shapes.of[i];
    if (mod == 3) continue;
    shape.is_memory = 0xff;
    shape.has_sib = rm == 4;
    shape.is_relative = mod == 0 && rm == 5;
    shape.disp_bytes = mod == 1 ? 1 : mod == 2 || shape.is_relative ? 4 : 0;
  }
  return shapes;
}
constexpr ModrmShapes kModrmShapes = MakeModrmShapes();

// Bytes of an immediate, by Form kind and operand size (2, 4, 8 bytes). kSlowImmediate: not handled by the fast path.
constexpr uint8_t kSlowImmediate = 0xff;
constexpr uint8_t kImmediateBytes[16][4] = {{0, 0, 0, 0},
                                            {1, 1, 1, 1},
                                            {kSlowImmediate, kSlowImmediate, kSlowImmediate, kSlowImmediate},
                                            {0, 2, 4, 4},
                                            {0, 2, 4, 8},
                                            {4, kSlowImmediate, 4, 4},
                                            {kSlowImmediate, kSlowImmediate, kSlowImmediate, kSlowImmediate},
                                            {kSlowImmediate, kSlowImmediate, kSlowImmediate, kSlowImmediate},
                                            {kSlowImmediate, kSlowImmediate, kSlowImmediate, kSlowImmediate},
                                            {},
                                            {},
                                            {},
                                            {},
                                            {},
                                            {},
                                            {}};

// The longest form that the fast path handles, and eight more bytes that are loaded but not used.
constexpr uint32_t kFastWindowBytes = 24;

uint64_t Load64(const uint8_t* at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof(value));
  return value;
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Load64 reads as x86 does");

// The low `bytes` bytes (0, 1, 2, 4, 8), sign-extended.
int64_t SignExtend(uint64_t raw, uint32_t bytes) {
  const uint32_t shift = (64 - 8 * bytes) & 63;
  const int64_t extended = static_cast<int64_t>(raw << shift) >> shift;
  return bytes == 0 ? 0 : extended;
}

// True: *out is filled. False: the fast path does not handle the form; *out is unspecified. `code` has
// kFastWindowBytes; *out is all zero except for its cpu.
bool DecodeFast(const uint8_t* code, Instruction* out) {
  uint32_t at = 0;
  const bool has_66 = code[0] == 0x66;
  at += has_66;
  const uint32_t first = code[at];
  const bool has_rex = (first & 0xf0) == 0x40;
  const uint32_t rex = has_rex ? first : 0;
  at += has_rex;
  uint32_t opcode = code[at++];
  const FormTable* table = &kOneByteForms;
  const bool is_two_byte = opcode == 0x0f;
  if (is_two_byte) {
    opcode = code[at++];
    if (opcode == 0x38 || opcode == 0x3a || opcode == 0x0f) return false;
    table = &k0FForms;
  }
  const uint32_t form = table->form[opcode];  // prefixes, VEX and EVEX are kInvalid in the tables
  if ((form & kValid) == 0) return false;
  const uint32_t ext_b = rex << 3 & 8;
  const bool w = (rex & 8) != 0;
  out->opcode = static_cast<uint8_t>(opcode);
  out->map = is_two_byte ? Map::k0F : Map::kOneByte;
  out->has_66 = has_66;
  out->pp = has_66 ? Pp::k66 : Pp::kNone;
  out->has_rex = has_rex;
  out->w = w;
  out->operand_bytes = w ? 8 : has_66 ? 2 : 4;
  out->vector_bytes = 16;
  out->rm = static_cast<uint8_t>((opcode & 7) | ext_b);
  if (form & (kModrm & ~kValid)) {
    const uint32_t modrm = code[at++];
    const ModrmShape shape = kModrmShapes.of[modrm];
    // If there is no sib byte, uses one that means "base rm, no index".
    const uint32_t rm = modrm & 7;
    const uint32_t sib = shape.has_sib ? code[at] : 0x20 | rm;
    const uint32_t ext_x = shape.has_sib ? rex << 2 & 8 : 0;
    at += shape.has_sib;
    const uint32_t mod = modrm >> 6;
    const bool is_absolute = shape.has_sib && (sib & 7) == 5 && mod == 0;
    const uint32_t disp_bytes = is_absolute ? 4u : shape.disp_bytes;
    const uint32_t index = (sib >> 3 & 7) | ext_x;
    uint32_t base_slot = SOFTLBR_X86_RAX + ((sib & 7) | ext_b);
    base_slot = shape.is_relative ? uint32_t{SOFTLBR_REG_BLOCK} : base_slot;
    base_slot = is_absolute ? uint32_t{SOFTLBR_REG_ZERO} : base_slot;
    const uint32_t memory_mask = shape.is_memory;
    out->has_modrm = true;
    out->mod = static_cast<uint8_t>(mod);
    out->reg = static_cast<uint8_t>((modrm >> 3 & 7) | (rex << 1 & 8));
    out->rm = static_cast<uint8_t>(rm | ext_b);
    out->base = static_cast<uint16_t>(base_slot & memory_mask);
    out->index = static_cast<uint16_t>((index == 4 ? 0u : SOFTLBR_X86_RAX + index) & memory_mask);
    out->scale = static_cast<uint8_t>(sib >> 6 & memory_mask);
    out->is_disp_exact = memory_mask != 0;
    out->disp = static_cast<int32_t>(SignExtend(Load64(code + at), disp_bytes));
    at += disp_bytes;
    const uint32_t rule = form & kChecked;
    if (SOFTLBR_UNLIKELY(rule != 0)) {
      // Group rules need a complete instruction; only the slow path returns DecodeResult::kUnknown.
      if (rule == kMemoryOnly     ? mod == 3
          : rule == kRegisterOnly ? mod != 3
                                  : !IsValidModrm(*out, static_cast<uint8_t>(modrm)))
        return false;
    }
  }
  uint32_t kind = form & kImmMask;
  if (kind == kGroup3) kind = out->Extension() > 1 ? 0 : opcode == 0xf6 ? kImm8 : kImmZ;
  const uint32_t imm_bytes = kImmediateBytes[kind][w ? 3 : has_66 ? 1 : 2];
  if (SOFTLBR_UNLIKELY(imm_bytes == kSlowImmediate)) return false;
  out->imm_bytes = static_cast<uint8_t>(imm_bytes);
  out->imm = SignExtend(Load64(code + at), imm_bytes);
  out->length = static_cast<uint8_t>(at + imm_bytes);
  return true;
}

}  // namespace

DecodeResult Decode(const uint8_t* code, size_t size, uint8_t cpu, Instruction* out) {
  *out = Instruction{};
  out->cpu = cpu;
  if (SOFTLBR_LIKELY(size >= kFastWindowBytes)) {
    if (DecodeFast(code, out)) return DecodeResult::kOk;
    *out = Instruction{};
    out->cpu = cpu;
  }
  Cursor c{code, 0, size < kMaxInstructionBytes ? static_cast<uint32_t>(size) : kMaxInstructionBytes};
  uint8_t rex = 0;
  uint8_t byte = 0;
  for (;;) {  // at most kMaxInstructionBytes rounds
    if (SOFTLBR_UNLIKELY(!c.Has(1))) return OutOfBytes(c);
    byte = c.Byte();
    if ((byte & 0xf0) == 0x40) {
      rex = byte;
      continue;
    }
    switch (byte) {
      case 0x66: out->has_66 = true; break;
      case 0xf2:
      case 0xf3: out->rep = byte; break;
      case 0xf0: out->has_lock = true; break;
      case 0x64: out->segment = Segment::kFs; break;
      case 0x65: out->segment = Segment::kGs; break;
      case 0x67: out->is_address_32 = true; break;
      case 0x3e: out->has_3e = true; break;
      case 0x26:
      case 0x2e:
      case 0x36: break;
      default: goto opcode;
    }
    rex = 0;  // REX is valid only directly before the opcode
  }
opcode:
  out->has_rex = rex != 0;
  if (byte == 0xc4 || byte == 0xc5) return DecodeVex(&c, byte, out);
  if (byte == 0x62) return DecodeEvex(&c, out);
  out->w = rex & 8;
  Extensions ext;
  ext.r = rex & 4 ? 8 : 0;
  ext.x = rex & 2 ? 8 : 0;
  ext.b = rex & 1 ? 8 : 0;
  return DecodeLegacy(&c, ext, byte, out);
}

}  // namespace softlbr::x86
