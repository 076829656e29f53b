// The direct branches of a profile's modules, from their ELF files and the decoder plugins: for profiles in the lean form.
//
// Memory: an open file and a decoder for each module that was asked for, for the object's lifetime.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_MODULE_BRANCHES_H_
#define SOFTLBR_TOOLCHAIN_BINARY_MODULE_BRANCHES_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/binary/module_files.h"
#include "toolchain/profile/module_code.h"

namespace softlbr::toolchain {

class ModuleBranches final : public CodeFinder {
 public:
  // As for ModuleFiles, whose folders are first looked at when a module is asked for.
  ModuleBranches(std::vector<std::string> named, std::string profile_path)
      : named_(std::move(named)), profile_path_(std::move(profile_path)) {}

  ModuleCode* Find(const ProfileModule& module) override;

 private:
  std::vector<std::string> named_;
  std::string profile_path_;
  std::optional<ModuleFiles> files_;
  std::map<std::string, std::unique_ptr<ModuleCode>> found_;  // by ModuleIdentity; null: no file
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_MODULE_BRANCHES_H_
