// A payload that is stored, not compressed: a zstd frame with one raw block, which every zstd decoder reads. The writer
// stores the frames without rows, the first and the last of a session, so that the spool finds their totals without a
// decompressor.
//
// Who: runtime/profile, runtime/spool. Any context. Trust: OpenStored reads nothing beyond the bytes, which may be
// foreign.
#ifndef SOFTLBR_RUNTIME_FORMAT_STORED_PAYLOAD_H_
#define SOFTLBR_RUNTIME_FORMAT_STORED_PAYLOAD_H_

#include <cstdint>

namespace softlbr {

inline constexpr uint32_t kStoredHeaderBytes = 12;
inline constexpr uint32_t kMostStoredBytes = 1u << 17;  // of a zstd block

// Writes header and payload to `to`, which has room for both, and returns their bytes; 0: the payload is larger than
// kMostStoredBytes.
uint64_t StorePayload(const uint8_t* payload, uint64_t bytes, uint8_t* to);
// nullptr: the frame is of another form. *payload_bytes: of the result.
const uint8_t* OpenStored(const uint8_t* frame, uint64_t bytes, uint64_t* payload_bytes);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_STORED_PAYLOAD_H_
