// Contract: guarded_read.h.
#include "runtime/lookahead/memory/guarded_read.h"

#include "platform/base/bytes.h"
#include "platform/thread.h"

namespace softlbr {
namespace {

static_assert((kGuardLineBytes & (kGuardLineBytes - 1)) == 0, "offsets are bits of the address");

constexpr uint64_t kNoLine = 1;
constexpr uint8_t kMostAge = 1;

// The two places where the index of a line may be.
SOFTLBR_NOINLINE uint8_t* PlacesOf(GuardLines* lines, uint64_t line) {
  const uint64_t number = line / kGuardLineBytes;
  return &lines->places[(number ^ number >> 9) % (sizeof(lines->places) / 2) * 2];
}

inline uint8_t* BytesOf(GuardLines* lines, uint32_t index) { return lines->bytes + index * kGuardLineBytes; }

// The index of a cached line; kGuardLines if it is not cached.
inline uint32_t Find(GuardLines* lines, uint64_t line) {
  const uint8_t* places = PlacesOf(lines, line);
  for (uint32_t way = 0; way < 2; ++way) {
    const uint32_t index = places[way];
    if (index < lines->count && lines->sources[index].begin == line) return index;
  }
  return kGuardLines;
}

// Uses the first of the line's places, unless another cached line has it.
void SetPlace(GuardLines* lines, uint64_t line, uint32_t index) {
  uint8_t* places = PlacesOf(lines, line);
  const uint32_t present = places[0];
  const bool is_taken =
      present < lines->count && present != index && PlacesOf(lines, lines->sources[present].begin) == places;
  places[is_taken ? 1 : 0] = static_cast<uint8_t>(index);
}

// Drops the lines that were not used lately or must not be read.
void DropOldLines(GuardLines* lines, const SpecialRanges* special) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < lines->count; ++i) {
    const uint64_t line = lines->sources[i].begin;
    if (line == kNoLine || lines->ages[i] > kMostAge) continue;
    if (ListedState(special, line & ~(kProbePageBytes - 1)) == PageState::kSpecial) continue;
    lines->sources[kept] = lines->sources[i];
    lines->read[kept] = lines->read[i];
    lines->ages[kept++] = lines->ages[i] + 1;
  }
  lines->count = kept;
}

// Copies all lines again; drops those that cannot be read any more.
SOFTLBR_COLD void CopyAllLines(GuardLines* lines) {
  constexpr uint32_t kMostFailures = 4;
  uint32_t failures = 0;
  for (uint32_t done = 0; done < lines->count;) {
    const uint32_t left = lines->count - done;
    const uint64_t copied = platform::CopyReadable(lines->thread, &lines->sources[done], left, BytesOf(lines, done),
                                                   left * kGuardLineBytes);
    done += static_cast<uint32_t>(copied / kGuardLineBytes);
    if (done == lines->count) break;
    // This one cannot be read any more: the last one takes its place.
    --lines->count;
    if (++failures > kMostFailures) lines->count = done;
    lines->sources[done] = lines->sources[lines->count];
    lines->ages[done] = lines->ages[lines->count];
    lines->read[done] = lines->read[lines->count];
  }
}

// A checksum of the words in `read`, whatever the order of the lines; 0 if there are none.
SOFTLBR_COLD uint64_t SumOfReadWords(const GuardLines* lines) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < lines->count; ++i) {
    uint32_t left = lines->read[i];
    for (uint32_t at = i * kGuardLineBytes; left != 0; left >>= 1, at += 8) {
      if (left % 2 == 0) continue;
      constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
      const uint64_t hash = (lines->sources[i].begin + left + LoadUnaligned<uint64_t>(lines->bytes + at) * kOdd) * kOdd;
      sum += hash ^ hash >> 32;
    }
  }
  return sum;
}

// Copies all lines, and compares the words in `read` with their former values.
SOFTLBR_COLD bool AreReadWordsSteady(GuardLines* lines) {
  const uint64_t sum = SumOfReadWords(lines);
  if (sum == 0) return true;
  CopyAllLines(lines);
  return SumOfReadWords(lines) == sum;
}

SOFTLBR_COLD void CopyAgain(GuardLines* lines, const SpecialRanges* special) {
  constexpr uint64_t kMostNs = 1000000000;
  constexpr uint32_t kMostCopies = 4;
  const uint64_t ticks = platform::Ticks();
  const int32_t thread = platform::CurrentThreadId();
  if (thread != lines->thread || platform::TicksToNs(ticks - lines->copied_ticks) > kMostNs) lines->count = 0;
  lines->thread = thread;
  lines->copied_ticks = ticks;
  lines->are_current = true;
  DropOldLines(lines, special);
  CopyAllLines(lines);
  uint32_t copies = 1;
  while (copies < kMostCopies && !AreReadWordsSteady(lines)) ++copies;
  lines->is_one_by_one = copies == kMostCopies;
  lines->next = 0;
  for (uint32_t i = 0; i < lines->count; ++i) SetPlace(lines, lines->sources[i].begin, i);
}

SOFTLBR_COLD bool ReadAlone(uint64_t address, uint32_t width, uint64_t* bits) {
  return platform::CopyFrom(address, bits, width) == Status::kOk;
}

// False: the line cannot be read.
bool CopyLine(GuardLines* lines, uint64_t line, uint32_t* index) {
  if (lines->count < kGuardLines) {
    *index = lines->count++;
  } else {
    *index = lines->next;
    lines->next = lines->next + 1 == kGuardLines ? 0 : lines->next + 1;
  }
  platform::MemoryChunk* source = &lines->sources[*index];
  *source = {line, kGuardLineBytes};
  lines->read[*index] = 0;
  if (platform::CopyReadable(lines->thread, source, 1, BytesOf(lines, *index), kGuardLineBytes) != kGuardLineBytes) {
    source->begin = kNoLine;
    return false;
  }
  SetPlace(lines, line, *index);
  return true;
}

}  // namespace

SOFTLBR_COLD bool WereReadWordsThereAtOnce(GuardLines* lines) {
  return lines == nullptr || !lines->has_new_words || lines->is_one_by_one || AreReadWordsSteady(lines);
}

SOFTLBR_COLD void InitGuardLines(GuardLines* lines) {
  lines->are_current = false;
  lines->has_new_words = false;
  lines->thread = 0;
  lines->count = 0;
  lines->copied_ticks = 0;
  for (uint8_t& place : lines->places) {
    place = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
}

bool ReadGuarded(GuardLines* lines, const SpecialRanges* special, uint64_t address, uint32_t width, uint64_t* bits,
                 bool is_of_file) {
  if (SOFTLBR_UNLIKELY(lines == nullptr)) return ReadAlone(address, width, bits);
  if (!lines->are_current) CopyAgain(lines, special);
  const uint64_t offset = address % kGuardLineBytes;
  if (offset + width > kGuardLineBytes) return ReadAlone(address, width, bits);
  const uint64_t line = address - offset;
  uint32_t index = Find(lines, line);
  if (index == kGuardLines && !CopyLine(lines, line, &index)) return false;
  lines->ages[index] = 0;
  if (is_of_file) {
    const uint32_t words = 1u << offset / 8 | 1u << (offset + width - 1) / 8;
    lines->has_new_words |= (words & ~lines->read[index]) != 0;
    lines->read[index] |= words;
    if (lines->is_one_by_one) return ReadAlone(address, width, bits);
  }
  *bits = LoadUnaligned<uint64_t>(BytesOf(lines, index) + offset);
  return true;
}

}  // namespace softlbr
