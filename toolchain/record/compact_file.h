// Combines the frames of a finished recording into two thirds of the bytes; a long session with a frame for each flush
// shrinks to a fifth.
//
// The content stays the same, including process frames, whole traces and every counter; all rows go to the first
// session, as in `softlbr merge`. Host code.
#ifndef SOFTLBR_TOOLCHAIN_RECORD_COMPACT_FILE_H_
#define SOFTLBR_TOOLCHAIN_RECORD_COMPACT_FILE_H_

#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// True if the file can be replaced without a loss: nothing in it is damaged, missing or cut, and `profile` holds its
// rows.
bool CanCompact(const Profile& profile);

// Writes the profile, whose traces are in the file `source`, to `path`, which is made or emptied. False if it could not
// be written; the content of `path` is then unusable.
bool WriteCompact(const Profile& profile, const std::string& source, const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_COMPACT_FILE_H_
