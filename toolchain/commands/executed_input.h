// The input of `softlbr blocks` and `softlbr mix`: a profile or the sum of several, the files of its modules and their
// executed code.
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_EXECUTED_INPUT_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_EXECUTED_INPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "toolchain/binary/module_files.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

struct ExecutedInput {
  // binaries: files given with -b. Warns about modules that were not read, and about files whose code contradicts the
  // profile. StatedFailure if no code can be decoded.
  // paths: files and folders.
  ExecutedInput(const std::vector<std::string>& paths, const std::vector<std::string>& binaries);
  ExecutedInput(const ExecutedInput&) = delete;
  ExecutedInput& operator=(const ExecutedInput&) = delete;

  std::vector<std::string> UnreadNames() const;
  // The file with the source lines of a module that was read: its own, or that of its debug information.
  std::string LinesFile(uint32_t module) const;

  const Profile profile;
  const ModuleFiles files;
  const std::unique_ptr<Symbolizer> symbolizer;
  const ExecutedCode code;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_EXECUTED_INPUT_H_
