// The table filled by forms/*.S: instruction forms with the lengths and displacements that the assembler gives them.
#ifndef SOFTLBR_TESTS_DECODERS_FORMS_FORMS_H_
#define SOFTLBR_TESTS_DECODERS_FORMS_FORMS_H_

#include <cstdint>
#include <span>
#include <string>

namespace softlbr::test {

struct Form {
  const uint8_t* code;
  const char* text;
  uint32_t length;
  int32_t disp;
  uint64_t has_disp;
};
static_assert(sizeof(Form) == 32, "layout is forms.inc's");

extern "C" const Form __start_decode_forms[];
extern "C" const Form __stop_decode_forms[];

inline std::span<const Form> AllForms() { return {__start_decode_forms, __stop_decode_forms}; }

inline std::string Describe(const Form& form) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = form.text;
  text += " |";
  for (uint32_t i = 0; i < form.length; ++i) {
    text += ' ';
    text += kDigits[form.code[i] >> 4];
    text += kDigits[form.code[i] & 15];
  }
  return text;
}

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_DECODERS_FORMS_FORMS_H_
