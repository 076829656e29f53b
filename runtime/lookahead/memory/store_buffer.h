// The stores of the shadow program since the true state was adopted; the program's own memory is never written.
//
// Context: handler. Memory: fixed; kStoreBufferEntries lines of 16 bytes (hashed by line address), kStoreRanges ranges
// for rep stos and large UNKNOWN areas, and a filter of lost stores. Each byte is absent (read memory), known or
// UNKNOWN.
// Full: a store that finds no line is lost. The filter remembers its 64-byte block, whose absent bytes are UNKNOWN from
// then on. Without a free range the buffer becomes poisoned. Nothing becomes wrong, only less is known.
//
// Invariants (CheckStoreBuffer() checks I3 and I5; tests call it after every step):
//   I1  A byte present in a live line was stored after every range that covers it: a range erases what it hides.
//   I2  Of overlapping ranges the one of higher index is the later.
//   I3  known is a subset of written in every live line.
//   I4  Poison empties lines and ranges; whatever is present afterwards was stored later, so it is exact. Absent bytes
//       are UNKNOWN until Clear.
//   I5  A live line lies within kMaxStoreProbes slots of its hash with no dead slot before it. None dies before Clear,
//       so a line that once found no room never finds one.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_STORE_BUFFER_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_STORE_BUFFER_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "runtime/lookahead/values/value.h"

namespace softlbr {

inline constexpr uint32_t kStoreLineBytes = 16;

struct StoreBuffer {
  struct Line {
    uint8_t bytes[kStoreLineBytes];
    uint16_t written;     // bytes present
    uint16_t known;       // of those, known
    uint32_t generation;  // entry is live iff equal to StoreBuffer::generation: clearing costs nothing
    uint64_t address;     // 16-aligned
  };
  struct Range {  // [begin, end): every byte is `value` (known) or UNKNOWN; later line stores win over it
    uint64_t begin;
    uint64_t end;
    uint8_t value;
    bool is_known;
  };
  uint32_t lost_stores;
  uint32_t range_count;
  uint32_t live_lines;
  uint32_t generation;  // never 0
  bool is_poisoned;     // a store to an UNKNOWN address, a system call, or too many ranges
  Range ranges[kStoreRanges];
  uint64_t lost[kLostBlockBits / 64];  // bit LostBitOf(address): a store to such a block found no room
  Line lines[kStoreBufferEntries];
};
static_assert(sizeof(StoreBuffer::Line) == 32, "8 bytes are read and written at any of its 16");

// The buffer's content for 1..8 bytes. Bytes not in `written` must be read from memory; they are UNKNOWN if it is
// poisoned.
struct BufferedValue {
  uint64_t bits;
  uint8_t written;
  uint8_t known;  // subset of written
};

// Call once, on memory of any content.
SOFTLBR_HANDLER_SAFE void InitStoreBuffer(StoreBuffer* buffer);
// Forgets everything, poison included.
SOFTLBR_HANDLER_SAFE void ClearStoreBuffer(StoreBuffer* buffer);
// Any byte of memory may have been stored to: forgets everything and answers UNKNOWN for what is not stored later.
SOFTLBR_HANDLER_SAFE void PoisonStoreBuffer(StoreBuffer* buffer);

// mem[address .. address + width) = value, width 1..8, address modulo 2^64.
SOFTLBR_HANDLER_SAFE void StoreBuffered(StoreBuffer* buffer, uint64_t address, uint32_t width, Value value);
// One whole line, address 16-aligned; bit i of known: byte i.
SOFTLBR_HANDLER_SAFE void StoreWholeLine(StoreBuffer* buffer, uint64_t address, const uint64_t* words, uint16_t known);
// `bytes` bytes from address become `value`, or UNKNOWN. Any length; a range beyond 2^64 poisons.
SOFTLBR_COLD SOFTLBR_HANDLER_SAFE void StoreRangeBuffered(StoreBuffer* buffer, uint64_t address, uint64_t bytes,
                                                          uint8_t value, bool is_known);
// Width 1..8.
SOFTLBR_HANDLER_SAFE BufferedValue LoadBuffered(const StoreBuffer& buffer, uint64_t address, uint32_t width);

// True if nothing was stored: loads need not look here.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsStoreBufferEmpty(const StoreBuffer& buffer) {
  return (buffer.live_lines | buffer.range_count | buffer.lost_stores) == 0;
}

