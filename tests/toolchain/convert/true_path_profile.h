// Makes the profile that a perfect recorder would write: a true path, divided into adjacent traces.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_CONVERT_TRUE_PATH_PROFILE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_CONVERT_TRUE_PATH_PROFILE_H_

#include <cstddef>
#include <string>

#include "tests/truth/true_path.h"
#include "toolchain/profile/profile.h"

namespace softlbr::testing {

// Counts every taken branch once, and the ranges between adjacent branches of a trace if they are in one module. Keeps
// whole traces. main_program: path of the module to mark as the program.
toolchain::Profile ProfileOfTruePath(const truth::TruePath& path, size_t branches_per_trace,
                                     const std::string& main_program);

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_CONVERT_TRUE_PATH_PROFILE_H_
