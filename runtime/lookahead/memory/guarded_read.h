// Reads of the program's memory that fail instead of faulting, for when another thread may unmap it at any moment.
//
// Why: page_cache.h probes a page some microseconds before it is read. Another thread may rightly unmap the page in between if the
//   true path does not read it, for example data that readers protect by hazard pointers or epochs: the shadow program publishes
//   neither, so nobody waits for it. A plain read would then kill the process.
// How: the kernel copies kGuardLineBytes at a time. The lines are cached until the true state is adopted again, in sets of two with
//   the least recently used one replaced.
// When: always for files that another process may shorten (page_cache.h). For all memory only in processes of several threads that
//   unmap memory (modules/mapping_watch.h), as guarded reads double the cost of a trace. There, all pages have a mark (page_cache.h), so that no load takes the fast path.
// Context: handler. Memory: in the Evaluator. Cost: 0.6 us to copy a line, 2 ns for a cached one.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"

namespace softlbr {

inline constexpr uint64_t kNoLine = 1;

struct GuardLines {
  bool are_valid;                   // false: nothing was read since the true state was adopted, and the rest is of any content
  uint64_t tags[kGuardLines];       // address of the line, or kNoLine; entries 2 * i and 2 * i + 1 form a set
  uint8_t recent[kGuardLines / 2];  // for each set: the entry (0 or 1) that was used last; the other is replaced
  uint8_t bytes[kGuardLines * kGuardLineBytes + 8];  // eight bytes are loaded for any width
};

SOFTLBR_HANDLER_SAFE inline void ForgetGuardLines(GuardLines* lines) { lines->are_valid = false; }
// Reads 1..8 bytes at address; bits beyond `width` bytes are unspecified. False: they cannot be read.
SOFTLBR_HANDLER_SAFE bool ReadGuarded(GuardLines* lines, uint64_t address, uint32_t width, uint64_t* bits);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_
