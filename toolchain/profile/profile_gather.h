// Adds frames that other users have written to a profile of ours.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_GATHER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_GATHER_H_

#include <cstdint>
#include <set>
#include <string>

namespace softlbr::toolchain {

// The sessions that have a whole frame in the file. StatedFailure if it cannot be read.
std::set<uint64_t> SessionsIn(const std::string& path);

// Appends the whole frames of file descriptor `from` to `to`, except those of the sessions in *taken: whoever wrote
// them cannot add to the sessions of others. Then adds its sessions to *taken. Only what stands before the file's first
// hole is read, so nobody makes us write more than they have written. Somebody may still write to `from`. StatedFailure
// if reading or writing fails; what was appended until then is whole frames, but for one that the medium had no room
// for.
void AppendNewSessions(int from, int to, std::set<uint64_t>* taken);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_GATHER_H_
