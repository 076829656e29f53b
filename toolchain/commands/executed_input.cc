#include "toolchain/commands/executed_input.h"

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_agreement.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {

ExecutedInput::ExecutedInput(const std::vector<std::string>& paths, const std::vector<std::string>& binaries)
    : profile(LoadProfiles(paths)),
      files(binaries, ListProfiles(paths)[0]),
      symbolizer(std::make_unique<Symbolizer>(profile, files)),
      code(DecodeExecutedCode(profile, symbolizer.get())) {
  if (profile.ranges.empty()) {
    throw StatedFailure(SafeText(paths[0]) + ": holds no executed range; `softlbr stats` shows where they were lost");
  }
  for (uint32_t module = 0; module < profile.modules.size(); ++module) {
    const ElfImagePtr& file = symbolizer->File(module);
    const std::string contradiction =
        file == nullptr ? "" : DescribeContradiction(CompareWithCode(profile, module, *file), *file);
    if (!contradiction.empty()) Warn(contradiction);
  }
  if (code.modules.empty()) {
    std::string other;
    for (const ProfileModule& module : profile.modules) {
      if (module.is_main) other = files.DescribeOtherBuild(module);
    }
    throw StatedFailure(SafeText(paths[0]) + ": none of its modules was found" +
                        (other.empty() ? "; name their files with -b, or record without --no-paths"
                                       : ": " + other + "; keep the file that ran, or name it with -b"));
  }
  for (const uint32_t module : code.unread_modules) {
    const ProfileModule& unread = profile.modules[module];
    const std::string other = symbolizer->File(module) == nullptr ? files.DescribeOtherBuild(unread) : "";
    Warn(SafeText(unread.name) + " (" + BuildIdText(unread.build_id) + ") was not found or cannot be decoded" +
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
