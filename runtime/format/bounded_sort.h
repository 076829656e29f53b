// In-place heapsort: no allocation, no recursion, n log n steps for any input.
//
// Who: the profile writer, for the rows of one table; compaction. Context: control.
// Why not the libraries': qsort may allocate, and std::sort's recursion is not bounded by a constant.
#ifndef SOFTLBR_RUNTIME_FORMAT_BOUNDED_SORT_H_
#define SOFTLBR_RUNTIME_FORMAT_BOUNDED_SORT_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "runtime/format/slbr_format.h"

namespace softlbr {

template <typename T, bool (*kIsLess)(const T&, const T&)>
SOFTLBR_NOINLINE void SiftDown(T* values, uint32_t hole, uint32_t end) {
  const T moved = values[hole];
  while (2 * hole + 1 < end) {
    uint32_t child = 2 * hole + 1;
    if (child + 1 < end && kIsLess(values[child], values[child + 1])) ++child;
    if (!kIsLess(moved, values[child])) break;
    values[hole] = values[child];
    hole = child;
  }
  values[hole] = moved;
}

// Sorts in ascending order.
template <typename T, bool (*kIsLess)(const T&, const T&)>
void BoundedSort(T* values, uint32_t count) {
  for (uint32_t root = count / 2; root-- > 0;) SiftDown<T, kIsLess>(values, root, count);
  for (uint32_t end = count; end-- > 1;) {
    const T largest = values[0];
    values[0] = values[end];
    values[end] = largest;
    SiftDown<T, kIsLess>(values, 0, end);
  }
}

// Sorts rows in ascending order (IsLess) and merges rows of equal addresses, adding their counts. Returns how many rows
// remain, at the front.
uint32_t SortAndMerge(CountRow* rows, uint32_t count);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_BOUNDED_SORT_H_
