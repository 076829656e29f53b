#include "runtime/profile/bounded_sort.h"

#include "platform/base/attributes.h"

namespace softlbr {
namespace {

SOFTLBR_NOINLINE void SiftDown(CountRow* rows, uint32_t hole, uint32_t end) {
  const CountRow moved = rows[hole];
  while (2 * hole + 1 < end) {
    uint32_t child = 2 * hole + 1;
    if (child + 1 < end && IsLess(rows[child], rows[child + 1])) ++child;
    if (!IsLess(moved, rows[child])) break;
    rows[hole] = rows[child];
    hole = child;
  }
  rows[hole] = moved;
}

}  // namespace

uint32_t SortAndMerge(CountRow* rows, uint32_t count) {
  for (uint32_t root = count / 2; root-- > 0;) SiftDown(rows, root, count);
  for (uint32_t end = count; end-- > 1;) {
    const CountRow largest = rows[0];
    rows[0] = rows[end];
    rows[end] = largest;
    SiftDown(rows, 0, end);
  }
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
