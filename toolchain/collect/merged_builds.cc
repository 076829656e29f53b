#include "toolchain/collect/merged_builds.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/text.h"
#include "toolchain/collect/joined_session.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

constexpr char kMergedFolder[] = "/.merged";

// A folder that is removed with its content.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent) : path_(parent + "/" + FolderStore::kScratchPrefix + "XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
      throw StatedFailure(std::string("no folder for the merge: ") + std::strerror(errno));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The build ids of its programs.
std::set<std::string> BuildsOf(const std::string& path) {
  std::set<std::string> builds;
  const auto read = ReadProfileFile(path, [](const Trace&) {});
  if (!std::holds_alternative<Profile>(read)) return builds;
  for (const ProfileModule& module : std::get<Profile>(read).modules) {
    if (module.is_main) builds.insert(HexBytes(module.build_id));
  }
  return builds;
}

// The sessions of a sum; none if it cannot be read, so it is made anew.
std::set<uint64_t> SessionsOf(const std::string& path) {
  std::set<uint64_t> sessions;
  const auto read = ReadProfileFile(path, [](const Trace&) {});
  if (!std::holds_alternative<Profile>(read)) return sessions;
  const Profile& profile = std::get<Profile>(read);
  if (profile.damaged_frames != 0 || profile.is_truncated) return sessions;
  for (const ProfileSession& session : profile.sessions) sessions.insert(session.session_id);
  return sessions;
}

}  // namespace

std::vector<std::string> MergedBuilds::NewOf(const std::string& build_id, const std::set<uint64_t>& merged) {
  std::vector<std::string> profiles;
  for (const auto& [session, path] : store_.Joined()) {
    if (merged.contains(session)) continue;
    if (!builds_.contains(session)) builds_[session] = BuildsOf(path);
    if (builds_[session].contains(build_id)) profiles.push_back(path);
  }
  return profiles;
}

int MergedBuilds::Open(const std::string& build_id) {
  const std::string folder = store_.folder() + kMergedFolder;
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    throw StatedFailure(SafeText(folder) + ": cannot be created: " + std::strerror(errno));
  }
  const std::string sum = folder + "/" + build_id + ".slbr";
  const std::set<uint64_t> merged = SessionsOf(sum);
  std::vector<std::string> profiles = NewOf(build_id, merged);
  if (!profiles.empty()) {
    ReplacedFile next(sum);
    if (!merged.empty()) profiles.insert(profiles.begin(), sum);
    merge_(profiles, next.temporary());
    next.Commit();
  }
  profiles.clear();
  if (!merged.empty() || access(sum.c_str(), R_OK) == 0) profiles.push_back(sum);

  const ScratchFolder scratch(store_.folder());
  for (const auto& [session, segments] : store_.Arriving()) {
    const std::string path = scratch.path() + "/" + SessionText(session) + ".slbr";
    if (JoinSegments(segments, path) != 0) throw StatedFailure("the sessions cannot be copied; free space");
    if (BuildsOf(path).contains(build_id)) profiles.push_back(path);
  }
  if (profiles.empty()) return -1;
  std::string result = sum;
  if (profiles != std::vector{sum}) {
    result = scratch.path() + "/sum";
    merge_(profiles, result);
  }
  return open(result.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace softlbr::toolchain
