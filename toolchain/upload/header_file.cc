// Header lines, and the file of --header-file (http_client.h).
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/upload/http_client.h"

namespace softlbr::toolchain {
// A name is a token of RFC 9110. A value has no control character, so a line cannot smuggle in another header.
bool IsHeaderLine(std::string_view line) {
  constexpr std::string_view kNameCharacters =
      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  if (line.substr(0, colon).find_first_not_of(kNameCharacters) != std::string_view::npos) return false;
  const std::string_view value = line.substr(colon + 1);
  return value.find_first_not_of(" \t") != std::string_view::npos &&
         std::none_of(value.begin(), value.end(),
                      [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

std::vector<std::string> ReadHeaderFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw StatedFailure(SafeText(path) + ": cannot be opened: " + std::strerror(errno));
  std::vector<std::string> headers;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    if (!IsHeaderLine(line)) {
      throw StatedFailure(SafeText(path) + ":" + std::to_string(number) +
                          ": is not a header; write one 'Name: value' a line");
    }
    headers.push_back(line);
  }
  if (file.bad() || !file.eof()) throw StatedFailure(SafeText(path) + ": cannot be read: " + std::strerror(errno));
  return headers;
}

}  // namespace softlbr::toolchain
