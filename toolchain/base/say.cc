#include "toolchain/base/say.h"

#include <iostream>

namespace softlbr::toolchain {

void Say(const std::string& text) {
  const std::string line = "softlbr: " + text + "\n";
  std::cerr << line;
}

void Warn(const std::string& text) { Say("warning: " + text); }

}  // namespace softlbr::toolchain
