// Contract: guarded_read.h.
#include "runtime/lookahead/memory/guarded_read.h"

#include "platform/base/bytes.h"
#include "platform/safe_read.h"

namespace softlbr {

static_assert((kGuardLines & (kGuardLines - 1)) == 0 && (kGuardLineBytes & (kGuardLineBytes - 1)) == 0,
              "sets and offsets are bits of the address");

namespace {

SOFTLBR_COLD void InitLines(GuardLines* lines) {
  lines->are_valid = true;
  for (uint32_t i = 0; i < kGuardLines; ++i) {
    lines->tags[i] = kNoLine;
    lines->recent[i / 2] = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
}

}  // namespace

bool ReadGuarded(GuardLines* lines, uint64_t address, uint32_t width, uint64_t* bits) {
  const uint64_t offset = address % kGuardLineBytes;
  if (offset + width > kGuardLineBytes) return platform::CopyFrom(address, bits, width) == Status::kOk;
  if (!lines->are_valid) InitLines(lines);
  const uint64_t line = address - offset;
  const uint64_t number = line / kGuardLineBytes;
  uint64_t slot = (number ^ number >> 6) % kGuardLines;
  uint8_t* recent = &lines->recent[slot / 2];
  if (lines->tags[slot] != line) slot ^= 1;
  if (lines->tags[slot] != line) {
    slot = (slot | 1) ^ *recent;
    lines->tags[slot] = kNoLine;
    if (platform::CopyFrom(line, lines->bytes + slot * kGuardLineBytes, kGuardLineBytes) != Status::kOk) return false;
    lines->tags[slot] = line;
  }
  *recent = slot & 1;
  *bits = LoadUnaligned<uint64_t>(lines->bytes + slot * kGuardLineBytes + offset);
  return true;
}

}  // namespace softlbr
