// Sizes and bounds of the spool. Not in platform/base/limits.def, which lists those of a session.
#ifndef SOFTLBR_RUNTIME_SPOOL_SPOOL_LIMITS_H_
#define SOFTLBR_RUNTIME_SPOOL_SPOOL_LIMITS_H_

#include <cstdint>

#include "runtime/format/slbr_format.h"

namespace softlbr::spool {

inline constexpr uint32_t kDefaultMaxFiles = 64;
inline constexpr uint64_t kDefaultMaxBytes = 16u << 20;
// What a session repeats of every other (settings, counters, records of its modules) outweighs the rows of fewer
// samples.
inline constexpr uint32_t kDefaultFewestSamples = 3;
// How long a commit or an open waits for another process that commits or salvages: several fsync of a slow disk.
inline constexpr uint64_t kFolderLockWaitNs = 2000000000;
// A salvager may lock a new file before its owner does. It then removes the file, which takes one fsync at most.
inline constexpr uint64_t kNewFileWaitNs = 1000000000;
// Attempts to make and lock a file that a salvager removes each time, or a lock file that somebody removes.
inline constexpr int kOpenAttempts = 8;
// Bytes of one read, and the part of a file that is in memory: a whole frame and one more read.
inline constexpr uint64_t kReadBytes = 65536;
inline constexpr uint64_t kWindowBytes = kMaxFramePayloadBytes + 2 * kReadBytes;
// Payloads with a wrong checksum may total this many bytes more than were read so far. Without this limit a forged
// file, whose every byte could begin another long payload, would not be read in linear time. The host's reader has a
// limit of the same kind.
inline constexpr uint64_t kMaxWastedBytes = 16u << 20;

}  // namespace softlbr::spool

#endif  // SOFTLBR_RUNTIME_SPOOL_SPOOL_LIMITS_H_
