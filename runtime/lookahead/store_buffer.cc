// Contract and invariants: store_buffer.h.
#include "runtime/lookahead/store_buffer.h"

namespace softlbr {
namespace {

static_assert((kStoreBufferEntries & (kStoreBufferEntries - 1)) == 0, "slots are found with a mask");

// Ranges up to this long become lines: cheaper to read back, and they do not use up the few ranges.
constexpr uint64_t kMaxRangeBytesAsLines = 64;

// The live line of that address, or null.
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

// Writes the bytes of `mask` of one line. When there is no room: poisons, and starts anew with this store.
SOFTLBR_HANDLER_SAFE inline void StoreInLine(StoreBuffer* buffer, uint64_t line_address, uint8_t mask, Value value) {
  for (uint32_t attempt = 0; attempt < 2; ++attempt) {
    uint32_t slot = StoreSlotOf(line_address);
    for (uint32_t probe = 0; probe < kMaxStoreProbes; ++probe) {
      StoreBuffer::Line& line = buffer->lines[slot];
      if (line.generation != buffer->generation) {
        line.address = line_address;
        line.value = value.bits;
        line.written = mask;
        line.known = value.known & mask;
        line.generation = buffer->generation;
        ++buffer->live_lines;
        return;
      }
      if (line.address == line_address) {
        const uint64_t bits = ExpandKnown(mask);
        line.value = (line.value & ~bits) | (value.bits & bits);
        line.written = static_cast<uint8_t>(line.written | mask);
        line.known = static_cast<uint8_t>((line.known & ~mask) | (value.known & mask));
        return;
      }
      slot = (slot + 1) & (kStoreBufferEntries - 1);
    }
    PoisonStoreBuffer(buffer);
  }
}

// Adds what the ranges say about the bytes of `missing`, latest range first (I2).
SOFTLBR_HANDLER_SAFE void AddFromRanges(const StoreBuffer& buffer, uint64_t line_address, uint8_t missing,
                                        BufferedValue* out) {
  for (uint32_t i = buffer.range_count; i > 0 && missing != 0; --i) {
    const StoreBuffer::Range& range = buffer.ranges[i - 1];
    if (range.end <= line_address || range.begin > line_address + 7) continue;
    uint8_t covered = 0xff;
    if (range.begin > line_address) covered = static_cast<uint8_t>(covered << (range.begin - line_address));
    const uint64_t below_end = range.end - line_address;
    if (below_end < 8) covered = static_cast<uint8_t>(covered & (0xff >> (8 - below_end)));
    covered = static_cast<uint8_t>(covered & missing);
    missing = static_cast<uint8_t>(missing & ~covered);
    out->written = static_cast<uint8_t>(out->written | covered);
    if (range.is_known) {
      out->known = static_cast<uint8_t>(out->known | covered);
      const uint64_t bits = ExpandKnown(covered);
      out->bits = (out->bits & ~bits) | (range.value * 0x0101010101010101u & bits);
    }
  }
}

// What is stored in the 8-byte line; only the bytes of `wanted` need be right.
SOFTLBR_HANDLER_SAFE inline BufferedValue LoadLine(const StoreBuffer& buffer, uint64_t line_address, uint8_t wanted) {
  BufferedValue out = {0, 0, 0};
  const StoreBuffer::Line* line = FindLine(buffer, line_address);
  if (line != nullptr) out = BufferedValue{line->value, line->written, line->known};
  if (buffer.range_count != 0) {
    const uint8_t missing = static_cast<uint8_t>(wanted & ~out.written);
    if (missing != 0) AddFromRanges(buffer, line_address, missing, &out);
  }
  return out;
}

// Makes lines forget the bytes of [begin, end) (I1).
SOFTLBR_HANDLER_SAFE void EraseLines(StoreBuffer* buffer, uint64_t begin, uint64_t end) {
  if (buffer->live_lines == 0) return;
  for (uint32_t slot = 0; slot < kStoreBufferEntries; ++slot) {
    StoreBuffer::Line& line = buffer->lines[slot];
    if (line.generation != buffer->generation) continue;
    if (line.address + 7 < begin || line.address >= end) continue;
    uint32_t hidden = 0xff;
    if (begin > line.address) hidden &= 0xffu << (begin - line.address);
    if (end - line.address < 8) hidden &= 0xffu >> (8 - (end - line.address));
    line.written = static_cast<uint8_t>(line.written & ~hidden);
    line.known = static_cast<uint8_t>(line.known & ~hidden);
  }
}

// Removes the ranges that [begin, end) hides altogether; keeps the order of the others (I2).
SOFTLBR_HANDLER_SAFE void DropHiddenRanges(StoreBuffer* buffer, uint64_t begin, uint64_t end) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < buffer->range_count; ++i) {
    const StoreBuffer::Range range = buffer->ranges[i];
    if (range.begin >= begin && range.end <= end) continue;
    buffer->ranges[kept++] = range;
  }
  buffer->range_count = kept;
}

}  // namespace

