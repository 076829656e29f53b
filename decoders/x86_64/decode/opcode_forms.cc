// Contract: opcode_forms.h.
#include "decoders/x86_64/decode/opcode_forms.h"

namespace softlbr::x86 {
namespace {

// Sets first..last, inclusive.
constexpr void Set(FormTable* t, int first, int last, int form) {
  for (int i = first; i <= last; ++i) t->form[i] = static_cast<uint8_t>(form);
}

constexpr FormTable OneByte() {
  FormTable t{};
  for (int row = 0; row < 8; ++row) {
    Set(&t, row * 8, row * 8 + 3, kModrm);
    Set(&t, row * 8 + 4, row * 8 + 4, kValid | kImm8);
    Set(&t, row * 8 + 5, row * 8 + 5, kValid | kImmZ);
  }
  // 40-4f (REX) and the other prefixes are handled before the table look-up.
  Set(&t, 0x50, 0x5f, kValid);
  Set(&t, 0x63, 0x63, kModrm);
  Set(&t, 0x68, 0x68, kValid | kImmZ);
  Set(&t, 0x69, 0x69, kModrm | kImmZ);
  Set(&t, 0x6a, 0x6a, kValid | kImm8);
  Set(&t, 0x6b, 0x6b, kModrm | kImm8);
  Set(&t, 0x6c, 0x6f, kValid);
  Set(&t, 0x70, 0x7f, kValid | kImm8);
  Set(&t, 0x80, 0x80, kModrm | kImm8);
  Set(&t, 0x81, 0x81, kModrm | kImmZ);
  Set(&t, 0x83, 0x83, kModrm | kImm8);
  Set(&t, 0x84, 0x8c, kModrm);
  Set(&t, 0x8d, 0x8d, kModrm | kMemoryOnly);
  Set(&t, 0x8e, 0x8f, kModrm);
  Set(&t, 0x90, 0x99, kValid);
  Set(&t, 0x9b, 0x9f, kValid);
  Set(&t, 0xa0, 0xa3, kValid | kOffset);
  Set(&t, 0xa4, 0xa7, kValid);
  Set(&t, 0xa8, 0xa8, kValid | kImm8);
  Set(&t, 0xa9, 0xa9, kValid | kImmZ);
  Set(&t, 0xaa, 0xaf, kValid);
  Set(&t, 0xb0, 0xb7, kValid | kImm8);
  Set(&t, 0xb8, 0xbf, kValid | kImmV);
  Set(&t, 0xc0, 0xc1, kModrm | kImm8);
  Set(&t, 0xc2, 0xc2, kValid | kImm16);
  Set(&t, 0xc3, 0xc3, kValid);
  Set(&t, 0xc6, 0xc6, kModrm | kImm8);
  Set(&t, 0xc7, 0xc7, kModrm | kImmZ);
  Set(&t, 0xc8, 0xc8, kValid | kImm16Imm8);
  Set(&t, 0xc9, 0xc9, kValid);
  Set(&t, 0xca, 0xca, kValid | kImm16);
  Set(&t, 0xcb, 0xcc, kValid);
  Set(&t, 0xcd, 0xcd, kValid | kImm8);
  Set(&t, 0xcf, 0xcf, kValid);
  Set(&t, 0xd0, 0xd3, kModrm);
  Set(&t, 0xd7, 0xd7, kValid);
  Set(&t, 0xd8, 0xdf, kModrm);
  Set(&t, 0xe0, 0xe7, kValid | kImm8);
  Set(&t, 0xe8, 0xe9, kValid | kRel32);
  Set(&t, 0xeb, 0xeb, kValid | kImm8);
  Set(&t, 0xec, 0xef, kValid);
  Set(&t, 0xf1, 0xf1, kValid);
  Set(&t, 0xf4, 0xf5, kValid);
  Set(&t, 0xf6, 0xf7, kModrm | kGroup3);
  Set(&t, 0xf8, 0xfd, kValid);
  Set(&t, 0xfe, 0xff, kModrm);
  // Groups.
  t.form[0x8c] |= kChecked;
  t.form[0x8e] |= kChecked;
  t.form[0x8f] |= kChecked;
  t.form[0xc6] |= kChecked;
  t.form[0xc7] |= kChecked;
  t.form[0xd9] |= kChecked;
  t.form[0xda] |= kChecked;
  t.form[0xdb] |= kChecked;
  t.form[0xdd] |= kChecked;
  t.form[0xde] |= kChecked;
  t.form[0xdf] |= kChecked;
  t.form[0xfe] |= kChecked;
  t.form[0xff] |= kChecked;
  return t;
}

constexpr FormTable Map0F() {
  FormTable t{};
  Set(&t, 0x00, 0x03, kModrm);
  Set(&t, 0x05, 0x09, kValid);
  Set(&t, 0x0b, 0x0b, kValid);
  Set(&t, 0x0d, 0x0d, kModrm);
  Set(&t, 0x0e, 0x0e, kValid);
  Set(&t, 0x0f, 0x0f, kModrm | kImm8);  // 3DNow!: the suffix byte follows where an immediate would
  Set(&t, 0x10, 0x1f, kModrm);
  Set(&t, 0x20, 0x23, kModrm | kRegisterOnly);
  Set(&t, 0x28, 0x2f, kModrm);
  Set(&t, 0x30, 0x35, kValid);
  Set(&t, 0x37, 0x37, kValid);
  Set(&t, 0x40, 0x4f, kModrm);
  Set(&t, 0x50, 0x50, kModrm | kRegisterOnly);
  Set(&t, 0x51, 0x6f, kModrm);
  Set(&t, 0x70, 0x70, kModrm | kImm8);
  Set(&t, 0x71, 0x73, kModrm | kImm8);
  Set(&t, 0x74, 0x76, kModrm);
  Set(&t, 0x77, 0x77, kValid);
  Set(&t, 0x78, 0x79, kModrm);
  Set(&t, 0x7c, 0x7f, kModrm);
  Set(&t, 0x80, 0x8f, kValid | kRel32);
  Set(&t, 0x90, 0x9f, kModrm);
  Set(&t, 0xa0, 0xa2, kValid);
  Set(&t, 0xa3, 0xa3, kModrm);
  Set(&t, 0xa4, 0xa4, kModrm | kImm8);
  Set(&t, 0xa5, 0xa5, kModrm);
  Set(&t, 0xa8, 0xaa, kValid);
  Set(&t, 0xab, 0xab, kModrm);
  Set(&t, 0xac, 0xac, kModrm | kImm8);
  Set(&t, 0xad, 0xb1, kModrm);
  Set(&t, 0xb2, 0xb2, kModrm | kMemoryOnly);
  Set(&t, 0xb3, 0xb3, kModrm);
  Set(&t, 0xb4, 0xb5, kModrm | kMemoryOnly);
  Set(&t, 0xb6, 0xb9, kModrm);
  Set(&t, 0xba, 0xba, kModrm | kImm8);
  Set(&t, 0xbb, 0xc1, kModrm);
  Set(&t, 0xc2, 0xc2, kModrm | kImm8);
  Set(&t, 0xc3, 0xc3, kModrm | kMemoryOnly);
  Set(&t, 0xc4, 0xc4, kModrm | kImm8);
  Set(&t, 0xc5, 0xc5, kModrm | kImm8 | kRegisterOnly);
  Set(&t, 0xc6, 0xc6, kModrm | kImm8);
  Set(&t, 0xc7, 0xc7, kModrm);
  Set(&t, 0xc8, 0xcf, kValid);
  Set(&t, 0xd0, 0xd6, kModrm);
  Set(&t, 0xd7, 0xd7, kModrm | kRegisterOnly);
  Set(&t, 0xd8, 0xe6, kModrm);
  Set(&t, 0xe7, 0xe7, kModrm | kMemoryOnly);
  Set(&t, 0xe8, 0xf6, kModrm);
  Set(&t, 0xf7, 0xf7, kModrm | kRegisterOnly);
  Set(&t, 0xf8, 0xff, kModrm);
  // Groups.
  t.form[0x00] |= kChecked;
  t.form[0x01] |= kChecked;
  t.form[0x0d] |= kChecked;
  t.form[0x71] |= kChecked;
  t.form[0x72] |= kChecked;
  t.form[0x73] |= kChecked;
  t.form[0x78] |= kChecked;
  t.form[0xae] |= kChecked;
  t.form[0xb8] |= kChecked;
  t.form[0xba] |= kChecked;
  t.form[0xc7] |= kChecked;
  t.form[0xff] |= kChecked;
  return t;
}

constexpr FormTable Map0F38() {
  FormTable t{};
  Set(&t, 0x00, 0x0b, kModrm);
  Set(&t, 0x10, 0x10, kModrm);
  Set(&t, 0x14, 0x15, kModrm);
  Set(&t, 0x17, 0x17, kModrm);
  Set(&t, 0x1c, 0x1e, kModrm);
  Set(&t, 0x20, 0x25, kModrm);
  Set(&t, 0x28, 0x29, kModrm);
  Set(&t, 0x2a, 0x2a, kModrm | kMemoryOnly);
  Set(&t, 0x2b, 0x2b, kModrm);
  Set(&t, 0x30, 0x35, kModrm);
  Set(&t, 0x37, 0x41, kModrm);
  Set(&t, 0x80, 0x82, kModrm | kMemoryOnly);
  Set(&t, 0xc8, 0xcd, kModrm);
  Set(&t, 0xcf, 0xcf, kModrm);
  Set(&t, 0xdb, 0xdf, kModrm);
  Set(&t, 0xf0, 0xf1, kModrm);
  Set(&t, 0xf5, 0xf5, kModrm | kMemoryOnly);
  Set(&t, 0xf6, 0xf6, kModrm);
  Set(&t, 0xf8, 0xf9, kModrm | kMemoryOnly);
  // Groups.
  t.form[0xf0] |= kChecked;
  t.form[0xf1] |= kChecked;
  t.form[0xf6] |= kChecked;
  return t;
}

constexpr FormTable Map0F3A() {
  FormTable t{};
  Set(&t, 0x08, 0x0f, kModrm | kImm8);
  Set(&t, 0x14, 0x17, kModrm | kImm8);
  Set(&t, 0x20, 0x22, kModrm | kImm8);
  Set(&t, 0x40, 0x42, kModrm | kImm8);
  Set(&t, 0x44, 0x44, kModrm | kImm8);
  Set(&t, 0x60, 0x63, kModrm | kImm8);
  Set(&t, 0xcc, 0xcc, kModrm | kImm8);
  Set(&t, 0xce, 0xcf, kModrm | kImm8);
  Set(&t, 0xdf, 0xdf, kModrm | kImm8);
  return t;
}

constexpr FormTable Vex1() {
  FormTable t{};
  Set(&t, 0x10, 0x17, kModrm);
  Set(&t, 0x28, 0x2f, kModrm);
  t.form[0x2b] = kModrm | kMemoryOnly;
  Set(&t, 0x41, 0x42, kModrm | kRegisterOnly);
  Set(&t, 0x44, 0x47, kModrm | kRegisterOnly);
  Set(&t, 0x4a, 0x4b, kModrm | kRegisterOnly);
  Set(&t, 0x50, 0x50, kModrm | kRegisterOnly);
  Set(&t, 0x51, 0x6f, kModrm);
  Set(&t, 0x70, 0x70, kModrm | kImm8);
  Set(&t, 0x71, 0x73, kModrm | kImm8);
  Set(&t, 0x74, 0x76, kModrm);
  Set(&t, 0x77, 0x77, kValid);
  Set(&t, 0x7c, 0x7f, kModrm);
  Set(&t, 0x90, 0x90, kModrm);
  Set(&t, 0x91, 0x91, kModrm | kMemoryOnly);
  Set(&t, 0x92, 0x93, kModrm | kRegisterOnly);
  Set(&t, 0x98, 0x99, kModrm | kRegisterOnly);
  Set(&t, 0xae, 0xae, kModrm);
  Set(&t, 0xc2, 0xc2, kModrm | kImm8);
  Set(&t, 0xc4, 0xc4, kModrm | kImm8);
  Set(&t, 0xc5, 0xc5, kModrm | kImm8 | kRegisterOnly);
  Set(&t, 0xc6, 0xc6, kModrm | kImm8);
  Set(&t, 0xd0, 0xd6, kModrm);
  Set(&t, 0xd7, 0xd7, kModrm | kRegisterOnly);
  Set(&t, 0xd8, 0xe6, kModrm);
  Set(&t, 0xe7, 0xe7, kModrm | kMemoryOnly);
  Set(&t, 0xe8, 0xef, kModrm);
  Set(&t, 0xf0, 0xf0, kModrm | kMemoryOnly);
  Set(&t, 0xf1, 0xf6, kModrm);
  Set(&t, 0xf7, 0xf7, kModrm | kRegisterOnly);
  Set(&t, 0xf8, 0xfe, kModrm);
  // Groups.
  t.form[0x71] |= kChecked;
  t.form[0x72] |= kChecked;
  t.form[0x73] |= kChecked;
  t.form[0xae] |= kChecked;
  return t;
}

constexpr FormTable Vex2() {
  FormTable t{};
  Set(&t, 0x00, 0x0f, kModrm);
  Set(&t, 0x13, 0x13, kModrm);
  Set(&t, 0x16, 0x19, kModrm);
  Set(&t, 0x1a, 0x1a, kModrm | kMemoryOnly);
  Set(&t, 0x1c, 0x1e, kModrm);
  Set(&t, 0x20, 0x25, kModrm);
  Set(&t, 0x28, 0x29, kModrm);
  Set(&t, 0x2a, 0x2a, kModrm | kMemoryOnly);
  Set(&t, 0x2b, 0x2b, kModrm);
  Set(&t, 0x2c, 0x2f, kModrm | kMemoryOnly);
  Set(&t, 0x30, 0x41, kModrm);
  Set(&t, 0x45, 0x47, kModrm);
  Set(&t, 0x50, 0x53, kModrm);
  Set(&t, 0x58, 0x59, kModrm);
  Set(&t, 0x5a, 0x5a, kModrm | kMemoryOnly);
  Set(&t, 0x72, 0x72, kModrm);
  Set(&t, 0x78, 0x79, kModrm);
  Set(&t, 0x8c, 0x8c, kModrm | kMemoryOnly);
  Set(&t, 0x8e, 0x8e, kModrm | kMemoryOnly);
  Set(&t, 0x90, 0x93, kModrm | kMemoryOnly);
  Set(&t, 0x96, 0x9f, kModrm);
  Set(&t, 0xa6, 0xaf, kModrm);
  Set(&t, 0xb0, 0xb1, kModrm | kMemoryOnly);
  Set(&t, 0xb4, 0xbf, kModrm);
  Set(&t, 0xcf, 0xcf, kModrm);
  Set(&t, 0xdb, 0xdf, kModrm);
  Set(&t, 0xf2, 0xf3, kModrm);
  Set(&t, 0xf5, 0xf7, kModrm);
  // Groups.
  t.form[0xf3] |= kChecked;
  return t;
}

constexpr FormTable Vex3() {
  FormTable t{};
  Set(&t, 0x00, 0x02, kModrm | kImm8);
  Set(&t, 0x04, 0x06, kModrm | kImm8);
  Set(&t, 0x08, 0x0f, kModrm | kImm8);
  Set(&t, 0x14, 0x19, kModrm | kImm8);
  Set(&t, 0x1d, 0x1d, kModrm | kImm8);
  Set(&t, 0x20, 0x22, kModrm | kImm8);
  Set(&t, 0x30, 0x33, kModrm | kImm8 | kRegisterOnly);
  Set(&t, 0x38, 0x39, kModrm | kImm8);
  Set(&t, 0x40, 0x42, kModrm | kImm8);
  Set(&t, 0x44, 0x44, kModrm | kImm8);
  Set(&t, 0x46, 0x46, kModrm | kImm8);
  Set(&t, 0x4a, 0x4c, kModrm | kImm8);
  Set(&t, 0x5c, 0x5f, kModrm | kImm8);  // FMA4: the fourth register is in the immediate
  Set(&t, 0x60, 0x63, kModrm | kImm8);
  Set(&t, 0x68, 0x6f, kModrm | kImm8);
  Set(&t, 0x78, 0x7f, kModrm | kImm8);
  Set(&t, 0xce, 0xcf, kModrm | kImm8);
  Set(&t, 0xdf, 0xdf, kModrm | kImm8);
  Set(&t, 0xf0, 0xf0, kModrm | kImm8);
  return t;
}

constexpr FormTable Evex1() {
  FormTable t{};
  Set(&t, 0x10, 0x17, kModrm);
  Set(&t, 0x28, 0x2f, kModrm);
  t.form[0x2b] = kModrm | kMemoryOnly;
  Set(&t, 0x51, 0x51, kModrm);
  Set(&t, 0x54, 0x6f, kModrm);
  Set(&t, 0x70, 0x73, kModrm | kImm8);
  Set(&t, 0x74, 0x76, kModrm);
  Set(&t, 0x78, 0x7b, kModrm);
  Set(&t, 0x7e, 0x7f, kModrm);
  Set(&t, 0xc2, 0xc2, kModrm | kImm8);
  Set(&t, 0xc4, 0xc4, kModrm | kImm8);
  Set(&t, 0xc5, 0xc5, kModrm | kImm8 | kRegisterOnly);
  Set(&t, 0xc6, 0xc6, kModrm | kImm8);
  Set(&t, 0xd1, 0xd6, kModrm);
  Set(&t, 0xd8, 0xe6, kModrm);
  Set(&t, 0xe7, 0xe7, kModrm | kMemoryOnly);
  Set(&t, 0xe8, 0xef, kModrm);
  Set(&t, 0xf1, 0xf6, kModrm);
  Set(&t, 0xf8, 0xfe, kModrm);
  // Groups.
  t.form[0x71] |= kChecked;
  t.form[0x72] |= kChecked;
  t.form[0x73] |= kChecked;
  return t;
}

constexpr FormTable Evex2() {
  FormTable t{};
  Set(&t, 0x00, 0x00, kModrm);
  Set(&t, 0x04, 0x04, kModrm);
  Set(&t, 0x0b, 0x0d, kModrm);
  Set(&t, 0x10, 0x16, kModrm);
  Set(&t, 0x18, 0x19, kModrm);
  Set(&t, 0x1a, 0x1b, kModrm | kMemoryOnly);
  Set(&t, 0x1c, 0x2d, kModrm);
  Set(&t, 0x30, 0x40, kModrm);
  Set(&t, 0x42, 0x47, kModrm);
  Set(&t, 0x4c, 0x55, kModrm);
  Set(&t, 0x58, 0x59, kModrm);
  Set(&t, 0x5a, 0x5b, kModrm | kMemoryOnly);
  Set(&t, 0x62, 0x66, kModrm);
  Set(&t, 0x68, 0x68, kModrm);
  Set(&t, 0x70, 0x73, kModrm);
  Set(&t, 0x75, 0x7f, kModrm);
  Set(&t, 0x83, 0x83, kModrm);
  Set(&t, 0x88, 0x8b, kModrm);
  Set(&t, 0x8d, 0x8d, kModrm);
  Set(&t, 0x8f, 0x8f, kModrm);
  Set(&t, 0x90, 0x93, kModrm | kMemoryOnly);
  Set(&t, 0x96, 0x9f, kModrm);
  Set(&t, 0xa0, 0xa3, kModrm | kMemoryOnly);
  Set(&t, 0xa6, 0xaf, kModrm);
  Set(&t, 0xb4, 0xbf, kModrm);
  Set(&t, 0xc4, 0xc4, kModrm);
  Set(&t, 0xc6, 0xc7, kModrm);
  Set(&t, 0xc8, 0xc8, kModrm);
  Set(&t, 0xca, 0xcd, kModrm);
  Set(&t, 0xcf, 0xcf, kModrm);
  Set(&t, 0xdc, 0xdf, kModrm);
  // Groups.
  t.form[0xc6] |= kChecked;
  t.form[0xc7] |= kChecked;
  return t;
}

constexpr FormTable Evex3() {
  FormTable t{};
  Set(&t, 0x00, 0x01, kModrm | kImm8);
  Set(&t, 0x03, 0x05, kModrm | kImm8);
  Set(&t, 0x08, 0x0b, kModrm | kImm8);
  Set(&t, 0x0f, 0x0f, kModrm | kImm8);
  Set(&t, 0x14, 0x1b, kModrm | kImm8);
  Set(&t, 0x1d, 0x23, kModrm | kImm8);
  Set(&t, 0x25, 0x27, kModrm | kImm8);
  Set(&t, 0x38, 0x3b, kModrm | kImm8);
  Set(&t, 0x3e, 0x3f, kModrm | kImm8);
  Set(&t, 0x42, 0x44, kModrm | kImm8);
  Set(&t, 0x50, 0x51, kModrm | kImm8);
  Set(&t, 0x54, 0x57, kModrm | kImm8);
  Set(&t, 0x66, 0x67, kModrm | kImm8);
  Set(&t, 0x70, 0x73, kModrm | kImm8);
  Set(&t, 0xc2, 0xc2, kModrm | kImm8);
  Set(&t, 0xce, 0xcf, kModrm | kImm8);
  return t;
}

constexpr FormTable Evex5() {
  FormTable t{};
  Set(&t, 0x10, 0x11, kModrm);
  Set(&t, 0x1d, 0x1d, kModrm);
  Set(&t, 0x2a, 0x2a, kModrm);
  Set(&t, 0x2c, 0x2f, kModrm);
  Set(&t, 0x51, 0x51, kModrm);
  Set(&t, 0x58, 0x5f, kModrm);
  Set(&t, 0x6e, 0x6e, kModrm);
  Set(&t, 0x78, 0x7e, kModrm);
  return t;
}

constexpr FormTable Evex6() {
  FormTable t{};
  Set(&t, 0x13, 0x13, kModrm);
  Set(&t, 0x2c, 0x2d, kModrm);
  Set(&t, 0x42, 0x43, kModrm);
  Set(&t, 0x4c, 0x4f, kModrm);
  Set(&t, 0x56, 0x57, kModrm);
  Set(&t, 0x96, 0x9f, kModrm);
  Set(&t, 0xa6, 0xaf, kModrm);
  Set(&t, 0xb6, 0xbf, kModrm);
  Set(&t, 0xd6, 0xd7, kModrm);
  return t;
}

}  // namespace

constinit const FormTable kOneByteForms = OneByte();
constinit const FormTable k0FForms = Map0F();
constinit const FormTable k0F38Forms = Map0F38();
constinit const FormTable k0F3AForms = Map0F3A();
constinit const FormTable kVexForms[3] = {Vex1(), Vex2(), Vex3()};
constinit const FormTable kEvexForms[6] = {Evex1(), Evex2(), Evex3(), FormTable{}, Evex5(), Evex6()};

}  // namespace softlbr::x86
