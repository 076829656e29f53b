// How a command fails: one exception per exit code. main() catches them.
//
// The text is one line with cause and remedy, without "softlbr: " in front and without a newline.
#ifndef SOFTLBR_TOOLCHAIN_HOST_FAILURE_H_
#define SOFTLBR_TOOLCHAIN_HOST_FAILURE_H_

#include <stdexcept>
#include <string>

namespace softlbr::toolchain {

// Exit code 1: the command failed for the stated reason.
class StatedFailure : public std::runtime_error {
 public:
  explicit StatedFailure(const std::string& cause_and_remedy) : std::runtime_error(cause_and_remedy) {}
};

// Exit code 2: wrong usage.
class UsageFailure : public std::runtime_error {
 public:
  explicit UsageFailure(const std::string& cause_and_remedy) : std::runtime_error(cause_and_remedy) {}
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_HOST_FAILURE_H_
