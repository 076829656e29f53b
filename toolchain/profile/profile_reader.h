// Reads a .slbr file or buffer into a Profile. Host code; input is hostile.
//
// Result: the profile with whatever intact frames held, or an error with cause and remedy in one line. At most
// kMaxReaderBytes of memory whatever the input says.
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

// Writes a profile back (merge). Returns an error message, empty on success. Sessions need distinct ids to stay apart.
std::string WriteProfileFile(const Profile& profile, const std::string& path);
// The same to an open file; the message is without a name.
std::string WriteProfile(const Profile& profile, std::FILE* file);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_
