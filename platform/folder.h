// A folder of files that this user alone may change: opened, listed and changed through its descriptor, without
// following a link.
//
// Who: runtime/spool, runtime/trigger. Not part of libsoftlbr.a.
// Context: any but handlers; needs no libc thread state. Results: >= 0, or negative errno. Descriptors are
// close-on-exec and have high numbers (linux/high_descriptor.h).
#ifndef SOFTLBR_PLATFORM_FOLDER_H_
#define SOFTLBR_PLATFORM_FOLDER_H_

#include <cstdint>

namespace softlbr::platform {

// Results that callers tell apart.
inline constexpr long kIsLocked = -11;    // by another opening
inline constexpr long kIsNoFolder = -20;  // a link too, of OpenFolder
inline constexpr long kIsFolder = -21;
inline constexpr long kIsLink = -40;

// What the kernel says of an open file.
struct FileFacts {
  uint64_t device;
  uint64_t inode;
  uint64_t bytes;
  uint64_t changed_ns;   // last change of the content, since 1970
  uint32_t links;        // 0: the file was removed
  uint32_t permissions;  // the mode's lower 12 bits
  bool is_regular;
  bool is_folder;
  bool is_ours;  // owned by the effective user
};

// Makes the folder with mode 0700 unless something has its name. Its parent must be there.
long MakeFolder(const char* path);
// Refuses a symbolic link as the last part of the path, and what is not a folder.
long OpenFolder(const char* path);

// Results of CheckPrivateFolder, which no system call has.
inline constexpr long kOfAnother = -5001;
inline constexpr long kOpenToOthers = -5002;
// 0 if only the caller and root can create and delete entries of the open folder. It belongs to the caller, and others
// have no write permission; nor has its group, unless the folder above is the caller's, too, and lets nobody else pass
// (as with Android's getFilesDir, of mode 0771 in a folder of mode 0700).
long CheckPrivateFolder(int folder);

enum class FileOpening : uint8_t {
  kExisting,  // for reading and writing
  kNew,       // the same, and nothing may have the name; mode 0600 whatever the umask is
  kEither,    // mode 0600 in any case
};
// Refuses symbolic links. Does not block on a pipe or device of that name: see FileFacts::is_regular.
long OpenInFolder(int folder, const char* name, FileOpening opening);

long FactsOfFile(int file, FileFacts* facts);
// Of a link itself, not of what it points to.
long FactsInFolder(int folder, const char* name, FileFacts* facts);

// Replaces what has the new name.
long RenameInFolder(int folder, const char* name, const char* new_name);
long RemoveFromFolder(int folder, const char* name);

// Returns false to stop. The name is valid during the call only.
using NameVisitor = bool (*)(void* cookie, const char* name);
// Calls visit for each name. Names that are added or removed meanwhile may be left out. Moves the position of `folder`.
long ForEachName(int folder, NameVisitor visit, void* cookie);

// 0 once all bytes are written at `offset`. On failure a part of them may have been written. Never raises SIGXFSZ: a
// write beyond RLIMIT_FSIZE is refused before it begins.
long WriteAt(int file, uint64_t offset, const void* data, uint64_t bytes);
long TruncateFile(int file, uint64_t bytes);
// Where the next write without an offset begins: not 0 once somebody has written through this open file, even if its
// bytes are gone.
long WritePosition(int file);
// Returns when the content of a file, or the names of a folder, are on the disk.
long SyncFile(int file);

// An exclusive lock of the open file description (flock). It ends when the last descriptor of that opening is closed.
// So a killed process holds no lock, and another process with the same id does not seem to hold it. A forked child
// holds its parent's lock.
long LockFile(int file, uint64_t wait_ns);
void UnlockFile(int file);

// The id of the calling process, for names of files. By system call, so it is right in a helper and in a forked child.
int32_t ProcessNumber();
// For names that nobody else uses; 0 if the kernel gives no random number.
uint64_t RandomNumber();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_FOLDER_H_
