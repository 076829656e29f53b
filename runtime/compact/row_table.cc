#include "runtime/compact/row_table.h"

#include "runtime/format/bounded_sort.h"

#include "platform/base/handler_prelude.h"

namespace softlbr::compact {

void RowTable::Init(CountRow* rows, uint32_t capacity, CountRow* chunk, uint32_t chunk_capacity) {
  rows_ = rows;
  chunk_ = chunk;
  capacity_ = capacity;
  chunk_capacity_ = chunk_capacity;
  count_ = 0;
  chunk_count_ = 0;
  has_low_ = false;
  is_cut_ = false;
}

void RowTable::BeginNextPass() {
  low_ = high_;
  has_low_ = true;
  is_cut_ = false;
  count_ = 0;
}

uint32_t RowTable::AddKnown() {
  const uint32_t count = SortAndMerge(chunk_, chunk_count_);
  uint32_t fresh = 0;
  uint32_t from = 0;  // rows of the table below this one are below all that follow in the chunk
  for (uint32_t i = 0; i < count; ++i) {
    const CountRow row = chunk_[i];
    uint32_t end = count_;
    while (from < end) {
      const uint32_t middle = from + (end - from) / 2;
      if (IsLess(rows_[middle], row)) {
        from = middle + 1;
      } else {
        end = middle;
      }
    }
    if (from < count_ && !IsLess(row, rows_[from])) {
      const uint64_t sum = rows_[from].count + row.count;
      rows_[from].count = sum < row.count ? ~0ull : sum;
    } else {
      chunk_[fresh++] = row;
    }
  }
  return fresh;
}

uint32_t RowTable::DropFrom(const CountRow& bound, uint32_t fresh) {
  while (count_ != 0 && !IsLess(rows_[count_ - 1], bound)) --count_;
  while (fresh != 0 && !IsLess(chunk_[fresh - 1], bound)) --fresh;
  return fresh;
}

uint32_t RowTable::Cut(uint32_t fresh) {
  while (count_ + fresh > capacity_) {
    const bool is_chunks = fresh != 0 && (count_ == 0 || IsLess(rows_[count_ - 1], chunk_[fresh - 1]));
    high_ = is_chunks ? chunk_[--fresh] : rows_[--count_];
    is_cut_ = true;
  }
  const CountRow source = {high_.first >> kKindBits << kKindBits, 0, 0};
  const bool has_lower = (count_ != 0 && IsLess(rows_[0], source)) || (fresh != 0 && IsLess(chunk_[0], source));
  if (!has_lower) return fresh;
  high_ = source;
  return DropFrom(source, fresh);
}

void RowTable::Merge() {
  uint32_t fresh = AddKnown();
  chunk_count_ = 0;
  if (count_ + fresh > capacity_) fresh = Cut(fresh);
  // From the back, so that each row moves once, and none below the lowest new one.
  uint32_t to = count_ + fresh;
  uint32_t old = count_;
  count_ = to;
  while (fresh != 0) {
    const bool is_old = old != 0 && IsLess(chunk_[fresh - 1], rows_[old - 1]);
    rows_[--to] = is_old ? rows_[--old] : chunk_[--fresh];
  }
}

}  // namespace softlbr::compact
