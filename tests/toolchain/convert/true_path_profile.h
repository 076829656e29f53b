// The profile that a perfect recorder would have written: a true path cut into traces without a gap.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_CONVERT_TRUE_PATH_PROFILE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_CONVERT_TRUE_PATH_PROFILE_H_

#include <cstddef>
#include <string>

#include "tests/truth/true_path.h"
#include "toolchain/profile/profile.h"

namespace softlbr::testing {

// Every taken branch once; straight runs between neighbours of one trace, where both lie in one module. Whole traces
// are kept. `main_program`: path of the module to mark as the program.
toolchain::Profile ProfileOfTruePath(const truth::TruePath& path, size_t branches_per_trace, const std::string& main_program);

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_CONVERT_TRUE_PATH_PROFILE_H_
