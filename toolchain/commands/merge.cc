// `softlbr merge`: adds several profiles into one.
#include "toolchain/commands/commands.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

int RunMerge(const MergeOptions& options, std::ostream& out) {
  (void)out;
  ProfileBuilder builder;
  {
    Progress progress("merging", options.profiles.size());
    for (size_t i = 0; i < options.profiles.size(); ++i) {
      progress.Step(i);
      const std::string& path = options.profiles[i];
      std::vector<uint64_t> repeated;
      if (!builder.AddProfile(LoadProfile(path), &repeated)) {
        throw StatedFailure(SafeText(path) + ": with the profiles named before it, more than fits " +
                            std::to_string(kMaxProfileBytes >> 20) + " MiB in memory; merge fewer, or profiles without traces");
      }
      for (const uint64_t session : repeated) {
        Warn(SafeText(path) + ": session " + Hex(session) +
             " is already in; branch counts are added, session counters taken once. Was it named twice?");
      }
    }
  }
  const Profile sum = builder.Take();
  ReplacedFile file(options.output);
  const std::string error = WriteProfileFile(sum, file.temporary());
  if (!error.empty()) throw StatedFailure(error);
  file.Commit();
  return 0;
}

}  // namespace softlbr::toolchain