// The slot where a line is looked for first. The four lines of a 64-byte block go to neighbouring slots (two cache
// lines);
// blocks are scattered.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint32_t StoreSlotOf(uint64_t line_address) {
  constexpr uint32_t kGroupShift = 64 - __builtin_ctz(kStoreBufferEntries / 4);
  const uint64_t group = (line_address >> 6) * 0x9e3779b97f4a7c15 >> kGroupShift;
  return static_cast<uint32_t>(group << 2 | (line_address >> 4 & 3));
}
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint32_t LostBitOf(uint64_t address) {
  return static_cast<uint32_t>((address >> 6) * 0xd6e8feb86659fd93 >> (64 - __builtin_ctz(kLostBlockBits)));
}

// The inline part of LoadBuffered: within one line, and that line in its first slot or absent, no range, nothing lost.
// *out must be zero. False: call LoadBuffered.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool LoadBufferedFast(const StoreBuffer& buffer, uint64_t address,
                                                                 uint32_t width, BufferedValue* out) {
  const uint32_t offset = address % kStoreLineBytes;
  if (offset + width > kStoreLineBytes || (buffer.range_count | buffer.lost_stores) != 0) return false;
  const StoreBuffer::Line& line = buffer.lines[StoreSlotOf(address)];
  if (line.generation != buffer.generation) return true;  // absent: *out stays zero
  if (line.address != address - offset) return false;
  const uint8_t wanted = WidthKnown(width);
  __builtin_memcpy(&out->bits, reinterpret_cast<const uint8_t*>(&line) + offset, 8);
  out->written = static_cast<uint8_t>(line.written >> offset & wanted);
  out->known = static_cast<uint8_t>(line.known >> offset & wanted);
  return true;
}

// The live line of this address, or null.
SOFTLBR_HANDLER_SAFE inline const StoreBuffer::Line* FindLine(const StoreBuffer& buffer, uint64_t line_address) {
  uint32_t slot = StoreSlotOf(line_address);
  for (uint32_t probe = 0; probe < kMaxStoreProbes; ++probe) {
    const StoreBuffer::Line& line = buffer.lines[slot];
    if (line.generation != buffer.generation) return nullptr;
    if (line.address == line_address) return &line;
    slot = (slot + 1) & (kStoreBufferEntries - 1);
  }
  return nullptr;
}

// For tests; inline, so that no app contains it. Checks I3 and I5. Cost: the whole table.
inline bool CheckStoreBuffer(const StoreBuffer& buffer) {
  if (buffer.generation == 0 || buffer.range_count > kStoreRanges) return false;
  uint32_t live = 0;
  for (uint32_t slot = 0; slot < kStoreBufferEntries; ++slot) {
    const StoreBuffer::Line& line = buffer.lines[slot];
    if (line.generation != buffer.generation) continue;
    ++live;
    if (line.address % kStoreLineBytes != 0 || (line.known & ~line.written) != 0) return false;  // I3
    if (FindLine(buffer, line.address) != &line) return false;                                   // I5
  }
  return live == buffer.live_lines;
}

// Loads a line of which every byte was stored, if it is in its first slot: its two words into `words`, one bit for each
// byte into *known. False: call LoadBuffered; `words` is untouched.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool LoadWholeLine(const StoreBuffer& buffer, uint64_t address,
                                                              uint64_t* words, uint16_t* known) {
  const StoreBuffer::Line& line = buffer.lines[StoreSlotOf(address)];
  if (line.generation != buffer.generation || line.address != address || line.written != UINT16_MAX) return false;
  __builtin_memcpy(words, line.bytes, kStoreLineBytes);
  *known = line.known;
  return true;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_STORE_BUFFER_H_
