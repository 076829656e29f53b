#include "toolchain/commands/executed_input.h"

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {

ExecutedInput::ExecutedInput(const std::string& profile_path, const std::vector<std::string>& binaries)
    : profile(LoadProfile(profile_path)),
      files(binaries, profile_path),
      symbolizer(std::make_unique<Symbolizer>(profile, files)),
      code(DecodeExecutedCode(profile, symbolizer.get())) {
  if (profile.ranges.empty()) {
    throw StatedFailure(SafeText(profile_path) + ": holds no executed range; `softlbr stats` shows where they were lost");
  }
  if (code.modules.empty()) {
    std::string other;
    for (const ProfileModule& module : profile.modules) {
      if (module.is_main) other = files.DescribeOtherBuild(module);
    }
    throw StatedFailure(SafeText(profile_path) + ": none of its modules was found" +
                        (other.empty() ? "; name their files with -b, or record without --no-paths"
                                       : ": " + other + "; keep the file that ran, or name it with -b"));
  }
  for (const uint32_t module : code.unread_modules) {
    const ProfileModule& unread = profile.modules[module];
    const std::string other = symbolizer->File(module) == nullptr ? files.DescribeOtherBuild(unread) : "";
    Warn(SafeText(unread.name) + " (build id " + HexBytes(unread.build_id) + ") was not found or cannot be decoded" +
         (other.empty() ? "" : " (" + other + ")") + ", so its code is left out; name its file with -b");
  }
}

std::string ExecutedInput::LinesFile(uint32_t module) const {
  const ElfImagePtr file = symbolizer->File(module);
  const ElfImagePtr debug = files.FindDebugFile(*file, DebugUse::kLines);
  return debug != nullptr ? debug->path() : file->path();
}

std::vector<std::string> ExecutedInput::UnreadNames() const {
  std::vector<std::string> names;
  for (const uint32_t module : code.unread_modules) names.push_back(profile.modules[module].name);
  return names;
}

}  // namespace softlbr::toolchain
