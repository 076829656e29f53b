#include "toolchain/collect/segment_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/collect/joined_session.h"

namespace softlbr::toolchain {
namespace {

constexpr char kCollectLock[] = ".collect-lock";
constexpr char kUnfinished[] = ".tmp-";
constexpr char kProfile[] = ".slbr";
constexpr uint64_t kDiskBlockBytes = 4096;
constexpr size_t kMaxDescribedSessions = 1000;

uint64_t DiskBytes(uint64_t bytes) { return (bytes + kDiskBlockBytes - 1) / kDiskBlockBytes * kDiskBlockBytes; }

// Writes and syncs a new file. 0 or errno.
int WriteSynced(const std::string& path, std::span<const uint8_t> bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  return error;
}

bool SyncFolder(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool is_synced = fsync(fd) == 0;
  close(fd);
  return is_synced;
}

PutResult ResultOfError(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? PutResult::kFull : PutResult::kFailed;
}

}  // namespace

FolderStore::FolderStore(const std::string& folder, uint64_t max_bytes, uint64_t quiet_s)
    : folder_(folder), max_bytes_(max_bytes), quiet_s_(quiet_s) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    throw StatedFailure(SafeText(folder) + ": cannot be created: " + std::strerror(errno));
  }
  lock_fd_ = open((folder + "/" + kCollectLock).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (lock_fd_ < 0) throw StatedFailure(SafeText(folder) + ": cannot be written: " + std::strerror(errno));
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_fd_);
    throw StatedFailure(SafeText(folder) + ": another collect stores there; name another folder");
  }
  try {
    Load();
  } catch (const std::filesystem::filesystem_error& error) {
    close(lock_fd_);
    throw StatedFailure(SafeText(folder) + ": cannot be read: " + error.code().message());
  }
}

FolderStore::~FolderStore() { close(lock_fd_); }

void FolderStore::Load() {
  std::vector<std::filesystem::path> unfinished;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kScratchPrefix) || name.starts_with(kUnfinished)) unfinished.push_back(entry.path());
    const auto joined = name.ends_with(kProfile) ? ParseSession(entry.path().stem().string()) : std::nullopt;
    if (joined && entry.is_regular_file()) AddJoined(*joined);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const auto session = ParseSession(entry.path().filename().string());
    if (!session || !entry.is_directory()) continue;
    if (joined_.contains(*session)) {  // killed between the join and the removal of its segments
      unfinished.push_back(entry.path());
    } else {
      LoadSession(*session);
    }
  }
  SyncFolder(folder_);
  for (const std::filesystem::path& path : unfinished) std::filesystem::remove_all(path);
  std::vector<uint64_t> complete;
  for (const auto& [session, segments] : sessions_) {
    if (IsCompleteLocked(session)) complete.push_back(session);
  }
  for (const uint64_t session : complete) JoinLocked(session);
  JoinQuietLocked();
}

void FolderStore::AddJoined(uint64_t session) {
  struct stat info {};
  if (stat(JoinedPath(session).c_str(), &info) != 0) return;
  joined_[session] = static_cast<uint64_t>(info.st_size);
  used_bytes_ += DiskBytes(joined_[session]);
}

void FolderStore::LoadSession(uint64_t session) {
  std::vector<std::filesystem::path> unfinished;
  for (const auto& entry : std::filesystem::directory_iterator(FolderOf(session))) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kUnfinished)) {
      unfinished.push_back(entry.path());
    } else if (const auto range = ParseRange(entry.path().stem().string()); range && name.ends_with(kProfile)) {
      sessions_[session][range->first] = {range->last, entry.file_size()};
      used_bytes_ += DiskBytes(entry.file_size());
    }
  }
  for (const std::filesystem::path& path : unfinished) std::filesystem::remove(path);
  SyncFolder(FolderOf(session));  // the last run may have been killed between a rename and this
}

std::string FolderStore::FolderOf(uint64_t session) const { return folder_ + "/" + SessionText(session); }
std::string FolderStore::JoinedPath(uint64_t session) const { return FolderOf(session) + kProfile; }
std::string FolderStore::PathOf(const SegmentName& name) const { return folder_ + "/" + SegmentPath(name) + kProfile; }

