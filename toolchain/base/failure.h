// How a command fails: exceptions with exit codes. main() catches them.
//
// The text is one line with cause and remedy, without "softlbr: " in front and without a newline.
#ifndef SOFTLBR_TOOLCHAIN_BASE_FAILURE_H_
#define SOFTLBR_TOOLCHAIN_BASE_FAILURE_H_

#include <stdexcept>
#include <string>

namespace softlbr::toolchain {

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
// `softlbr merge`: the result was written, without some of the inputs.
inline constexpr int kExitLeftOut = 3;
// `softlbr record`, as shells have it: the program is there but cannot be executed, or there is none.
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// The command failed for the stated reason.
class StatedFailure : public std::runtime_error {
 public:
  explicit StatedFailure(const std::string& cause_and_remedy, int exit_code = kExitFailure)
      : std::runtime_error(cause_and_remedy), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// Exit code kExitUsage: wrong usage.
class UsageFailure : public std::runtime_error {
 public:
  explicit UsageFailure(const std::string& cause_and_remedy) : std::runtime_error(cause_and_remedy) {}
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_FAILURE_H_
