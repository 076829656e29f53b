// The programs whose paths are tested: those of this machine, and AArch64 ones under emulation.
#ifndef SOFTLBR_TESTS_PATHS_PATH_PROGRAMS_H_
#define SOFTLBR_TESTS_PATHS_PATH_PROGRAMS_H_

#include <string>
#include <vector>

#include "tests/paths/path_points.h"

namespace softlbr::paths {

struct PathProgram {
  std::string name;
  std::string missing;  // what it needs and this machine lacks; empty: it can be started
  StartProgram start;
};

// The programs of bench/program_inputs.h. `folder` holds their inputs; the first start makes what they prepare
// themselves.
std::vector<PathProgram> NativePrograms(const std::string& folder);

// A program of this machine by its shell command, in the current folder.
PathProgram CommandProgram(const std::string& command);

// Debian's AArch64 programs as toolchain/scripts/cross/setup.sh unpacks them into `root`, on the emulated CPU of that
// name; the inputs are the same. After them, those of tests/paths/programs, built into `own`, which run for ever and
// need the CPU "max".
std::vector<PathProgram> A64Programs(const std::string& folder, const std::string& root, const std::string& own,
                                     const std::string& cpu);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_PATH_PROGRAMS_H_
