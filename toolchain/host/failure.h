// How a command gives up: one exception per exit code, caught once in main.
//
// The text is one line of cause and remedy, without the program's name and without a final full stop's newline.
#ifndef SOFTLBR_TOOLCHAIN_HOST_FAILURE_H_
#define SOFTLBR_TOOLCHAIN_HOST_FAILURE_H_

#include <stdexcept>
#include <string>

namespace softlbr::toolchain {

// Exit code 1: a stated failure.
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
