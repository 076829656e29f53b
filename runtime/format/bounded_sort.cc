#include "runtime/format/bounded_sort.h"

namespace softlbr {

uint32_t SortAndMerge(CountRow* rows, uint32_t count) {
  BoundedSort<CountRow, IsLess>(rows, count);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (kept != 0 && !IsLess(rows[kept - 1], rows[i])) {
      rows[kept - 1].count += rows[i].count;
    } else {
      rows[kept++] = rows[i];
    }
  }
  return kept;
}

}  // namespace softlbr
