// The sessions that `softlbr collect` holds, with an index in memory: their segments in
// FOLDER/<session>/<first>-<last>.slbr until they are all there, then one file FOLDER/<session>.slbr
// (joined_session.h), which other commands read.
//
// Complete: the end of the session has arrived and no segment before it is missing. A session of which nothing has
//   arrived for the time `quiet_s` is joined as it is, because the app may have been killed; what arrives of it later
//   is refused.
// Threads: every function may be called from any thread. A segment is written and synced without the lock, and
// published under it. Crash: a file appears under its name whole and synced, or not at all. Unfinished files (".tmp-*")
// and scratch folders are removed at
//   the next start.
// Disk: a session that is being joined is there twice for a moment, which is not charged. Each file is charged as a
// multiple of 4 KiB, so that many small ones are bounded as well. Memory: the index, about 100 bytes a segment.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_SEGMENT_STORE_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_SEGMENT_STORE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "toolchain/upload/segment_name.h"

namespace softlbr::toolchain {

enum class PutResult {
  kStored,
  kSameThere,   // the same bytes are there
  kOtherThere,  // other bytes are there, or a segment that overlaps
  kFull,        // the bound of the disk, or no space left
  kFailed,      // the disk does not work
};

// What the decision on a request needs of a store.
class SegmentStore {
 public:
  virtual ~SegmentStore() = default;
  // The segment's size if it is there.
  virtual std::optional<uint64_t> Find(const SegmentName& name) = 0;
  virtual PutResult Put(const SegmentName& name, std::span<const uint8_t> bytes) = 0;
  // Its bytes; nothing if it is not there or cannot be read.
  virtual std::optional<std::vector<uint8_t>> Read(const SegmentName& name) = 0;
  // A text for people.
  virtual std::string Describe() = 0;
};

class FolderStore : public SegmentStore {
 public:
  // Of names in the folder that the caller may use for its own unfinished work.
  static constexpr char kScratchPrefix[] = ".merge-";
  static constexpr uint64_t kQuietSeconds = 86400;

  // Creates the folder if need be and reads what it holds. StatedFailure if that fails or another process has the
  // folder.
  FolderStore(const std::string& folder, uint64_t max_bytes, uint64_t quiet_s = kQuietSeconds);
  FolderStore(const FolderStore&) = delete;
  FolderStore& operator=(const FolderStore&) = delete;
  ~FolderStore() override;

  std::optional<uint64_t> Find(const SegmentName& name) override;
  PutResult Put(const SegmentName& name, std::span<const uint8_t> bytes) override;
  std::optional<std::vector<uint8_t>> Read(const SegmentName& name) override;
  std::string Describe() override;

  // The sessions that are one file, in order of ids, with its path.
  std::map<uint64_t, std::string> Joined();
  // The paths of the segments of the others, in order of frames.
  std::map<uint64_t, std::vector<std::string>> Arriving();
  const std::string& folder() const { return folder_; }

 private:
  struct Stored {
    uint32_t last = 0;
    uint64_t bytes = 0;
  };
  using Segments = std::map<uint32_t, Stored>;  // by first frame

  void Load();
  void LoadSession(uint64_t session);
  void AddJoined(uint64_t session);
  std::string FolderOf(uint64_t session) const;
  std::string JoinedPath(uint64_t session) const;
  std::vector<std::string> PathsOf(uint64_t session, const Segments& segments) const;
  bool IsCompleteLocked(uint64_t session) const;
  void JoinLocked(uint64_t session);
  void JoinQuietLocked();
  PutResult PutBehind(const SegmentName& name, std::span<const uint8_t> bytes) const;
  std::string PathOf(const SegmentName& name) const;
  const Stored* FindLocked(const SegmentName& name) const;
  bool Overlaps(const SegmentName& name) const;
  std::vector<uint8_t> ReadFile(const SegmentName& name) const;
  PutResult PutAgain(const SegmentName& name, std::span<const uint8_t> bytes) const;

  const std::string folder_;
  const uint64_t max_bytes_;
  const uint64_t quiet_s_;
  int lock_fd_ = -1;
  std::mutex mutex_;
  uint64_t used_bytes_ = 0;
  uint64_t temporary_ = 0;                 // number of the next unfinished file
  std::map<uint64_t, Segments> sessions_;  // that are arriving
  std::map<uint64_t, uint64_t> joined_;    // and the size of the file
  int64_t next_quiet_look_ = 0;            // seconds of the clock
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_SEGMENT_STORE_H_
