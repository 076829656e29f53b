// In-place heapsort: no allocation, no recursion, n log n steps for any input.
//
// Who: the profile writer, for the rows of one table. Context: control.
// Why not the libraries': qsort may allocate, and std::sort's recursion is not bounded by a constant.
#ifndef SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
#define SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_

#include <cstdint>

#include "runtime/format/slbr_format.h"

namespace softlbr {

// Sorts rows in ascending order (IsLess) and merges rows of equal addresses, adding their counts. Returns how many rows remain, at
// the front.
uint32_t SortAndMerge(CountRow* rows, uint32_t count);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_BOUNDED_SORT_H_
