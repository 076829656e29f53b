// The rows of a session (runtime/format/source_row.h), each once, sorted, in a table of fixed size, which keeps the
// lowest rows if not all fit.
//
// Who: source_frame.cc adds, session_compactor.cc takes them out after each pass over the file. Context: control.
// Memory: the caller's. Full: the pass keeps the rows below a bound, which sinks as lower rows arrive. The next pass
// keeps the rows from that bound on. So each
//   row is taken out once, with its whole count, however small the table is.
// Cost: rows are sorted in chunks; each chunk moves the rows above its lowest new one.
//
// Invariants:
//   I1  rows() are sorted by IsLess, no two equal, all in [low, high).
//   I2  high only sinks during a pass, so every row of the pass below the final high was below it all the time, and has
//       its whole count. I3 A pass keeps at least one row if any row added is not below low, so passes come to an end.
#ifndef SOFTLBR_RUNTIME_COMPACT_ROW_TABLE_H_
#define SOFTLBR_RUNTIME_COMPACT_ROW_TABLE_H_

#include <cstdint>

#include "runtime/format/source_row.h"

namespace softlbr::compact {

class RowTable {
 public:
  // rows: `capacity` of them, at least 1; chunk: `chunk_capacity`, at least 1.
  void Init(CountRow* rows, uint32_t capacity, CountRow* chunk, uint32_t chunk_capacity);

  void Add(const CountRow& row) {
    if (is_cut_ && !IsLess(row, high_)) return;
    if (has_low_ && IsLess(row, low_)) return;
    chunk_[chunk_count_++] = row;
    if (chunk_count_ == chunk_capacity_) Merge();
  }
  // After the last row of a pass.
  void EndPass() { Merge(); }
  // True if rows were left out, for the next pass.
  bool IsCut() const { return is_cut_; }
  // Empties the table, for the rows that the last pass left out.
  void BeginNextPass();

  CountRow* rows() { return rows_; }
  uint32_t count() const { return count_; }
  // The chunk's memory, free between EndPass and the next Add.
  CountRow* chunk() { return chunk_; }
  uint32_t chunk_capacity() const { return chunk_capacity_; }

 private:
  void Merge();
  // Adds the counts of rows that the table has. Returns how many new ones remain, at the chunk's front.
  uint32_t AddKnown();
  // Leaves out the highest rows of table and chunk until the rest fit, and then all rows of the source that was cut, if
  // that leaves any.
  uint32_t Cut(uint32_t fresh);
  uint32_t DropFrom(const CountRow& bound, uint32_t fresh);

  CountRow* rows_;
  CountRow* chunk_;
  uint32_t capacity_;
  uint32_t count_;
  uint32_t chunk_capacity_;
  uint32_t chunk_count_;
  bool has_low_;
  bool is_cut_;
  CountRow low_;   // the lowest row of this pass
  CountRow high_;  // if is_cut_: rows from here on are left out
};

}  // namespace softlbr::compact

#endif  // SOFTLBR_RUNTIME_COMPACT_ROW_TABLE_H_
