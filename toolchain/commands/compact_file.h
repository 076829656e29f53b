// Combines the frames of a finished recording: half the bytes, or a fifth of those of a long session with a frame for each flush.
//
// The content stays the same, process frames, whole traces and every counter included; the rows go to the first session (as `softlbr
// merge` has it). Host code.
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_COMPACT_FILE_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_COMPACT_FILE_H_

#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// True if the file can be replaced without a loss: nothing in it is damaged, missing or cut, and `profile` holds its rows.
bool CanCompact(const Profile& profile);

// Writes the profile, whose traces are in the file `source`, to `path`, which is made or emptied. False if it could not be written;
// `path` is then of no use.
bool WriteCompact(const Profile& profile, const std::string& source, const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_COMPACT_FILE_H_
