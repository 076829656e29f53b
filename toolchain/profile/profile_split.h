// Splits a profile of several processes into one file for each session.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_SPLIT_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_SPLIT_H_

#include <cstddef>
#include <string>

namespace softlbr::toolchain {

// Writes the frames of each session, unchanged and in their order, to `folder`/PROGRAM.PID.slbr, which replaces a file
// of that name. The second session of a program in a process goes to PROGRAM.PID-2.slbr, and so on. Bytes that belong
// to no intact frame follow the frame before them, so that readers count the damage. In file names, slashes and control
// characters of the program's name are '_', and so is a leading dot; the name is cut after 200 bytes. Result: the
// number of files. StatedFailure if `path` cannot be read or a file cannot be written; files written before it are
// complete. Memory: the profile once, and 16 bytes a frame.
size_t SplitProfile(const std::string& path, const std::string& folder);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_SPLIT_H_
