// Contract: guarded_read.h.
#include "runtime/lookahead/memory/guarded_read.h"

#include "platform/base/bytes.h"
#include "platform/thread.h"

namespace softlbr {
namespace {

static_assert((kGuardLineBytes & (kGuardLineBytes - 1)) == 0, "offsets are bits of the address");

constexpr uint64_t kNoLine = 1;
constexpr uint8_t kMostAge = 1;

inline uint8_t* PlaceOf(GuardLines* lines, uint64_t line) {
  const uint64_t number = line / kGuardLineBytes;
  return &lines->places[(number ^ number >> 10) % sizeof(lines->places)];
}

inline uint8_t* BytesOf(GuardLines* lines, uint32_t index) { return lines->bytes + index * kGuardLineBytes; }

// Keeps the lines that were used lately and may be read.
void DropOldLines(GuardLines* lines, const SpecialRanges* special) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < lines->count; ++i) {
    const uint64_t line = lines->sources[i].begin;
    if (line == kNoLine || lines->ages[i] > kMostAge) continue;
    if (ListedState(special, line & ~(kProbePageBytes - 1)) == PageState::kSpecial) continue;
    lines->sources[kept] = lines->sources[i];
    lines->ages[kept++] = lines->ages[i] + 1;
  }
  lines->count = kept;
}

SOFTLBR_COLD void CopyAgain(GuardLines* lines, const SpecialRanges* special) {
  constexpr uint32_t kMostFailures = 4;
  constexpr uint64_t kMostNs = 1000000000;
  const uint64_t ticks = platform::Ticks();
  if (platform::TicksToNs(ticks - lines->copied_ticks) > kMostNs) lines->count = 0;
  lines->copied_ticks = ticks;
  lines->are_current = true;
  lines->thread = platform::CurrentThreadId();
  DropOldLines(lines, special);
  uint32_t failures = 0;
  for (uint32_t done = 0; done < lines->count;) {
    const uint32_t left = lines->count - done;
    const uint64_t copied =
        platform::CopyReadable(lines->thread, &lines->sources[done], left, BytesOf(lines, done), left * kGuardLineBytes);
    done += static_cast<uint32_t>(copied / kGuardLineBytes);
    if (done == lines->count) break;
    // This one cannot be read any more: the last one takes its place.
    --lines->count;
    if (++failures > kMostFailures) lines->count = done;
    lines->sources[done] = lines->sources[lines->count];
    lines->ages[done] = lines->ages[lines->count];
  }
  lines->next = 0;
  for (uint32_t i = 0; i < lines->count; ++i) *PlaceOf(lines, lines->sources[i].begin) = static_cast<uint8_t>(i);
}

// False: it cannot be read.
bool CopyLine(GuardLines* lines, uint64_t line, uint32_t* index) {
  if (lines->count < kGuardLines) {
    *index = lines->count++;
  } else {
    *index = lines->next;
    lines->next = lines->next + 1 == kGuardLines ? 0 : lines->next + 1;
  }
  platform::MemoryChunk* source = &lines->sources[*index];
  *source = {line, kGuardLineBytes};
  if (platform::CopyReadable(lines->thread, source, 1, BytesOf(lines, *index), kGuardLineBytes) != kGuardLineBytes) {
    source->begin = kNoLine;
    return false;
  }
  *PlaceOf(lines, line) = static_cast<uint8_t>(*index);
  return true;
}

}  // namespace

SOFTLBR_COLD void InitGuardLines(GuardLines* lines) {
  lines->are_current = false;
  lines->count = 0;
  lines->copied_ticks = 0;
  for (uint8_t& place : lines->places) {
    place = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
}

bool ReadGuarded(GuardLines* lines, const SpecialRanges* special, uint64_t address, uint32_t width, uint64_t* bits) {
  if (SOFTLBR_UNLIKELY(lines == nullptr)) return platform::CopyFrom(address, bits, width) == Status::kOk;
  if (!lines->are_current) CopyAgain(lines, special);
  const uint64_t offset = address % kGuardLineBytes;
  if (offset + width > kGuardLineBytes) {
    const platform::MemoryChunk chunk = {address, width};
    return platform::CopyReadable(lines->thread, &chunk, 1, bits, width) == width;
  }
  const uint64_t line = address - offset;
  uint32_t index = *PlaceOf(lines, line);
  if ((index >= lines->count || lines->sources[index].begin != line) && !CopyLine(lines, line, &index)) return false;
  lines->ages[index] = 0;
  *bits = LoadUnaligned<uint64_t>(BytesOf(lines, index) + offset);
  return true;
}

}  // namespace softlbr
