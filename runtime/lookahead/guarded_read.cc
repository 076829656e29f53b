// Contract: guarded_read.h.
#include "runtime/lookahead/guarded_read.h"

#include "platform/safe_read.h"
#include "runtime/base/bytes.h"

namespace softlbr {

void ForgetGuardLines(GuardLines* lines) {
  for (uint64_t& tag : lines->tags) {
    tag = kNoLine;
    asm volatile("" ::: "memory");  // or the compiler makes it a call of memset
  }
}

bool ReadGuarded(GuardLines* lines, uint64_t address, uint32_t width, uint64_t* bits) {
  const uint64_t offset = address % kGuardLineBytes;
  if (offset > kGuardLineBytes - sizeof *bits) return platform::CopyFrom(address, bits, width) == Status::kOk;
  const uint64_t line = address - offset;
  const uint64_t number = line / kGuardLineBytes;
  const uint64_t slot = (number ^ number >> 4) % kGuardLines;
  if (lines->tags[slot] != line) {
    lines->tags[slot] = kNoLine;
    if (platform::CopyFrom(line, lines->bytes[slot], kGuardLineBytes) != Status::kOk) return false;
    lines->tags[slot] = line;
  }
  *bits = LoadUnaligned<uint64_t>(lines->bytes[slot] + offset);
  return true;
}

}  // namespace softlbr
