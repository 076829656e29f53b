// Contract and invariants: store_buffer.h.
#include "runtime/lookahead/memory/store_buffer.h"

namespace softlbr {
namespace {

static_assert((kStoreBufferEntries & (kStoreBufferEntries - 1)) == 0, "slots are found with a mask");
static_assert((kLostBlockBits & (kLostBlockBits - 1)) == 0, "LostBitOf takes the upper bits of a product");

// Like FindLine, but makes the line if it is absent. Null: there is no room.
inline StoreBuffer::Line* FindOrMakeLine(StoreBuffer* buffer, uint64_t line_address) {
  uint32_t slot = StoreSlotOf(line_address);
  for (uint32_t probe = 0; probe < kMaxStoreProbes; ++probe) {
    StoreBuffer::Line& line = buffer->lines[slot];
    if (line.generation != buffer->generation) {
      line.address = line_address;
      line.written = 0;
      line.known = 0;
      line.generation = buffer->generation;
      ++buffer->live_lines;
      return &line;
    }
    if (line.address == line_address) return &line;
    slot = (slot + 1) & (kStoreBufferEntries - 1);
  }
  return nullptr;
}

void NoteLost(StoreBuffer* buffer, uint64_t address) {
  const uint32_t bit = LostBitOf(address);
  buffer->lost[bit / 64] |= uint64_t{1} << (bit % 64);
  ++buffer->lost_stores;
}
inline bool IsLost(const StoreBuffer& buffer, uint64_t address) {
  const uint32_t bit = LostBitOf(address);
  return (buffer.lost[bit / 64] >> (bit % 64) & 1) != 0;
}

// Writes `width` bytes (1..8) within one line.
inline void StoreInLine(StoreBuffer* buffer, uint64_t address, uint32_t width, Value value) {
  const uint32_t offset = address % kStoreLineBytes;
  StoreBuffer::Line* const line = FindOrMakeLine(buffer, address - offset);
  if (SOFTLBR_UNLIKELY(line == nullptr)) {
    NoteLost(buffer, address);
    return;
  }
  uint8_t* const place = reinterpret_cast<uint8_t*>(line) + offset;
  const uint64_t bits = WidthBits(width);
  uint64_t old;
  __builtin_memcpy(&old, place, sizeof(old));
  old = (old & ~bits) | (value.bits & bits);
  __builtin_memcpy(place, &old, sizeof(old));
  const uint32_t mask = static_cast<uint32_t>(WidthKnown(width)) << offset;
  line->written = static_cast<uint16_t>(line->written | mask);
  line->known = static_cast<uint16_t>((line->known & ~mask) | (static_cast<uint32_t>(value.known) << offset & mask));
}

// Adds the content of ranges for the bytes in `missing` (bit i: address + i), latest range first (I2).
void AddFromRanges(const StoreBuffer& buffer, uint64_t address, uint8_t missing, BufferedValue* out) {
  for (uint32_t i = buffer.range_count; i > 0 && missing != 0; --i) {
    const StoreBuffer::Range& range = buffer.ranges[i - 1];
    if (range.end <= address || (range.begin > address && range.begin - address > 7)) continue;
    uint8_t covered = 0xff;
    if (range.begin > address) covered = static_cast<uint8_t>(covered << (range.begin - address));
    const uint64_t below_end = range.end - address;
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

// Loads `width` bytes (1..8) within one line.
inline BufferedValue LoadInLine(const StoreBuffer& buffer, uint64_t address, uint32_t width) {
  const uint32_t offset = address % kStoreLineBytes;
  const uint8_t wanted = WidthKnown(width);
  BufferedValue out = {0, 0, 0};
  const StoreBuffer::Line* line = FindLine(buffer, address - offset);
  if (line != nullptr) {
    __builtin_memcpy(&out.bits, reinterpret_cast<const uint8_t*>(line) + offset, sizeof(out.bits));
    out.written = static_cast<uint8_t>(line->written >> offset & wanted);
    out.known = static_cast<uint8_t>(line->known >> offset & wanted);
  }
  const uint8_t missing = static_cast<uint8_t>(wanted & ~out.written);
  if (missing == 0 || (buffer.range_count | buffer.lost_stores) == 0) return out;
  if (buffer.lost_stores != 0 && IsLost(buffer, address)) {
    out.written = wanted;  // written, but UNKNOWN
  } else {
    AddFromRanges(buffer, address, missing, &out);
  }
  return out;
}

// Erases the bytes of [begin, end) from the lines (I1).
void EraseLines(StoreBuffer* buffer, uint64_t begin, uint64_t end) {
  if (buffer->live_lines == 0) return;
  for (uint32_t slot = 0; slot < kStoreBufferEntries; ++slot) {
    StoreBuffer::Line& line = buffer->lines[slot];
    if (line.generation != buffer->generation) continue;
    if (line.address + (kStoreLineBytes - 1) < begin || line.address >= end) continue;
    uint32_t hidden = 0xffff;
    if (begin > line.address) hidden &= 0xffffu << (begin - line.address);
    if (end - line.address < kStoreLineBytes) hidden &= 0xffffu >> (kStoreLineBytes - (end - line.address));
    line.written = static_cast<uint16_t>(line.written & ~hidden);
    line.known = static_cast<uint16_t>(line.known & ~hidden);
  }
}

// Removes the ranges that [begin, end) covers entirely; keeps the order of the others (I2).
void DropHiddenRanges(StoreBuffer* buffer, uint64_t begin, uint64_t end) {
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
    asm volatile("" ::: "memory");  // else the compiler may call memset
  }
  buffer->generation = 1;
  buffer->lost_stores = 1;  // so that ClearStoreBuffer clears the filter
  ClearStoreBuffer(buffer);
}

void ClearStoreBuffer(StoreBuffer* buffer) {
  if (buffer->lost_stores != 0) {
    for (uint32_t i = 0; i < kLostBlockBits / 64; ++i) {
      buffer->lost[i] = 0;
      asm volatile("" ::: "memory");
    }
  }
  buffer->range_count = 0;
  buffer->live_lines = 0;
  buffer->lost_stores = 0;
  buffer->is_poisoned = false;
  if (++buffer->generation == 0) InitStoreBuffer(buffer);
}

void PoisonStoreBuffer(StoreBuffer* buffer) {
  ClearStoreBuffer(buffer);
  buffer->is_poisoned = true;
}

void StoreBuffered(StoreBuffer* buffer, uint64_t address, uint32_t width, Value value) {
  const uint32_t in_line = kStoreLineBytes - address % kStoreLineBytes;
  uint32_t chunk = width <= in_line ? width : in_line;
  for (;;) {  // twice at most
    StoreInLine(buffer, address, chunk, value);
    if (SOFTLBR_LIKELY(chunk == width)) return;
    address += chunk;
    width -= chunk;
    value = Value{value.bits >> (8 * chunk), static_cast<uint8_t>(value.known >> chunk)};  // chunk is 1..7 here
    chunk = width;
  }
}

void StoreWholeLine(StoreBuffer* buffer, uint64_t address, const uint64_t* words, uint16_t known) {
  StoreBuffer::Line* const line = FindOrMakeLine(buffer, address);
  if (SOFTLBR_UNLIKELY(line == nullptr)) {
    NoteLost(buffer, address);
    return;
  }
  __builtin_memcpy(line->bytes, words, kStoreLineBytes);
  line->written = UINT16_MAX;
  line->known = known;
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
  const uint32_t in_line = kStoreLineBytes - address % kStoreLineBytes;
  if (width <= in_line) return LoadInLine(buffer, address, width);
  BufferedValue out = LoadInLine(buffer, address, in_line);  // in_line is 1..7 here
  const BufferedValue rest = LoadInLine(buffer, address + in_line, width - in_line);
  out.bits = (out.bits & WidthBits(in_line)) | rest.bits << (8 * in_line);
  out.written = static_cast<uint8_t>(out.written | rest.written << in_line);
  out.known = static_cast<uint8_t>(out.known | rest.known << in_line);
  return out;
}

}  // namespace softlbr
