// The converters of whole traces, with their result as one text.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_CONVERT_CONVERTED_TEXT_H_
#define SOFTLBR_TESTS_TOOLCHAIN_CONVERT_CONVERTED_TEXT_H_

#include <string>

#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {

template <void (*Write)(const ConvertInput&, const TextSink&)>
std::string Text(const ConvertInput& input) {
  std::string text;
  Write(input, [&text](std::string_view part) { text += part; });
  return text;
}

inline std::string ToCsspgo(const ConvertInput& input) {
  std::string text;
  WriteCsspgo(input, [&text](std::string_view part) { text += part; });
  return text;
}
inline std::string ToPerfScript(const ConvertInput& input) { return Text<WritePerfScript>(input); }
inline std::string ToPerfData(const ConvertInput& input) { return Text<WritePerfData>(input); }

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TESTS_TOOLCHAIN_CONVERT_CONVERTED_TEXT_H_
