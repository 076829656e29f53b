// Reading the program's memory where another thread may take it away at any moment.
//
// Why: the pages that a trace reads were asked for a few microseconds before. A thread that unmaps one meanwhile does the program
//   no harm if the true path does not come by, as with data that readers protect by hazard pointers or epochs: the shadow program
//   publishes nothing, so nobody waits for it. A plain read would then kill the process.
// How: the kernel copies kGuardLineBytes at a time, which fails instead of faulting; a few lines are kept until the true state is
//   adopted again. It doubles the cost of a trace, so it is for processes of several threads that do unmap
//   (runtime/modules/mapping_watch.h); the marks of page_cache.h lead every load here then.
// Context: handler. Memory: in the Evaluator. Cost: 0.6 us a line, 2 ns once it is there.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"

namespace softlbr {

inline constexpr uint64_t kNoLine = 1;

struct GuardLines {
  uint64_t tags[kGuardLines];                        // address of the line, or kNoLine; a line may lie in either of two neighbours
  uint8_t recent[kGuardLines / 2];                   // 0 or 1: which of two neighbours was asked for last, and stays
  uint8_t bytes[kGuardLines * kGuardLineBytes + 8];  // eight are loaded whatever the width
};

SOFTLBR_HANDLER_SAFE void ForgetGuardLines(GuardLines* lines);
// width 1..8 bytes at address; bits beyond are unspecified. False: they cannot be read.
SOFTLBR_HANDLER_SAFE bool ReadGuarded(GuardLines* lines, uint64_t address, uint32_t width, uint64_t* bits);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_
