// Contract: mnemonic.h.
#include <cstdio>

#include "tests/paths/mnemonic/mnemonic.h"

namespace softlbr::paths {

std::string MnemonicOf(uint16_t, const uint8_t* code, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x ", code[i]);
    text += byte;
  }
  return text;
}

}  // namespace softlbr::paths
