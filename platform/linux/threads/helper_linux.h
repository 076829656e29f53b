// Paths and fields of the host's files in /proc.
#ifndef SOFTLBR_PLATFORM_LINUX_THREADS_HELPER_LINUX_H_
#define SOFTLBR_PLATFORM_LINUX_THREADS_HELPER_LINUX_H_

#include <cstdint>

#include "platform/base/status.h"

namespace softlbr::platform {

inline constexpr uint64_t kProcPathBytes = 64;  // room for "/proc/<pid>/task/<tid>/schedstat"
// "/proc/<host>" followed by `rest`; returns its end.
char* HostPath(const char* rest, char* path);
// Appends a positive number, or text, and a NUL; returns the new end.
char* AppendNumber(char* to, int32_t number);
char* AppendText(char* to, const char* text);
// The value in the line of the file that begins with `name`, as in "TracerPid:\t0"; nullptr if there is none.
// buffer: kStatusTextBytes, which hold the value.
const char* FindField(const char* path, const char* name, char* buffer);

// Calls visit for each entry of a folder below /proc whose name begins with a number.
Status ForEachNumber(const char* path, void (*visit)(void* cookie, int32_t number), void* cookie);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_THREADS_HELPER_LINUX_H_
