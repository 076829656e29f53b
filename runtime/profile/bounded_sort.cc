#include "runtime/profile/bounded_sort.h"

#include "runtime/base/attributes.h"

namespace softlbr {
namespace {

constexpr uint32_t kMostWords = 3;

struct Rows {
  uint64_t* at;
  uint32_t words;
};

uint64_t* RowAt(Rows rows, uint32_t index) { return rows.at + uint64_t{index} * rows.words; }

SOFTLBR_NOINLINE bool IsLess(Rows rows, const uint64_t* a, const uint64_t* b) {
  for (uint32_t word = 0; word + 1 < rows.words; ++word) {
    if (a[word] != b[word]) return a[word] < b[word];
  }
  return false;
}

SOFTLBR_NOINLINE void Move(Rows rows, uint64_t* to, const uint64_t* from) {
  for (uint32_t word = 0; word < rows.words; ++word) to[word] = from[word];
}

SOFTLBR_NOINLINE void SiftDown(Rows rows, uint32_t hole, uint32_t end) {
  uint64_t moved[kMostWords];
  Move(rows, moved, RowAt(rows, hole));
  while (2 * hole + 1 < end) {
    uint32_t child = 2 * hole + 1;
    if (child + 1 < end && IsLess(rows, RowAt(rows, child), RowAt(rows, child + 1))) ++child;
    if (!IsLess(rows, moved, RowAt(rows, child))) break;
    Move(rows, RowAt(rows, hole), RowAt(rows, child));
    hole = child;
  }
  Move(rows, RowAt(rows, hole), moved);
}

}  // namespace

uint32_t SortAndMerge(uint64_t* words_of_rows, uint32_t words, uint32_t count) {
  const Rows rows = {words_of_rows, words};
  for (uint32_t root = count / 2; root-- > 0;) SiftDown(rows, root, count);
  for (uint32_t end = count; end-- > 1;) {
    uint64_t largest[kMostWords];
    Move(rows, largest, RowAt(rows, 0));
    Move(rows, RowAt(rows, 0), RowAt(rows, end));
    Move(rows, RowAt(rows, end), largest);
    SiftDown(rows, 0, end);
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t* row = RowAt(rows, i);
    if (kept != 0 && !IsLess(rows, RowAt(rows, kept - 1), row)) {
      RowAt(rows, kept - 1)[words - 1] += row[words - 1];
    } else {
      Move(rows, RowAt(rows, kept++), row);
    }
  }
  return kept;
}

}  // namespace softlbr
