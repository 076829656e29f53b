// `softlbr merge`: adds profiles up into one.
#include "toolchain/commands/commands.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/merger.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

int RunMerge(const MergeOptions& options, std::ostream& out) {
  (void)out;
  ProfileMerger merger;
  {
    Progress progress("merging", options.profiles.size());
    for (size_t i = 0; i < options.profiles.size(); ++i) {
      progress.Step(i);
      const std::string& path = options.profiles[i];
      for (const std::string& warning : merger.Add(LoadProfile(path), SafeText(path))) Warn(warning);
    }
  }
  const Profile sum = merger.Finish();
  ReplacedFile file(options.output);
  const std::string error = WriteProfileFile(sum, file.temporary());
  if (!error.empty()) throw StatedFailure(error);
  file.Commit();
  return 0;
}

}  // namespace softlbr::toolchain
