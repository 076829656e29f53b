// Finds the ELF files behind a profile's modules, by build id.
//
// A profile may name modules without folders, so the usual folders are searched. Files that the user names are tried
// first. A file is accepted only if its build id matches the module's or, if neither has one, if name and segments
// match. Without a match there is no file.
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

// True if `image` is the file that was recorded as `module`.
bool IsModuleFile(const ProfileModule& module, const ElfImage& image);
// Whether a file that a user names can be that of the module under another name: neither has a build id, and their
// segments are equal.
bool CanBeRenamed(const ProfileModule& module, const ElfImage& image);
// "build id 1f2e", or "no build id".
std::string BuildIdText(const std::vector<uint8_t>& build_id);

// How well a file for which IsModuleFile is true fits: files of different content can have one build id (mold, hand-set
// ids), and are told apart by their segments, then by their names. 3: both are the module's.
int ModuleFit(const ProfileModule& module, const ElfImage& image);

// What a separate debug file is for: the names of functions, or also their source lines.
enum class DebugUse { kNames, kLines };

class ModuleFiles {
 public:
  // named: files given with -b; StatedFailure if one is not an ELF file. profile_path: its folder is searched too.
  ModuleFiles(const std::vector<std::string>& named, const std::string& profile_path);

  // The module's file, or nullptr; a separate debug file only if it was named and there is no other. Expensive, as it
  // opens files: callers should cache the result.
  ElfImagePtr Find(const ProfileModule& module) const;
  // For a module that Find does not find: "./t is another build (build id 1f2e)", about the first file with its name in
  // the folders that Find searches, for example a program that was rebuilt after the recording. Empty if there is none.
  // Safe for a terminal.
  std::string DescribeOtherBuild(const ProfileModule& module) const;
  // The separate debug file of an image, or nullptr: one that was named (-b), else what FindSeparateDebugFile finds,
  // also in the folders of named ones. Nothing is searched for if the image has what it is for.
  ElfImagePtr FindDebugFile(const ElfImage& image, DebugUse use) const;

  // Searches the folders of these modules' paths, too: for a store that keeps their base names only.
  void AddFoldersOf(const std::vector<ProfileModule>& modules);

  const std::vector<ElfImagePtr>& named() const { return named_; }

 private:
  ElfImagePtr Search(const ProfileModule& module) const;
  ElfImagePtr SearchByName(const ProfileModule& module, const std::string& name) const;

  std::vector<ElfImagePtr> named_;
  std::vector<std::string> folders_;                // searched for the module's base name
  std::multimap<std::string, std::string> mapped_;  // files that this process has mapped: base name -> path
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_MODULE_FILES_H_
