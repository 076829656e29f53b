// The C API of runtime/include/softlbr/spool.h.
//
// Invariants:
//   I1  A temporary file of the sink has, up to file_bytes, the file magic and whole frames of one session, and nothing
//       behind them once a frame was taken or refused.
//   I2  It is locked from before its first byte until it has its finished name or is given up.
//   I3  Before each use of a descriptor that stays open between calls, its file is compared with the one that was
//       opened: the app may have closed the descriptor, and its number may belong to another file by now.
//   I4  A file whose descriptor the app has begins with the file magic before the session writes its own over it. That
//       write needs no room, so it moves the position even on a full disk: a file without a frame tells whether it had
//       a session.
#include "softlbr/spool.h"

#include <atomic>
#include <cstddef>

#include "platform/base/attributes.h"
#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/memory_map.h"
#include "runtime/format/frame_header.h"
#include "runtime/spool/settle.h"
#include "runtime/spool/spool_limits.h"
#include "runtime/spool/spool_names.h"

#include "platform/base/handler_prelude.h"

namespace {

namespace platform = softlbr::platform;
using softlbr::FrameHeader;
using softlbr::spool::FileName;
using softlbr::spool::Settled;
using softlbr::spool::SettlePlace;

constexpr uint64_t kOpenMark = 0x6c6f6f7073726c62;  // zeroed memory is no open spool

using Count = std::atomic<uint64_t>;

struct Spool {
  uint64_t mark;
  int32_t process;  // that opened it
  int folder;
  uint64_t folder_device;
  uint64_t folder_inode;
  uint64_t max_bytes;
  uint32_t max_files;
  uint32_t fewest_samples;
  int file;  // being written; -1: none
  softlbr::spool::CompactFile compact;
  uint64_t file_device;
  uint64_t file_inode;
  uint64_t file_bytes;
  uint64_t frames;      // of the session, taken
  uint64_t session_id;  // of the file
  uint64_t refused_id;  // of the session that was refused last
  FileName name;        // of the file
  // why nothing is left of the session before, if no function has said so yet; SOFTLBR_SPOOL_OK: nothing unsaid
  int unsaid;
  bool is_descriptor;  // the runtime writes the file itself
  bool has_refused;
  Count written;
  Count salvaged;
  Count dropped;
  Count lost;
  Count refused;
  Count too_few;
};
static_assert(sizeof(Spool) <= sizeof(softlbr_spool) && alignof(Spool) <= alignof(softlbr_spool),
              "raise softlbr_spool.state");

void Add(Count* count, uint64_t more) { count->fetch_add(more, std::memory_order_relaxed); }

// nullptr unless it is open in this process.
Spool* OwnSpool(softlbr_spool* memory) {
  auto* spool = reinterpret_cast<Spool*>(memory);
  if (spool == nullptr || spool->mark != kOpenMark || spool->process != platform::ProcessNumber()) return nullptr;
  return spool;
}

bool IsStill(int descriptor, uint64_t device, uint64_t inode, platform::FileFacts* facts) {
  return platform::FactsOfFile(descriptor, facts) == 0 && facts->device == device && facts->inode == inode;
}

bool HasFolder(const Spool& spool) {
  platform::FileFacts facts;
  return IsStill(spool.folder, spool.folder_device, spool.folder_inode, &facts) && facts.links != 0;
}

// The least that is lost if the file is given up.
uint64_t FramesAtStake(const Spool& spool) {
  if (!spool.is_descriptor) return spool.frames;
  return platform::WritePosition(spool.file) > 0 ? 1 : 0;  // the runtime counts its own frames
}

// True if the file is open and has its name. False: the file is forgotten, and its frames are lost.
bool HasFile(Spool* spool) {
  platform::FileFacts facts;
  const bool is_ours = IsStill(spool->file, spool->file_device, spool->file_inode, &facts);
  if (is_ours && facts.links != 0) return true;
  Add(&spool->lost, is_ours ? FramesAtStake(*spool) : spool->frames);
  if (is_ours) platform::CloseFile(spool->file);
  spool->file = -1;
  return false;
}

// Closes the file, whatever its name is now, and so gives up its lock.
void LeaveFile(Spool* spool) {
  platform::CloseFile(spool->file);
  spool->file = -1;
}

int StatusOf(long error) {
  const bool is_foreign = error == platform::kIsLink || error == platform::kIsNoFolder || error == platform::kIsFolder;
  return error == platform::kIsLocked ? SOFTLBR_SPOOL_BUSY
         : is_foreign                 ? SOFTLBR_SPOOL_NOT_PRIVATE
                                      : SOFTLBR_SPOOL_NOT_WRITABLE;
}

int LockFolder(const Spool& spool, int* lock) {
  for (int i = 0; i < softlbr::spool::kOpenAttempts; ++i) {
    const long file = platform::OpenInFolder(spool.folder, softlbr::spool::kLockName, platform::FileOpening::kEither);
    if (file < 0) return StatusOf(file);
    *lock = static_cast<int>(file);
    platform::FileFacts facts;
    long result = platform::FactsOfFile(*lock, &facts);
    const bool is_private = result == 0 && facts.is_regular && facts.is_ours;
    if (is_private) result = platform::LockFile(*lock, softlbr::spool::kFolderLockWaitNs);
    if (is_private && result == 0 && platform::FactsOfFile(*lock, &facts) == 0 && facts.links != 0)
      return SOFTLBR_SPOOL_OK;
    platform::CloseFile(*lock);
    if (!is_private) return SOFTLBR_SPOOL_NOT_PRIVATE;
    if (result != 0) return StatusOf(result);
    // We hold the lock of a file that was removed meanwhile; other processes lock a new one.
  }
  return SOFTLBR_SPOOL_NOT_WRITABLE;
}

// Unlocks explicitly, because a child that was forked meanwhile has the descriptor too.
void UnlockFolder(int lock) {
  platform::UnlockFile(lock);
  platform::CloseFile(lock);
}

// Calls act(place) with the folder locked and a window mapped. Counts what was dropped.
template <typename Act>
int InLockedFolder(Spool* spool, Act act) {
  int lock;
  const int locked = LockFolder(*spool, &lock);
  if (locked != SOFTLBR_SPOOL_OK) return locked;
  void* window = platform::MapMemory(softlbr::spool::kWindowBytes, /*is_session=*/false);
  int result = SOFTLBR_SPOOL_NOT_WRITABLE;
  if (window != nullptr) {
    SettlePlace place = {spool->folder,
                         spool->max_files,
                         spool->max_bytes,
                         static_cast<uint8_t*>(window),
                         spool->compact,
                         spool->fewest_samples,
                         0,
                         0,
                         0};
    result = act(&place);
    Add(&spool->dropped, place.dropped);
    platform::UnmapMemory(window, softlbr::spool::kWindowBytes);
  }
  UnlockFolder(lock);
  return result;
}

// Makes and locks the temporary file. A salvager may find it before it is locked; it removes an empty file.
bool MakeFile(Spool* spool, uint64_t id) {
  if (!HasFolder(*spool)) return false;
  spool->name = softlbr::spool::NameOfTemporary(id, spool->process);
  for (int i = 0; i < softlbr::spool::kOpenAttempts; ++i) {
    const int file =
        static_cast<int>(platform::OpenInFolder(spool->folder, spool->name.text, platform::FileOpening::kNew));
    if (file < 0) return false;
    platform::FileFacts facts;
    if (platform::LockFile(file, softlbr::spool::kNewFileWaitNs) == 0 && platform::FactsOfFile(file, &facts) == 0 &&
        facts.links != 0) {
      spool->file = file;
      spool->file_device = facts.device;
      spool->file_inode = facts.inode;
      spool->file_bytes = 0;
      spool->frames = 0;
      spool->session_id = id;
      return true;
    }
    platform::CloseFile(file);
  }
  return false;
}

void RemoveFile(Spool* spool) {
  (void)platform::RemoveFromFolder(spool->folder, spool->name.text);
  LeaveFile(spool);
}

// The session is too large: drops what was taken of it, and takes nothing more.
void Refuse(Spool* spool, uint64_t id) {
  if (spool->file >= 0) {
    RemoveFile(spool);
    Add(&spool->lost, spool->frames);
  }
  spool->unsaid = SOFTLBR_SPOOL_TOO_LARGE;
  spool->has_refused = true;
  spool->refused_id = id;
  Add(&spool->refused, 1);
}

// All or nothing (I1).
bool Append(Spool* spool, const void* bytes, uint64_t count) {
  if (platform::WriteAt(spool->file, spool->file_bytes, bytes, count) == 0) {
    spool->file_bytes += count;
    return true;
  }
  (void)platform::TruncateFile(spool->file, spool->file_bytes);
  return false;
}

int Commit(Spool* spool) {
  const int unsaid = spool->unsaid;
  spool->unsaid = SOFTLBR_SPOOL_OK;
  if (spool->file < 0) return unsaid;
  if (!HasFile(spool)) return SOFTLBR_SPOOL_NOT_WRITABLE;
  (void)platform::SyncFile(spool->file);  // the longest part of the commit, done before the folder's lock is taken
  const int result =
      !HasFolder(*spool) ? SOFTLBR_SPOOL_NOT_WRITABLE : InLockedFolder(spool, [spool](SettlePlace* place) -> int {
        const uint64_t at_stake = FramesAtStake(*spool);
        const Settled settled = softlbr::spool::Settle(place, spool->name.text, spool->file);
        if (settled == Settled::kFailed) return SOFTLBR_SPOOL_NOT_WRITABLE;
        if (settled == Settled::kEmpty) {
          Add(&spool->lost, at_stake);
          return at_stake == 0 ? SOFTLBR_SPOOL_OK : SOFTLBR_SPOOL_NOT_WRITABLE;
        }
        if (spool->is_descriptor) Add(&spool->lost, place->missing);  // the sink counted what it did not take
        if (settled == Settled::kComplete) Add(&spool->written, 1);
        if (settled == Settled::kTruncated) Add(&spool->salvaged, 1);
        if (settled == Settled::kTooFew) {
          Add(&spool->too_few, 1);
          return SOFTLBR_SPOOL_TOO_FEW;
        }
        if (settled != Settled::kTooLarge) return SOFTLBR_SPOOL_OK;
        Add(&spool->refused, 1);
        Add(&spool->lost, place->frames);
        return SOFTLBR_SPOOL_TOO_LARGE;
      });
  LeaveFile(spool);
  return result;
}

bool TakeFrame(Spool* spool, const void* bytes, uint64_t count) {
  FrameHeader header;
  if (count < softlbr::kFrameHeaderBytes || !DecodeFrameHeader(static_cast<const uint8_t*>(bytes), &header) ||
      count != softlbr::kFrameHeaderBytes + static_cast<uint64_t>(header.compressed_bytes)) {
    return false;
  }
  const uint64_t id = header.session_id;
  if (spool->has_refused && spool->refused_id == id) return false;
  if (spool->file >= 0 && spool->is_descriptor) return false;  // the file has another writer
  if (spool->file >= 0 && spool->session_id != id) (void)Commit(spool);
  if (spool->file >= 0 && !HasFile(spool)) return false;
  const uint64_t before = spool->file >= 0 ? spool->file_bytes : softlbr::kFileMagicBytes;
  if (before + count > spool->max_bytes) {
    Refuse(spool, id);
    return false;
  }
  if (spool->file < 0) {
    spool->is_descriptor = false;
    spool->unsaid = SOFTLBR_SPOOL_NOT_WRITABLE;
    if (!MakeFile(spool, id)) return false;
    if (!Append(spool, softlbr::kFileMagic, softlbr::kFileMagicBytes)) {
      RemoveFile(spool);
      return false;
    }
    spool->unsaid = SOFTLBR_SPOOL_OK;
  }
  if (!Append(spool, bytes, count)) return false;
  ++spool->frames;
  return true;
}

bool IsMagic(const void* bytes, uint64_t count) {
  return count == softlbr::kFileMagicBytes && softlbr::EqualBytes(bytes, softlbr::kFileMagic, count);
}

}  // namespace

