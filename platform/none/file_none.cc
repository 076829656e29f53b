// No files on this target: a profile goes to the app's callback.
#include "platform/file.h"

namespace softlbr::platform {
namespace {

constexpr long kNotImplemented = -38;  // -ENOSYS

}  // namespace

long OpenForRead(const char*) { return kNotImplemented; }
long OpenBriefly(const char*) { return kNotImplemented; }
long OpenForWrite(const char*) { return kNotImplemented; }
long ReadSome(int, void*, uint64_t) { return kNotImplemented; }
long ReadAt(int, uint64_t, void*, uint64_t) { return kNotImplemented; }
Status WriteAll(int, const void*, uint64_t) { return Status::kUnsupported; }
void CloseFile(int) {}
bool IsOpenForWriting(int) { return false; }
uint64_t FileIdentity(int) { return 0; }

}  // namespace softlbr::platform
