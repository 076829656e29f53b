// Heapsort in place: no heap, no recursion, n log n whatever the input.
//
// Who: the profile writer, over rows of at most a table's slots. Context: control. libc's qsort may allocate, and
// std::sort's recursion is not bounded by a constant.
// Rows are runs of words of one length that is told at run time: one copy of the code for every kind of row (budgeted text).
#ifndef SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
#define SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_

#include <cstdint>

namespace softlbr {

// Rows of `words` words (2 or 3), ascending by all words but the last, the first of most weight. Rows of equal key become
// one whose last word is their sum. Returns how many rows are left, at the front.
uint32_t SortAndMerge(uint64_t* rows, uint32_t words, uint32_t count);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
