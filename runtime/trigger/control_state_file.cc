#include "runtime/trigger/control_state_file.h"

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/local_socket.h"
#include "platform/thread.h"

namespace softlbr {
namespace {

constexpr long kNotThere = -2;  // -ENOENT
constexpr long kNotPermitted = -1;
constexpr uint32_t kSuffixBytes = 8;

SOFTLBR_CONSTINIT std::atomic<uint64_t> g_boot_id{0};

uint32_t LengthOf(const char* text, uint32_t most) {
  uint32_t length = 0;
  while (length < most && text[length] != '\0') ++length;
  return length;
}

struct SiblingName {
  char text[kStateNameBytes + kSuffixBytes];
  SiblingName(const char* name, const char* suffix) {
    const uint32_t length = LengthOf(name, kStateNameBytes - 1);
    CopyBytes(text, name, length);
    CopyBytes(text + length, suffix, LengthOf(suffix, kSuffixBytes - 1) + 1);
  }
};

// Opens a file that only this user may change.
long OpenOwn(int folder, const char* name, platform::FileOpening opening, platform::FileFacts* facts) {
  const long file = platform::OpenInFolder(folder, name, opening);
  if (file < 0) return file;
  const long result = platform::FactsOfFile(static_cast<int>(file), facts);
  if (result == 0 && facts->is_regular && facts->is_ours) return file;
  platform::CloseFile(static_cast<int>(file));
  return result < 0 ? result : kNotPermitted;
}

uint64_t BootId() {
  uint64_t id = g_boot_id.load(std::memory_order_relaxed);
  if (id != 0) return id;
  const int fd = static_cast<int>(platform::OpenForRead("/proc/sys/kernel/random/boot_id"));
  if (fd < 0) return 0;
  char text[40];
  const long got = platform::ReadSome(fd, text, sizeof text);
  platform::CloseFile(fd);
  if (got < 36) return 0;
  id = 0xcbf29ce484222325u;  // FNV-1a
  for (uint32_t i = 0; i < 36; ++i) id = (id ^ static_cast<uint8_t>(text[i])) * 0x100000001b3u;
  g_boot_id.store(id, std::memory_order_relaxed);
  return id;
}

}  // namespace

bool SetStatePlace(const char* path, StatePlace* place) {
  FillBytes(place, 0, sizeof *place);
  if (path == nullptr) return true;
  const uint32_t length = LengthOf(path, kStatePathBytes);
  if (path[0] != '/' || length == kStatePathBytes) return false;
  uint32_t slash = length;
  while (path[slash] != '/') --slash;
  const uint32_t name_bytes = length - slash - 1;
  if (name_bytes == 0 || name_bytes >= kStateNameBytes) return false;
  CopyBytes(place->folder, path, slash == 0 ? 1 : slash);
  CopyBytes(place->name, path + slash + 1, name_bytes);
  return true;
}

long StateEdit::OpenFolderAndLock() {
  long result = platform::OpenPrivateFolder(place_.folder, false);
  if (result < 0) return result;
  folder_ = static_cast<int>(result);
  platform::FileFacts facts;
  result = OpenOwn(folder_, SiblingName(place_.name, ".lock").text, platform::FileOpening::kEither, &facts);
  if (result < 0) return result;
  lock_ = static_cast<int>(result);
  return platform::LockFile(lock_, kStateLockWaitNs);
}

long StateEdit::Load(const DeviceClock& now) {
  platform::FileFacts facts;
  const long opened = OpenOwn(folder_, place_.name, platform::FileOpening::kExisting, &facts);
  if (opened == kNotThere) {
    MakeEmptyState(&state_, now);
    return 0;
  }
  if (opened < 0) return opened;
  const int fd = static_cast<int>(opened);
  alignas(8) char bytes[sizeof(DeviceState) + 1];
  uint64_t size = 0;
  long got = 0;
  while (size < sizeof bytes && (got = platform::ReadAt(fd, size, bytes + size, sizeof bytes - size)) > 0) {
    size += static_cast<uint64_t>(got);
  }
  platform::CloseFile(fd);
  if (got < 0) return got;
  was_damaged_ = !ParseState(bytes, size, &state_);
  if (!was_damaged_) return 0;
  MakeLostState(&state_, now);
  return Keep();  // otherwise each open would find the damaged file again, and no budget would ever become free
}

long StateEdit::Open(const DeviceClock& now) {
  if (place_.folder[0] == '\0') {
    if (memory_->magic == 0) MakeEmptyState(memory_, now);
    CopyBytes(&state_, memory_, sizeof state_);
    return 0;
  }
  const long result = OpenFolderAndLock();
  return result < 0 ? result : Load(now);
}

long StateEdit::Keep() {
  if (place_.folder[0] == '\0') {
    CopyBytes(memory_, &state_, sizeof state_);
    return 0;
  }
  SealState(&state_);
  platform::FileFacts facts;
  const SiblingName temporary(place_.name, ".tmp");
  const long opened = OpenOwn(folder_, temporary.text, platform::FileOpening::kEither, &facts);
  if (opened < 0) return opened;
  const int fd = static_cast<int>(opened);
  long result = platform::TruncateFile(fd, 0);
  if (result == 0) result = platform::WriteAt(fd, 0, &state_, sizeof state_);
  if (result == 0) result = platform::SyncFile(fd);
  platform::CloseFile(fd);
  if (result == 0) result = platform::RenameInFolder(folder_, temporary.text, place_.name);
  if (result == 0) (void)platform::SyncFile(folder_);  // for a power failure; after a kill the new file is there anyway
  return result;
}

StateEdit::~StateEdit() {
  // Unlocks explicitly, because a forked child of the app may hold the descriptor too.
  if (lock_ >= 0) {
    platform::UnlockFile(lock_);
    platform::CloseFile(lock_);
  }
  if (folder_ >= 0) platform::CloseFile(folder_);
}

DeviceClock ReadDeviceClock() { return DeviceClock{platform::UnixSeconds(), platform::BootSeconds(), BootId()}; }

}  // namespace softlbr
