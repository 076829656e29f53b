// Finds the ELF files behind a profile's modules, by build id.
//
// A profile names modules without folders unless the app allowed paths, so places where such a file usually lies are
// tried; a file is accepted only if its build id is the module's (or, when neither has one, its name and segments are).
// Files the user names are tried first. Nothing is guessed beyond that: no match means no file.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_MODULE_FILES_H_
#define SOFTLBR_TOOLCHAIN_BINARY_MODULE_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// The name without folders.
std::string BaseName(const std::string& path);

// True if `image` is the file that the profile's module was.
bool IsModuleFile(const ProfileModule& module, const ElfImage& image);

class ModuleFiles {
 public:
  // `named`: files given with -b; one that is no ELF file fails (StatedFailure). `profile_path`: its folder is tried
  // too.
  ModuleFiles(const std::vector<std::string>& named, const std::string& profile_path);

  // The module's file, or nullptr. Opens files; the answer should be kept.
  ElfImagePtr Find(const ProfileModule& module) const;
  // The separate debug file of an image, or nullptr.
  ElfImagePtr FindDebugFile(const ElfImage& image) const;

  const std::vector<ElfImagePtr>& named() const { return named_; }

 private:
  std::vector<ElfImagePtr> named_;
  std::vector<std::string> folders_;                // tried with the module's base name
  std::multimap<std::string, std::string> mapped_;  // files mapped by this very process: base name -> path
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_MODULE_FILES_H_