void InitStoreBuffer(StoreBuffer* buffer) {
  for (uint32_t slot = 0; slot < kStoreBufferEntries; ++slot) {
    buffer->lines[slot].generation = 0;
    asm volatile("" ::: "memory");  // or the compiler may make it a call of memset
  }
  buffer->generation = 1;
  buffer->range_count = 0;
  buffer->live_lines = 0;
  buffer->is_poisoned = false;
}

void ClearStoreBuffer(StoreBuffer* buffer) {
  if (buffer->generation == UINT16_MAX) {
    InitStoreBuffer(buffer);
    return;
  }
  if (buffer->live_lines != 0) ++buffer->generation;
  buffer->range_count = 0;
  buffer->live_lines = 0;
  buffer->is_poisoned = false;
}

void PoisonStoreBuffer(StoreBuffer* buffer) {
  ClearStoreBuffer(buffer);
  buffer->is_poisoned = true;
}

void StoreBuffered(StoreBuffer* buffer, uint64_t address, uint32_t width, Value value) {
  const uint32_t offset = address & 7;
  const uint64_t line_address = address - offset;
  const uint32_t mask = static_cast<uint32_t>(WidthKnown(width)) << offset;
  StoreInLine(buffer, line_address, static_cast<uint8_t>(mask),
              Value{value.bits << (8 * offset), static_cast<uint8_t>(value.known << offset)});
  if ((mask >> 8) == 0) return;
  const uint32_t done = 8 - offset;  // bytes that went into the first line, 1..7 here
  StoreInLine(buffer, line_address + 8, static_cast<uint8_t>(mask >> 8),
              Value{value.bits >> (8 * done), static_cast<uint8_t>(value.known >> done)});
}

void StoreRangeBuffered(StoreBuffer* buffer, uint64_t address, uint64_t bytes, uint8_t value, bool is_known) {
  if (bytes == 0) return;
  if (bytes <= kMaxRangeBytesAsLines) {
    const Value filled = {value * uint64_t{0x0101010101010101}, is_known ? kAllBytesKnown : uint8_t{0}};
    for (uint64_t done = 0; done < bytes; done += 8) {  // at most kMaxRangeBytesAsLines / 8 times
      StoreBuffered(buffer, address + done, bytes - done < 8 ? static_cast<uint32_t>(bytes - done) : 8, filled);
    }
    return;
  }
  const uint64_t end = address + bytes;
  if (end < address) {
    PoisonStoreBuffer(buffer);
    return;
  }
  if (!is_known && buffer->is_poisoned && IsStoreBufferEmpty(*buffer)) return;  // UNKNOWN already
  EraseLines(buffer, address, end);
  DropHiddenRanges(buffer, address, end);
  if (buffer->range_count == kStoreRanges) PoisonStoreBuffer(buffer);
  buffer->ranges[buffer->range_count++] = StoreBuffer::Range{address, end, value, is_known};
}

BufferedValue LoadBuffered(const StoreBuffer& buffer, uint64_t address, uint32_t width) {
  const uint32_t offset = address & 7;
  const uint64_t line_address = address - offset;
  const uint32_t mask = static_cast<uint32_t>(WidthKnown(width)) << offset;
  BufferedValue low = LoadLine(buffer, line_address, static_cast<uint8_t>(mask));
  low.written = static_cast<uint8_t>(low.written & mask);
  low.known = static_cast<uint8_t>(low.known & mask);
  BufferedValue out = {low.bits >> (8 * offset), static_cast<uint8_t>(low.written >> offset),
                       static_cast<uint8_t>(low.known >> offset)};
  if ((mask >> 8) == 0) return out;
  const uint32_t done = 8 - offset;  // 1..7 here
  const uint8_t rest = static_cast<uint8_t>(mask >> 8);
  const BufferedValue high = LoadLine(buffer, line_address + 8, rest);
  const uint64_t low_bits = LowOnes(8 * done);
  out.bits = (out.bits & low_bits) | high.bits << (8 * done);
  out.written = static_cast<uint8_t>(out.written | (high.written & rest) << done);
  out.known = static_cast<uint8_t>(out.known | (high.known & rest) << done);
  return out;
}

bool CheckStoreBuffer(const StoreBuffer& buffer) {
  if (buffer.generation == 0 || buffer.range_count > kStoreRanges) return false;
  uint32_t live = 0;
  for (uint32_t slot = 0; slot < kStoreBufferEntries; ++slot) {
    const StoreBuffer::Line& line = buffer.lines[slot];
    if (line.generation != buffer.generation) continue;
    ++live;
    if ((line.address & 7) != 0 || (line.known & ~line.written) != 0) return false;  // I3
    if (FindLine(buffer, line.address) != &line) return false;                       // I5
  }
  return live == buffer.live_lines;
}

}  // namespace softlbr
