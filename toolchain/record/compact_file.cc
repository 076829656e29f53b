#include "toolchain/record/compact_file.h"

#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

bool CanCompact(const Profile& profile) {
  return profile.damaged_frames == 0 && profile.missing_frames == 0 && !profile.is_truncated &&
         !profile.sessions.empty();
}

bool WriteCompact(const Profile& profile, const std::string& source, const std::string& path) {
  bool is_good = true;
  uint64_t traces = 0;
  const TraceFeed feed = [&](const TraceVisitor& visit) {
    if (profile.whole_traces == 0) return;
    traces = 0;
    const auto read = ReadTraces(source, [&](const Trace& trace) {
      ++traces;
      visit(trace);
    });
    is_good = is_good && std::holds_alternative<Profile>(read) && traces == profile.whole_traces;
  };
  return WriteProfileFile(profile, path, feed).empty() && is_good;
}

}  // namespace softlbr::toolchain
