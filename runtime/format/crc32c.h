// CRC-32C (Castagnoli, reflected, as in iSCSI and ext4): the checksum of frame headers and payloads.
//
// Chosen over a hash because it detects every error burst of up to 32 bits and every flip of one to three bits in a
// frame, and because every language has it. Cost: two table look-ups a byte. Any context.
#ifndef SOFTLBR_RUNTIME_FORMAT_CRC32C_H_
#define SOFTLBR_RUNTIME_FORMAT_CRC32C_H_

#include <cstdint>

namespace softlbr {

// Crc32c("123456789", 9) == 0xe3069283.
uint32_t Crc32c(const void* bytes, uint64_t count);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_CRC32C_H_