std::vector<std::string> FolderStore::PathsOf(uint64_t session, const Segments& segments) const {
  std::vector<std::string> paths;
  for (const auto& [first, stored] : segments) paths.push_back(PathOf({session, first, stored.last}));
  return paths;
}

bool FolderStore::IsCompleteLocked(uint64_t session) const {
  const Segments& segments = sessions_.at(session);
  uint32_t next = 0;
  for (const auto& [first, stored] : segments) {
    if (first != next) return false;
    next = stored.last + 1;
  }
  return next != 0 && HoldsEnd(PathsOf(session, segments).back());
}

// If that fails, the segments stay as they are.
void FolderStore::JoinLocked(uint64_t session) {
  const Segments& segments = sessions_.at(session);
  const std::vector<std::string> paths = PathsOf(session, segments);
  const std::string temporary = folder_ + "/" + kUnfinished + std::to_string(temporary_++);
  if (JoinSegments(paths, temporary) != 0 || std::rename(temporary.c_str(), JoinedPath(session).c_str()) != 0) {
    unlink(temporary.c_str());
    return;
  }
  if (!SyncFolder(folder_)) return;  // both are there; the next start decides
  for (const auto& [first, stored] : segments) used_bytes_ -= DiskBytes(stored.bytes);
  sessions_.erase(session);
  std::error_code ignored;
  std::filesystem::remove_all(FolderOf(session), ignored);
  AddJoined(session);
}

// Looks at most once in a quarter of that time.
void FolderStore::JoinQuietLocked() {
  const int64_t now = time(nullptr);
  if (now < next_quiet_look_) return;
  next_quiet_look_ = now + static_cast<int64_t>(quiet_s_ / 4);
  std::vector<uint64_t> quiet;
  for (const auto& [session, segments] : sessions_) {
    int64_t newest = 0;
    for (const std::string& path : PathsOf(session, segments)) {
      struct stat info {};
      newest = std::max<int64_t>(newest, stat(path.c_str(), &info) == 0 ? info.st_mtime : now);
    }
    if (now - newest >= static_cast<int64_t>(quiet_s_)) quiet.push_back(session);
  }
  for (const uint64_t session : quiet) JoinLocked(session);
}

const FolderStore::Stored* FolderStore::FindLocked(const SegmentName& name) const {
  const auto session = sessions_.find(name.session);
  if (session == sessions_.end()) return nullptr;
  const auto segment = session->second.find(name.first);
  return segment != session->second.end() && segment->second.last == name.last ? &segment->second : nullptr;
}

bool FolderStore::Overlaps(const SegmentName& name) const {
  const auto session = sessions_.find(name.session);
  if (session == sessions_.end()) return false;
  auto after = session->second.upper_bound(name.last);  // the first that begins behind us
  return after != session->second.begin() && std::prev(after)->second.last >= name.first;
}

std::optional<uint64_t> FolderStore::Find(const SegmentName& name) {
  {
    const std::lock_guard lock(mutex_);
    if (const Stored* stored = FindLocked(name)) return stored->bytes;
    if (!joined_.contains(name.session)) return {};
  }
  const auto bytes = CutSegment(JoinedPath(name.session), name);
  return bytes ? std::optional<uint64_t>(bytes->size()) : std::nullopt;
}

// Into a session that has been joined.
PutResult FolderStore::PutBehind(const SegmentName& name, std::span<const uint8_t> bytes) const {
  const auto there = CutSegment(JoinedPath(name.session), name);
  return there && std::equal(there->begin(), there->end(), bytes.begin(), bytes.end()) ? PutResult::kSameThere
                                                                                       : PutResult::kOtherThere;
}

PutResult FolderStore::PutAgain(const SegmentName& name, std::span<const uint8_t> bytes) const {
  const std::vector<uint8_t> there = ReadFile(name);
  const bool is_same = std::equal(there.begin(), there.end(), bytes.begin(), bytes.end());
  return is_same ? PutResult::kSameThere : PutResult::kOtherThere;
}

