// A module's code that no file has: for tests and fuzzers of lean profiles.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_PROFILE_MADE_UP_CODE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_PROFILE_MADE_UP_CODE_H_

#include <cstdint>
#include <optional>

#include "toolchain/profile/module_code.h"

namespace softlbr::testing {

// Each instruction at a multiple of 4 is a direct branch `distance` bytes ahead; there is no other branch.
class MadeUpCode final : public toolchain::ModuleCode, public toolchain::CodeFinder {
 public:
  explicit MadeUpCode(uint64_t distance) : distance_(distance) {}
  std::optional<uint64_t> DirectTarget(uint64_t address) override {
    return address % 4 == 0 ? std::optional<uint64_t>(address + distance_) : std::nullopt;
  }
  ModuleCode* Find(const toolchain::ProfileModule& module) override { return module.build_id.empty() ? nullptr : this; }

 private:
  uint64_t distance_;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_PROFILE_MADE_UP_CODE_H_
