// Stores the shadow program has made since the true state was adopted; the program's own memory is never written.
//
// Context: handler. Memory: fixed; kStoreBufferEntries 8-byte lines (hashed by line address) plus kStoreRanges ranges for
// rep stos / large unknown areas. Each byte is absent (read memory), known or UNKNOWN.
// Full: the buffer becomes poisoned. Nothing is wrong, only less is known.
//
// Invariants (CheckStoreBuffer() tells whether they hold; tests call it after every step):
//   I1  A byte present in a live line was stored after every range that covers it: a range erases what it hides.
//   I2  Of overlapping ranges the one of higher index is the later.
//   I3  known is a subset of written in every live line.
//   I4  Poison empties lines and ranges; whatever is present afterwards was stored later, so it is exact. Absent bytes are
//       UNKNOWN until Clear.
//   I5  A live line lies within kMaxStoreProbes slots of its hash with no dead slot before it.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_STORE_BUFFER_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_STORE_BUFFER_H_

#include <cstdint>

#include "runtime/base/attributes.h"
#include "runtime/lookahead/value.h"

namespace softlbr {

inline constexpr uint32_t kStoreBufferEntries = 1024;  // power of two; 16-branch traces use up to 192 lines (p90), long ones more
inline constexpr uint32_t kStoreRanges = 4;
inline constexpr uint32_t kMaxStoreProbes = 24;  // reached at a load of about 0.9; then the buffer counts as full

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
  uint16_t generation;  // never 0
  bool is_poisoned;  // a store to an UNKNOWN address, a system call, or a full buffer
};

// What the buffer says about 1..8 bytes. Bytes not in `written` are to be read from memory, or UNKNOWN if it is poisoned.
struct BufferedValue {
  uint64_t bits;
  uint8_t written;
  uint8_t known;  // subset of written
};

// Once, on memory of any content.
SOFTLBR_HANDLER_SAFE void InitStoreBuffer(StoreBuffer* buffer);
// Forgets everything, poison included.
SOFTLBR_HANDLER_SAFE void ClearStoreBuffer(StoreBuffer* buffer);
// Any byte of memory may have been stored to: forgets everything and answers UNKNOWN for what is not stored later.
SOFTLBR_HANDLER_SAFE void PoisonStoreBuffer(StoreBuffer* buffer);

// mem[address .. address + width) = value, width 1..8, address modulo 2^64.
SOFTLBR_HANDLER_SAFE void StoreBuffered(StoreBuffer* buffer, uint64_t address, uint32_t width, Value value);
// `bytes` bytes from address become `value`, or UNKNOWN. Any length; a range beyond 2^64 poisons.
SOFTLBR_HANDLER_SAFE void StoreRangeBuffered(StoreBuffer* buffer, uint64_t address, uint64_t bytes, uint8_t value,
                                             bool is_known);
// Width 1..8.
SOFTLBR_HANDLER_SAFE BufferedValue LoadBuffered(const StoreBuffer& buffer, uint64_t address, uint32_t width);

// True if nothing was stored: loads need not ask.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsStoreBufferEmpty(const StoreBuffer& buffer) {
  return (buffer.live_lines | buffer.range_count) == 0;
}

// The slot where a line is looked for first. Neighbouring lines go to neighbouring slots (one cache line holds two or three);
// the multiplication keeps regions that lie a power of two apart from meeting.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint32_t StoreSlotOf(uint64_t line_address) {
  const uint64_t line = line_address / 8;
  return static_cast<uint32_t>(line + (line / kStoreBufferEntries * 0x9e3779b97f4a7c15 >> 40)) & (kStoreBufferEntries - 1);
}

// The part of LoadBuffered worth inlining: within one line, and that line in its first slot or absent, and no range.
// False: ask LoadBuffered.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool LoadBufferedFast(const StoreBuffer& buffer, uint64_t address, uint32_t width,
                                                                 BufferedValue* out) {
  const uint32_t offset = address & 7;
  if (offset + width > 8 || buffer.range_count != 0) return false;
  const StoreBuffer::Line& line = buffer.lines[StoreSlotOf(address - offset)];
  if (line.generation != buffer.generation) return true;  // *out says so already
  if (line.address != address - offset) return false;
  const uint8_t wanted = WidthKnown(width);
  *out = BufferedValue{line.value >> (8 * offset), static_cast<uint8_t>(line.written >> offset & wanted),
                       static_cast<uint8_t>(line.known >> offset & wanted)};
  return true;
}

// For tests: I1 (as far as one state shows it), I3 and I5. Cost: the whole table.
bool CheckStoreBuffer(const StoreBuffer& buffer);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_STORE_BUFFER_H_
