// Aggregates traces into counts of taken branches, of fall-through ranges between them, and of sampled pcs.
//
// Who: the control thread adds buffers (AddBuffer); the profile writer takes the rows out (TakeRows) and clears.
// Context: control; one thread at a time. Memory: one block given at Init; no heap; never grows.
// Full: a count that finds no slot within kMaxTableProbes is dropped and counted, and so is a whole trace that does not
//       fit the log. The session flushes long before that, at IsAboveThreshold.
// Cost: two table look-ups a branch; a look-up is two cache misses at most, one in the index and one in the rows.
//
// A table is an array of rows, filled from the front, and an index that finds them by hash. The index begins with 1 KiB
// and grows with the rows: a first touch of a page takes 15 us in some virtual machines, and a short session's branches
// would touch every page of the largest index.
//
// Invariants:
//   I1  A key is in one row, with no free slot of the index between its row's slot and its home slot. In two, if no
//       slot near its home was free when the index grew; the profile writer joins rows of one key.
//   I2  After TakeRows the rows may be in any order: Clear before the next AddBuffer.
//   I3  Memory is written before it is read, and only as the tables fill. Read first, a page would be the kernel's page
//       of zeros; the write would then replace it, which interrupts every processor that runs the app.
#ifndef SOFTLBR_RUNTIME_PROFILE_AGGREGATOR_H_
#define SOFTLBR_RUNTIME_PROFILE_AGGREGATOR_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "platform/base/status.h"
#include "runtime/format/slbr_format.h"
#include "runtime/threads/trace_buffer.h"

namespace softlbr {

// Slot counts are powers of two, kMinTableSlots .. kMaxTableSlots. trace_entries: 0 for no whole traces, else at least
// kTraceBufferEntries.
struct AggregatorSizes {
  uint32_t branch_slots = kBranchTableSlots;
  uint32_t range_slots = kRangeTableSlots;
  uint32_t sample_slots = kSampleTableSlots;
  uint32_t trace_entries = 0;
};

// Counts that could not be kept. Sums since Init; Clear leaves them.
struct AggregatorLosses {
  uint64_t table_full;         // counts and whole traces
  uint64_t implausible_range;  // ranges that end before they begin, or of kMaxRangeBytes and more
};

class Aggregator {
 public:
  static constexpr uint64_t WorkspaceBytes(const AggregatorSizes& sizes) {
    return TableBytes(sizes.branch_slots) + TableBytes(sizes.range_slots) + TableBytes(sizes.sample_slots) +
           sizeof(TraceBuffer::Entry) * sizes.trace_entries;
  }

  // workspace: WorkspaceBytes(sizes), aligned to 8, of any content. kInvalidArgument for sizes out of range.
  Status Init(void* workspace, uint64_t workspace_bytes, const AggregatorSizes& sizes);

  // Adds every trace of `buffer`; stops at the first that breaks the buffer's invariants.
  void AddBuffer(const TraceBuffer& buffer);

  // True if the tables must be written out before the next buffer.
  bool IsAboveThreshold() const;
  bool IsEmpty() const;
  // True if the tables do not hold what was added since the last Clear: the program has overwritten them. Cost: a look
  // at each row.
  bool IsDamaged() const;
  const AggregatorLosses& losses() const { return losses_; }

  // Unordered rows with run-time addresses; the caller may change and sort them in place. Valid until Clear.
  struct Table {
    CountRow* rows;
    uint32_t count;
    uint32_t slots;
  };
  struct Rows {
    Table tables[kCountSections];  // branches, ranges, samples
    TraceBuffer::Entry* traces;    // a header, its branches, the next header …
    uint32_t trace_entry_count;
  };
  Rows TakeRows() { return rows_; }
  void Clear();  // after TakeRows, or IsDamaged

 private:
  // Rows of a table: those below the threshold, and those of one more buffer.
  static constexpr uint32_t RowsOf(uint32_t slots) {
    return slots / 4 < kTraceBufferEntries ? slots : slots - slots / 4 + kTraceBufferEntries;
  }
  static constexpr uint64_t TableBytes(uint32_t slots) {
    return uint64_t{RowsOf(slots)} * sizeof(CountRow) + uint64_t{slots} * sizeof(uint32_t);
  }

  // For each row in use, its number and one; 0 in free slots.
  struct Index {
    uint32_t* rows;
    uint32_t slots;      // in use: a power of two, 0 after Clear
    uint32_t most_rows;  // with more it grows; more than there can be once it has the table's number of slots
  };

  void AddTrace(const TraceBuffer::Entry* entries);
  void Count(uint32_t table, uint64_t first, uint64_t second);
  void GrowIndex(uint32_t table);

  Index indexes_[kCountSections];
  uint32_t trace_entries_;
  uint64_t counted_;  // the sum of all rows' counts
  AggregatorLosses losses_;
  Rows rows_;
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_AGGREGATOR_H_
