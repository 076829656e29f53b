// Heapsort in place: no heap, no recursion, n log n whatever the input.
//
// Who: the profile writer, over rows of at most a table's slots. Context: control. libc's qsort may allocate, and
// std::sort's recursion is not bounded by a constant.
#ifndef SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
#define SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_

#include <cstdint>

namespace softlbr {

// is_less(a, b): a strict weak order.
template <typename Row, typename IsLess>
void BoundedSort(Row* rows, uint32_t count, IsLess is_less) {
  if (count < 2) return;
  const auto sift_down = [rows, is_less](uint32_t hole, uint32_t end) {
    const Row moved = rows[hole];
    while (2 * hole + 1 < end) {
      uint32_t child = 2 * hole + 1;
      if (child + 1 < end && is_less(rows[child], rows[child + 1])) ++child;
      if (!is_less(moved, rows[child])) break;
      rows[hole] = rows[child];
      hole = child;
    }
    rows[hole] = moved;
  };
  for (uint32_t root = count / 2; root-- > 0;) sift_down(root, count);
  for (uint32_t end = count - 1; end > 0; --end) {
    const Row largest = rows[0];
    rows[0] = rows[end];
    rows[end] = largest;
    sift_down(0, end);
  }
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
