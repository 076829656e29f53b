// Gives temporary files their finished names: a session's own file at its commit, those of killed processes at an open.
//
// Who: spool.cc, in the process that opened the spool, while it holds the folder's lock and the file's.
// Order: sync the content; replace it by the compact content, synced; make room; rename; sync the folder. A kill in
// between leaves the temporary file complete, with either content, and the next salvage starts again with the same
// result.
#ifndef SOFTLBR_RUNTIME_SPOOL_SETTLE_H_
#define SOFTLBR_RUNTIME_SPOOL_SETTLE_H_

#include <cstdint>

namespace softlbr::spool {

// softlbr_spool_options.compact.
using CompactFile = int (*)(int source, int target);

// The folder and what settling needs.
struct SettlePlace {
  int folder;
  uint32_t max_files;
  uint64_t max_bytes;
  uint8_t* window;      // kWindowBytes
  CompactFile compact;  // or nullptr
  uint64_t fewest_samples;
  uint64_t dropped;  // finished files removed; adds up
  uint64_t frames;   // whole ones, in the file that was settled last
  uint64_t missing;  // frames that its session numbered and that are not among them, with the end frame
};

enum class Settled : uint8_t {
  kEmpty,      // no whole frame: removed
  kComplete,   // ends with its end frame: <id>.slbr
  kTruncated,  // <id>.truncated.slbr
  kTooLarge,   // for the quota: removed
  kTooFew,     // fewer samples than fewest_samples: removed
  kFailed,     // a system call failed: the temporary file stays
};

// file: open for reading and writing, with that name. A file with damage between whole frames is copied without the
// damage (kCopyName); any other is cut after its last whole frame.
Settled Settle(SettlePlace* place, const char* name, int file);

// Settles each temporary file whose owner is dead. Adds the files to the counts.
struct SettledCounts {
  uint64_t salvaged;
  uint64_t refused;
  uint64_t too_few;
};
void SettleAll(SettlePlace* place, SettledCounts* counts);

}  // namespace softlbr::spool

#endif  // SOFTLBR_RUNTIME_SPOOL_SETTLE_H_