std::vector<uint8_t> FolderStore::ReadFile(const SegmentName& name) const {
  std::ifstream file(PathOf(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::vector<uint8_t>> FolderStore::Read(const SegmentName& name) {
  {
    const std::lock_guard lock(mutex_);
    if (FindLocked(name) != nullptr) {
      std::vector<uint8_t> bytes = ReadFile(name);
      return bytes.empty() ? std::nullopt : std::optional(std::move(bytes));
    }
    if (!joined_.contains(name.session)) return {};
  }
  return CutSegment(JoinedPath(name.session), name);  // never changes
}

PutResult FolderStore::Put(const SegmentName& name, std::span<const uint8_t> bytes) {
  const std::string session_folder = FolderOf(name.session);
  const uint64_t charge = DiskBytes(bytes.size());
  std::string temporary;
  {
    const std::lock_guard lock(mutex_);
    JoinQuietLocked();
    if (joined_.contains(name.session)) return PutBehind(name, bytes);
    if (FindLocked(name) != nullptr) return PutAgain(name, bytes);
    if (Overlaps(name)) return PutResult::kOtherThere;
    if (used_bytes_ > max_bytes_ || charge > max_bytes_ - used_bytes_) return PutResult::kFull;
    used_bytes_ += charge;  // given back if it fails
    temporary = session_folder + "/" + kUnfinished + std::to_string(temporary_++);
  }
  int error = 0;
  if (mkdir(session_folder.c_str(), 0777) != 0 && errno != EEXIST) error = errno;
  if (error == 0) error = WriteSynced(temporary, bytes);

  const std::lock_guard lock(mutex_);
  PutResult result = error == 0 ? PutResult::kStored : ResultOfError(error);
  if (result == PutResult::kStored && joined_.contains(name.session)) {  // another connection has stored it first
    result = PutBehind(name, bytes);
  } else if (result == PutResult::kStored && FindLocked(name) != nullptr) {
    result = PutAgain(name, bytes);
  } else if (result == PutResult::kStored && Overlaps(name)) {
    result = PutResult::kOtherThere;
  } else if (result == PutResult::kStored && std::rename(temporary.c_str(), PathOf(name).c_str()) != 0) {
    result = ResultOfError(errno);
  } else if (result == PutResult::kStored && !(SyncFolder(session_folder) && SyncFolder(folder_))) {
    // Without it a power failure could undo the rename after the client has deleted its file.
    unlink(PathOf(name).c_str());
    result = PutResult::kFailed;
  }
  if (result == PutResult::kStored) {
    sessions_[name.session][name.first] = {name.last, bytes.size()};
    if (IsCompleteLocked(name.session)) JoinLocked(name.session);
    return result;
  }
  unlink(temporary.c_str());
  used_bytes_ -= charge;
  return result;
}

std::map<uint64_t, std::string> FolderStore::Joined() {
  const std::lock_guard lock(mutex_);
  std::map<uint64_t, std::string> paths;
  for (const auto& [session, bytes] : joined_) paths[session] = JoinedPath(session);
  return paths;
}

std::map<uint64_t, std::vector<std::string>> FolderStore::Arriving() {
  const std::lock_guard lock(mutex_);
  std::map<uint64_t, std::vector<std::string>> paths;
  for (const auto& [session, segments] : sessions_) paths[session] = PathsOf(session, segments);
  return paths;
}

std::string FolderStore::Describe() {
  const std::lock_guard lock(mutex_);
  uint64_t segments = 0;
  for (const auto& [session, stored] : sessions_) segments += stored.size();
  std::string text = "sessions " + std::to_string(sessions_.size() + joined_.size()) + "\ncomplete " +
                     std::to_string(joined_.size()) + "\nsegments " + std::to_string(segments) + "\ndisk_bytes " +
                     std::to_string(used_bytes_) + "\n";
  size_t described = 0;
  for (const auto& [session, bytes] : joined_) {
    if (++described > kMaxDescribedSessions) return text + "...\n";
    text += "session " + SessionText(session) + " complete\n";
  }
  for (const auto& [session, stored] : sessions_) {
    if (++described > kMaxDescribedSessions) return text + "...\n";
    text += "session " + SessionText(session) + " segments " + std::to_string(stored.size()) + "\n";
  }
  return text;
}

}  // namespace softlbr::toolchain
