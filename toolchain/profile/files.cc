#include "toolchain/profile/files.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

void WarnOfDamage(const std::string& path, const Profile& profile) {
  if (profile.damaged_frames != 0) {
    Warn(SafeText(path) + ": " + Counted(profile.damaged_frames, "damaged frame") + " skipped; " +
         (profile.damaged_frames == 1 ? "its" : "their") + " counts are missing");
  }
  if (profile.missing_frames > profile.damaged_frames) {
    const uint64_t lost = profile.missing_frames - profile.damaged_frames;
    Warn(SafeText(path) + ": " + Counted(lost, "frame was", "frames were") + " written but " +
         (lost == 1 ? "is not in the file; its" : "are not in the file; their") + " counts are missing");
  }
  if (profile.repeated_frames != 0) {
    Warn(SafeText(path) + ": " + Counted(profile.repeated_frames, "frame is", "frames are") +
         " in the file a second time (was it joined to itself?); each is counted once");
  }
  if (profile.is_truncated) {
    Warn(SafeText(path) + ": the end is missing (the program was killed, or the file was cut); what is there is used");
  }
}

}  // namespace

Profile LoadProfile(const std::string& path, DamageWarnings warnings) {
  const bool stays_in_file = !IsSpecialFile(path);
  auto read = [&] {
    const Waiting waiting("reading " + SafeText(path));
    return stays_in_file ? ReadProfileFile(path, [](const Trace&) {}) : ReadProfileFile(path);
  }();
  if (const auto* error = std::get_if<ReadError>(&read)) {
    if (error->is_unopened) throw StatedFailure(error->message);
    throw UnreadableProfile(error->message);
  }
  Profile profile = std::move(std::get<Profile>(read));
  if (stays_in_file) profile.traces_file = path;
  if (warnings == DamageWarnings::kGiven) WarnOfDamage(path, profile);
  return profile;
}

namespace {

// Where `softlbr collect` keeps the parts of a session until all of them are there.
bool IsSessionFolder(const std::string& name) {
  return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::vector<std::string> ListProfiles(const std::vector<std::string>& paths) {
  std::vector<std::string> profiles;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      profiles.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    uint64_t arriving = 0;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() == ".slbr") found.push_back(at->path().string());
      if (IsSessionFolder(at->path().filename().string())) ++arriving;
    }
    if (arriving != 0) {
      Warn(SafeText(path) + ": " + Counted(arriving, "session is", "sessions are") +
           " not complete yet and left out; softlbr collect makes each a file here once its end has arrived, or after "
           "a quiet day");
    }
    if (error) throw StatedFailure(SafeText(path) + ": cannot be read: " + error.message() + "; name profiles in it");
    if (found.empty()) throw StatedFailure(SafeText(path) + ": holds no file that ends in .slbr; name a profile");
    std::sort(found.begin(), found.end());
    profiles.insert(profiles.end(), found.begin(), found.end());
  }
  return profiles;
}

Profile LoadProfiles(const std::vector<std::string>& paths) {
  const std::vector<std::string> profiles = ListProfiles(paths);
  if (profiles.size() == 1) return LoadProfile(profiles[0]);
  const TraceVisitor leave_out = [](const Trace&) {};
  ProfileBuilder builder(&leave_out);
  for (const std::string& path : profiles) {
    std::vector<uint64_t> repeated;
    if (!builder.AddProfile(LoadProfile(path), &repeated)) {
      throw StatedFailure(SafeText(path) + ": with the profiles before it, more than fits " +
                          std::to_string(kMaxProfileBytes >> 20) + " MiB in memory; name fewer");
    }
    for (const uint64_t session : repeated) {
      Warn(SafeText(path) + ": session " + Hex(session) +
           " is already in; its branch counts are added, its counters taken once");
    }
  }
  return builder.Take();
}

void VisitTraces(const Profile& profile, const TraceVisitor& visit) {
  for (const Trace& trace : profile.traces) visit(trace);
  if (profile.traces_file.empty() || profile.whole_traces == 0) return;
  // Should the file have changed, no location may be outside the modules that the caller knows.
  const auto modules = static_cast<uint32_t>(profile.modules.size());
  const auto is_known = [modules](const Location& location) {
    return location.module < modules || location == Location{};
  };
  bool is_same = true;
  const Waiting waiting("reading traces from " + SafeText(profile.traces_file));
  const auto read = ReadTraces(profile.traces_file, [&](const Trace& trace) {
    is_same = is_same && is_known(trace.sampled_pc);
    for (const auto& [from, to] : trace.branches) is_same = is_same && is_known(from) && is_known(to);
    if (is_same) visit(trace);
  });
  if (std::holds_alternative<ReadError>(read)) throw StatedFailure(std::get<ReadError>(read).message);
  if (!is_same || std::get<Profile>(read).whole_traces != profile.whole_traces) {
    throw StatedFailure(SafeText(profile.traces_file) +
                        ": has changed while it was read; try again when it is complete");
  }
}

}  // namespace softlbr::toolchain
