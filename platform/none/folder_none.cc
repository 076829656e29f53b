// No folders on this target: nothing can be spooled.
#include "platform/folder.h"

namespace softlbr::platform {
namespace {

constexpr long kNoFolders = -38;  // -ENOSYS

}  // namespace

long MakeFolder(const char*) { return kNoFolders; }
long OpenFolder(const char*) { return kNoFolders; }
long OpenInFolder(int, const char*, FileOpening) { return kNoFolders; }
long FactsOfFile(int, FileFacts*) { return kNoFolders; }
long FactsInFolder(int, const char*, FileFacts*) { return kNoFolders; }
long CheckPrivateFolder(int) { return kNoFolders; }
long RenameInFolder(int, const char*, const char*) { return kNoFolders; }
long RemoveFromFolder(int, const char*) { return kNoFolders; }
long ForEachName(int, NameVisitor, void*) { return kNoFolders; }
long WriteAt(int, uint64_t, const void*, uint64_t) { return kNoFolders; }
long TruncateFile(int, uint64_t) { return kNoFolders; }
long WritePosition(int) { return kNoFolders; }
long SyncFile(int) { return kNoFolders; }
long LockFile(int, uint64_t) { return kNoFolders; }
void UnlockFile(int) {}
int32_t ProcessNumber() { return 0; }
uint64_t RandomNumber() { return 0; }

}  // namespace softlbr::platform
