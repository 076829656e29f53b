// Reads a .slbr file or buffer into a Profile. Host code; input is hostile.
//
// Result: a profile with the content of all intact frames, or a one-line error with cause and remedy.
// Memory: at most kMaxReaderBytes for any input. Whole traces may need more than that: the functions with a visitor do
// not keep them.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kMaxReaderBytes = 256ull << 20;

struct ReadError {
  std::string message;       // "p.slbr: not a softlbr profile (bad magic); was it written by `softlbr record`?"
  bool is_unopened = false;  // there is no such file, or it may not be read
};

std::variant<Profile, ReadError> ReadProfile(std::span<const uint8_t> bytes, const std::string& display_name);
std::variant<Profile, ReadError> ReadProfileFile(const std::string& path);
// The same, but each whole trace goes to `visit`, in the order of the file. Profile::traces is empty, whole_traces
// their number.
std::variant<Profile, ReadError> ReadProfileFile(const std::string& path, const TraceVisitor& visit);
// Only the whole traces of a file: modules, sessions and state are read, the counts are not.
std::variant<Profile, ReadError> ReadTraces(const std::string& path, const TraceVisitor& visit);

// Calls the visitor with every trace to write, the same each time.
using TraceFeed = std::function<void(const TraceVisitor&)>;

// Writes a profile (merge), with the traces of `feed` if there is one, else with profile.traces. Returns an error
// message, empty on success. Session ids must be distinct.
std::string WriteProfileFile(const Profile& profile, const std::string& path, const TraceFeed& feed = {});
// The same to an open file; the error message does not name the file.
std::string WriteProfile(const Profile& profile, std::FILE* file, const TraceFeed& feed = {});

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_READER_H_
