// Heapsort in place: no heap, no recursion, n log n whatever the input.
//
// Who: the profile writer, over rows of at most a table's slots. Context: control. libc's qsort may allocate, and
// std::sort's recursion is not bounded by a constant.
#ifndef SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
#define SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_

#include <cstdint>

#include "runtime/format/slbr_format.h"

namespace softlbr {

// Ascending by IsLess. Rows of equal addresses become one with the sum of their counts. Returns how many rows are left, at
// the front.
uint32_t SortAndMerge(CountRow* rows, uint32_t count);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
