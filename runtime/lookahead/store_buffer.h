// Stores the shadow program has made since the true state was adopted; the program's own memory is never written.
//
// Context: handler. Memory: fixed; kStoreBufferEntries 8-byte lines (hashed by line address) plus kStoreRanges ranges for
// rep stos / large unknown areas. Each byte is absent (read memory), known or UNKNOWN.
// Full: the buffer becomes poisoned: every later load is UNKNOWN. Nothing is wrong, only less is known.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_STORE_BUFFER_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_STORE_BUFFER_H_

#include <cstdint>

#include "runtime/base/attributes.h"

namespace softlbr {

inline constexpr uint32_t kStoreBufferEntries = 256;  // power of two; facts: p50 7-33, p90 up to 192 lines in use
inline constexpr uint32_t kStoreRanges = 4;

struct StoreBuffer {
  struct Line {
    uint64_t address;  // 8-aligned
    uint64_t value;
    uint8_t written;  // bytes present
    uint8_t known;    // of those, known
    uint16_t generation;  // entry is live iff equal to StoreBuffer::generation: clearing costs nothing
  };
  Line lines[kStoreBufferEntries];
  struct Range {  // [begin, end): every byte is `value` (known) or UNKNOWN; later line stores win over it
    uint64_t begin;
    uint64_t end;
    uint8_t value;
    bool is_known;
  } ranges[kStoreRanges];
  uint32_t range_count;
  uint32_t live_lines;
  uint16_t generation;
  bool is_poisoned;  // a store to an UNKNOWN address, a system call, or a full buffer
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_STORE_BUFFER_H_
