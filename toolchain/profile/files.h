// Reads profiles, with the warnings that all commands share.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Thrown by LoadProfile for a file that is there but holds no profile that can be read.
class UnreadableProfile : public StatedFailure {
 public:
  using StatedFailure::StatedFailure;
};

// Whether LoadProfile warns about what is damaged, missing or cut.
enum class DamageWarnings { kGiven, kLeftOut };

// Reads a profile; StatedFailure if that fails. Warns about damaged and missing frames and about a truncated file.
// Whole traces, which may exceed the memory, stay in the file if it can be read again: VisitTraces gets them one by
// one.
Profile LoadProfile(const std::string& path, DamageWarnings warnings = DamageWarnings::kGiven);

// The profiles that the paths name; a folder names its files that end in .slbr, in the order of their names.
// StatedFailure if it has none.
std::vector<std::string> ListProfiles(const std::vector<std::string>& paths);
// LoadProfile, or the sum of several, of whose whole traces only the number is kept. StatedFailure if it does not fit
// the memory.
Profile LoadProfiles(const std::vector<std::string>& paths);

// Calls visit with every whole trace of a profile. StatedFailure if its file cannot be read again or has changed.
void VisitTraces(const Profile& profile, const TraceVisitor& visit);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
