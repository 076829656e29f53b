// Rows in the order of a flow section: all that belongs to one instruction is together.
//
// A CountRow holds them as
//   kBranch   first: source and kind; second: the target's address
//   kRange    first: its last instruction and kind; second: bytes from its first instruction, so the nearest comes
//             first kSample first: the pc and kind; second: 0
#ifndef SOFTLBR_RUNTIME_FORMAT_SOURCE_ROW_H_
#define SOFTLBR_RUNTIME_FORMAT_SOURCE_ROW_H_

#include <cstdint>

#include "runtime/format/slbr_format.h"

namespace softlbr {

enum class RowKind : uint8_t { kBranch = 0, kRange = 1, kSample = 2 };
inline constexpr uint32_t kKindBits = 2;
static_assert(kMaxLinear - 1 <= ~0ull >> kKindBits, "address and kind fit one number");

inline uint64_t PackSource(uint64_t address, RowKind kind) {
  return address << kKindBits | static_cast<uint64_t>(kind);
}
inline uint64_t SourceOf(const CountRow& row) { return row.first >> kKindBits; }
inline RowKind KindOf(const CountRow& row) { return static_cast<RowKind>(row.first & ((1u << kKindBits) - 1)); }

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_SOURCE_ROW_H_
