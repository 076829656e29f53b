// Files and descriptors by raw system call.
//
// Context: handler-safe unless said otherwise; control in practice. Results: >= 0, or negative errno.
#ifndef SOFTLBR_PLATFORM_FILE_H_
#define SOFTLBR_PLATFORM_FILE_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

long OpenForRead(const char* path);
// The same for a file that is closed again soon: if a helper is killed before that, its host can
// (CloseFilesOfKilledHelper, helper.h).
long OpenBriefly(const char* path);
long OpenForWrite(const char* path);  // create or truncate, 0644, close-on-exec
long ReadSome(int fd, void* output, uint64_t bytes);
// Reads from `offset` without moving the file position. May read fewer bytes.
long ReadAt(int fd, uint64_t offset, void* output, uint64_t bytes);
// Writes all, retrying short writes and EINTR; kSystemError on failure, or if fd takes nothing for kWriteWaitNs.
Status WriteAll(int fd, const void* data, uint64_t bytes);
void CloseFile(int fd);
bool IsOpenForWriting(int fd);
// A number that identifies the open file behind fd by its inode; 0 if fd is closed. Shows whether the app has closed fd
// and reused its number.
SOFTLBR_HANDLER_SAFE uint64_t FileIdentity(int fd);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_FILE_H_
