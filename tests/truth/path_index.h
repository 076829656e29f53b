// Finds whether a sequence of branch numbers is a contiguous chunk of a true path.
//
// For each length asked for, every window of that length is hashed once. Equal hashes are compared number by number, so
// answers are exact. Memory: about 16 bytes per distinct window and length.
#ifndef SOFTLBR_TESTS_TRUTH_PATH_INDEX_H_
#define SOFTLBR_TESTS_TRUTH_PATH_INDEX_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tests/truth/true_path.h"

namespace softlbr::truth {

class PathIndex {
 public:
  struct Position {
    uint32_t chunk;
    uint32_t offset;
  };

  // `chunks` must outlive the index.
  explicit PathIndex(const std::vector<std::vector<BranchNumber>>& chunks) : pieces_(chunks) {}

  // The first position of sequence; none if it is nowhere contiguous. An empty sequence occurs nowhere.
  std::optional<Position> Find(std::span<const BranchNumber> sequence);
  // Searches for many sequences in one pass over the path for each of their lengths, without an index; later calls of
  // Find use the result. For paths of many millions of branches.
  void Seek(const std::vector<std::vector<BranchNumber>>& sequences);
  // Length of the longest prefix of sequence that occurs.
  size_t LongestPrefix(std::span<const BranchNumber> sequence);

 private:
  using Windows = std::unordered_multimap<uint64_t, Position>;
  const Windows& WindowsOf(size_t length);
  bool IsAt(const Position& position, std::span<const BranchNumber> sequence) const;

  const std::vector<std::vector<BranchNumber>>& pieces_;
  std::map<size_t, Windows> by_length_;
  std::map<std::vector<BranchNumber>, std::optional<Position>> sought_;
};

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_PATH_INDEX_H_