extern "C" {

int softlbr_spool_open(softlbr_spool* memory, const softlbr_spool_options* options) {
  constexpr uint32_t kWithoutCompact = offsetof(softlbr_spool_options, compact);
  constexpr uint32_t kWithoutFewest = offsetof(softlbr_spool_options, fewest_samples);
  const uint32_t size = options != nullptr ? options->struct_size : 0;
  if (memory == nullptr || (size != sizeof *options && size != kWithoutCompact && size != kWithoutFewest) ||
      (size == sizeof *options && options->reserved != 0) || options->folder == nullptr || options->folder[0] == '\0') {
    return SOFTLBR_SPOOL_INVALID_ARGUMENT;
  }
  if (OwnSpool(memory) != nullptr) return SOFTLBR_SPOOL_WRONG_STATE;
  softlbr::FillBytes(memory, 0, sizeof *memory);
  auto* spool = reinterpret_cast<Spool*>(memory);
  spool->file = -1;
  spool->max_files = options->max_files != 0 ? options->max_files : softlbr::spool::kDefaultMaxFiles;
  spool->max_bytes = options->max_bytes != 0 ? options->max_bytes : softlbr::spool::kDefaultMaxBytes;
  spool->compact = size == kWithoutCompact ? nullptr : options->compact;
  const uint32_t fewest = size < sizeof *options ? 0 : options->fewest_samples;
  spool->fewest_samples = fewest == SOFTLBR_SPOOL_KEEP_EMPTY ? 0
                          : fewest != 0                      ? fewest
                                                             : softlbr::spool::kDefaultFewestSamples;
  spool->process = platform::ProcessNumber();
  (void)platform::MakeFolder(options->folder);  // if it failed, so does the next call
  const long folder = platform::OpenFolder(options->folder);
  if (folder < 0) return StatusOf(folder);
  spool->folder = static_cast<int>(folder);
  platform::FileFacts facts;
  int result = SOFTLBR_SPOOL_NOT_PRIVATE;
  if (platform::CheckPrivateFolder(spool->folder) == 0 && platform::FactsOfFile(spool->folder, &facts) == 0) {
    spool->folder_device = facts.device;
    spool->folder_inode = facts.inode;
    result = InLockedFolder(spool, [spool](SettlePlace* place) -> int {
      softlbr::spool::SettledCounts counts = {};
      softlbr::spool::SettleAll(place, &counts);
      Add(&spool->salvaged, counts.salvaged);
      Add(&spool->refused, counts.refused);
      Add(&spool->too_few, counts.too_few);
      return SOFTLBR_SPOOL_OK;
    });
  }
  if (result != SOFTLBR_SPOOL_OK && result != SOFTLBR_SPOOL_BUSY) {
    platform::CloseFile(spool->folder);
    return result;
  }
  spool->mark = kOpenMark;
  return SOFTLBR_SPOOL_OK;
}

int softlbr_spool_sink(void* memory, const void* bytes, size_t size) {
  auto* spool = static_cast<Spool*>(memory);
  if (spool->mark != kOpenMark) return 1;
  if (IsMagic(bytes, size)) return 0;  // each file gets one when it is made
  if (TakeFrame(spool, bytes, size)) return 0;
  Add(&spool->lost, 1);
  return 1;
}

int softlbr_spool_descriptor(softlbr_spool* memory, int* descriptor) {
  if (descriptor == nullptr) return SOFTLBR_SPOOL_INVALID_ARGUMENT;
  Spool* spool = OwnSpool(memory);
  if (spool == nullptr) return SOFTLBR_SPOOL_WRONG_STATE;
  spool->unsaid = SOFTLBR_SPOOL_OK;
  const int committed = Commit(spool);
  if (committed != SOFTLBR_SPOOL_OK && committed != SOFTLBR_SPOOL_TOO_LARGE && committed != SOFTLBR_SPOOL_TOO_FEW)
    return committed;
  const bool is_made = MakeFile(spool, platform::RandomNumber());
  if (!is_made || !Append(spool, softlbr::kFileMagic, softlbr::kFileMagicBytes)) {
    if (is_made) RemoveFile(spool);
    Add(&spool->lost, 1);
    return SOFTLBR_SPOOL_NOT_WRITABLE;
  }
  spool->is_descriptor = true;
  *descriptor = spool->file;
  return SOFTLBR_SPOOL_OK;
}

int softlbr_spool_commit(softlbr_spool* memory) {
  Spool* spool = OwnSpool(memory);
  return spool == nullptr ? SOFTLBR_SPOOL_WRONG_STATE : Commit(spool);
}

int softlbr_spool_close(softlbr_spool* memory) {
  Spool* spool = OwnSpool(memory);
  if (spool == nullptr) return SOFTLBR_SPOOL_WRONG_STATE;
  const int result = Commit(spool);
  platform::FileFacts facts;
  if (IsStill(spool->folder, spool->folder_device, spool->folder_inode, &facts)) platform::CloseFile(spool->folder);
  spool->mark = 0;
  return result;
}

int softlbr_spool_counters(const softlbr_spool* memory, softlbr_spool_counts* counts) {
  if (memory == nullptr || counts == nullptr || counts->struct_size < offsetof(softlbr_spool_counts, salvaged)) {
    return SOFTLBR_SPOOL_INVALID_ARGUMENT;
  }
  const auto* spool = reinterpret_cast<const Spool*>(memory);
  const uint32_t room = counts->struct_size;
  const softlbr_spool_counts all = {room,
                                    0,
                                    spool->written.load(std::memory_order_relaxed),
                                    spool->salvaged.load(std::memory_order_relaxed),
                                    spool->dropped.load(std::memory_order_relaxed),
                                    spool->lost.load(std::memory_order_relaxed),
                                    spool->refused.load(std::memory_order_relaxed),
                                    spool->too_few.load(std::memory_order_relaxed)};
  softlbr::CopyBytes(counts, &all, room < sizeof all ? room : sizeof all);
  return SOFTLBR_SPOOL_OK;
}

}  // extern "C"
