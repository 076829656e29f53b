// Lines for the user, on stderr.
#ifndef SOFTLBR_TOOLCHAIN_BASE_SAY_H_
#define SOFTLBR_TOOLCHAIN_BASE_SAY_H_

#include <string>

namespace softlbr::toolchain {

// One line on stderr: "softlbr: <text>". By one write, so that what a recorded program writes there comes before or
// after it.
void Say(const std::string& text);
// "softlbr: warning: <text>".
void Warn(const std::string& text);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_SAY_H_
