// Sizes and bounds of compaction. Not in platform/base/limits.def, which lists those of a session.
#ifndef SOFTLBR_RUNTIME_COMPACT_COMPACT_LIMITS_H_
#define SOFTLBR_RUNTIME_COMPACT_COMPACT_LIMITS_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "runtime/format/slbr_format.h"

namespace softlbr::compact {

// Rows in memory, 40 bytes each; a session of more takes further passes. A compilation by cc1 has 115,000.
inline constexpr uint32_t kMaxRows = 262144;
// Rows that are sorted before they are merged into the others.
inline constexpr uint32_t kChunkRows = 8192;
// Payload of a frame written, and the largest flow section: it leaves room for the module's record and the session's
// settings.
inline constexpr uint64_t kPayloadBytes = 960u << 10;
inline constexpr uint64_t kFlowBytes = 896u << 10;
// zstd's static memory for decompressing; checked against its own demand.
inline constexpr uint64_t kUnzstdBytes = 196608;
// The counters of one frame, as encoded: twice what those of this version take.
inline constexpr uint64_t kMaxCounterBytes = 4096;
// No flush counts a branch so often. Sums of smaller counts never overflow.
inline constexpr uint64_t kMaxCount = 1ull << 40;

static_assert(kPayloadBytes >= kProfileEncodeBytes &&
                  kPayloadBytes <= kMaxFramePayloadBytes - (kMaxFramePayloadBytes >> 6),
              "the payload's memory takes a frame of the runtime as well; readers refuse larger frames");

}  // namespace softlbr::compact

#endif  // SOFTLBR_RUNTIME_COMPACT_COMPACT_LIMITS_H_
