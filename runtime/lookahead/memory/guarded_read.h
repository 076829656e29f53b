// Reads of the program's memory that fail instead of faulting, for when another thread may unmap it at any moment.
//
// Why: page_cache.h probes a page some microseconds before it is read. If the true path does not read the page, another
//   thread may rightly unmap it in between: for example, data that readers protect by hazard pointers or epochs. The
//   shadow program publishes neither, and therefore the other thread does not wait for it. A plain read would then kill
//   the process.
// How: the kernel copies lines of kGuardLineBytes, which are cached until the true state is adopted again. The first
//   read after that takes new copies, by one call, of all lines that were used since the last true state or the one
//   before it: programs use much of their memory again, and copied together a line costs a thirtieth of what it costs
//   alone. Lines are copied again only for the thread that they were read for, since another thread may serve a
//   userfaultfd and would wait for itself; and only within a second, since pages that the program has not used for
//   longer may have to be read from a disk.
// Order: words of two lines may come from different moments, and a sequence lock in a file that another process writes
//   breaks then. So the copies that a path begins with are taken twice, until the words of files that paths have read
//   are equal in both. If they never are, such words are read one by one, in the program's order. If a path reads
//   further words of files, all are compared with memory after the path has ended (WereReadWordsThereAtOnce).
// When: always for files that another process may shorten (page_cache.h). For all memory only in processes of several
//   threads that unmap memory (modules/mapping_watch.h), because evaluating then takes 1.5 to 3.4 times as long. In
//   such a process all pages have a mark (page_cache.h), so that no load takes the fast path.
// Context: handler. Memory: kGuardStates in the session's region, for the scratch states that threads get if they are
//   free (scratch_state.h); one that is never used is never touched. Cost: copying a line 0.6 to 1.2 us, one of several
//   together 0.04 us; reading a cached line 2 ns.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/safe_read.h"
#include "runtime/lookahead/memory/page_cache.h"

namespace softlbr {

struct GuardLines {
  // words of files were read that were not compared at the first copy
  bool has_new_words;
  bool is_one_by_one;                          // words of files are read one by one: they keep changing
  bool are_current;                            // false: not yet copied again since the true state was adopted
  int32_t thread;                              // the id of the thread that they were read for
  uint32_t count;                              // lines in use; they are dense, so that one call copies them
  uint32_t next;                               // the line that is replaced next, if all are in use
  uint64_t copied_ticks;                       // when the lines were copied again
  platform::MemoryChunk sources[kGuardLines];  // addresses of the lines; kNoLine where a copy has failed
  uint8_t ages[kGuardLines];                   // true states since the line was used
  // a bit for each word of a file that was read since the line was cached
  uint32_t read[kGuardLines];
  uint8_t places[1024];                              // hash table of two places for each address: where the line may be
  uint8_t bytes[kGuardLines * kGuardLineBytes + 8];  // eight bytes are loaded for any width
};
static_assert(kGuardLines <= 256, "GuardLines::places has a byte for each");
static_assert(kGuardLineBytes / 8 <= 32, "GuardLines::read has a bit for each word");

// Call once, on memory of any content.
SOFTLBR_HANDLER_SAFE void InitGuardLines(GuardLines* lines);
// At each true state. `lines` may be null.
SOFTLBR_HANDLER_SAFE inline void ForgetGuardLines(GuardLines* lines) {
  if (lines == nullptr) return;
  lines->are_current = false;
  lines->has_new_words = false;
}
// False: the words of files that were read since the true state may never have been in memory at the same time. Does
// not see words of lines that were replaced because a path read more than kGuardLines. `lines` may be null. Cost:
// nothing if the path has read no new words of files, else a call that copies all lines once more.
SOFTLBR_HANDLER_SAFE bool WereReadWordsThereAtOnce(GuardLines* lines);
// Reads 1..8 bytes at address; bits beyond `width` bytes are unspecified. False: they cannot be read. `special`: lines
// there are not copied again. `lines` may be null: then nothing is cached, and each read sees the current memory.
SOFTLBR_HANDLER_SAFE bool ReadGuarded(GuardLines* lines, const SpecialRanges* special, uint64_t address, uint32_t width,
                                      uint64_t* bits, bool is_of_file = false);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_GUARDED_READ_H_
