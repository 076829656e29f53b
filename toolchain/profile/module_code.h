// What reading and writing lean profiles needs of a module's file: where its direct branches go. Host code.
//
// Who: profile_decoder.cc and profile_writer_host.cc ask; toolchain/binary/module_branches.h answers from ELF files.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_MODULE_CODE_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_MODULE_CODE_H_

#include <cstdint>
#include <optional>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

class ModuleCode {
 public:
  virtual ~ModuleCode() = default;
  // Target of the direct branch (conditional, jump or call) whose first byte is at this link-time address; nothing for any other
  // instruction.
  virtual std::optional<uint64_t> DirectTarget(uint64_t address) = 0;
};

class CodeFinder {
 public:
  virtual ~CodeFinder() = default;
  // The code of the very file that was recorded: the same build id, which is not empty, and the same segments. nullptr if there is no
  // such file or no decoder for it. Valid as long as the finder.
  virtual ModuleCode* Find(const ProfileModule& module) = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_MODULE_CODE_H_
