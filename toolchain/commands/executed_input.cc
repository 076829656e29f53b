#include "toolchain/commands/executed_input.h"

#include "toolchain/host/failure.h"
#include "toolchain/host/names.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {

ExecutedInput::ExecutedInput(const std::string& profile_path, const std::vector<std::string>& binaries)
    : lean_code(binaries, profile_path),
      profile(LoadProfile(profile_path, &lean_code, WithoutCode::kWarns)),
      files(binaries, profile_path),
      symbolizer(std::make_unique<Symbolizer>(profile, files)),
      code(DecodeExecutedCode(profile, symbolizer.get())) {
  if (profile.ranges.empty()) {
    throw StatedFailure(SafeText(profile_path) + ": holds no executed range; `softlbr stats` shows where they were lost");
  }
  if (code.modules.empty()) {
    throw StatedFailure(SafeText(profile_path) +
                        ": none of its modules was found; name their files with -b, or record with --paths");
  }
  for (const uint32_t module : code.unread_modules) {
    const ProfileModule& unread = profile.modules[module];
    Warn(SafeText(unread.name) + " (build id " + HexBytes(unread.build_id) +
         ") was not found or cannot be decoded, so its code is left out; name its file with -b");
  }
}

std::vector<std::string> ExecutedInput::UnreadNames() const {
  std::vector<std::string> names;
  for (const uint32_t module : code.unread_modules) names.push_back(profile.modules[module].name);
  return names;
}

}  // namespace softlbr::toolchain
