// Reads a .slbr file or buffer into a Profile. Host code; input is hostile.
//
// Result: a profile with the content of all intact frames, or a one-line error with cause and remedy.
// Memory: at most kMaxReaderBytes for any input.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <variant>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kMaxReaderBytes = 256ull << 20;

struct ReadError {
  std::string message;  // "p.slbr: not a softlbr profile (bad magic); was it written by `softlbr record`?"
};

std::variant<Profile, ReadError> ReadProfile(std::span<const uint8_t> bytes, const std::string& display_name);
std::variant<Profile, ReadError> ReadProfileFile(const std::string& path);

// Writes a profile (merge). Returns an error message, empty on success. Session ids must be distinct.
std::string WriteProfileFile(const Profile& profile, const std::string& path);
// The same to an open file; the error message does not name the file.
std::string WriteProfile(const Profile& profile, std::FILE* file);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_
