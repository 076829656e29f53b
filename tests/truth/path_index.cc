#include "tests/truth/path_index.h"

#include <algorithm>

namespace softlbr::truth {
namespace {

constexpr uint64_t kBase = 0x9e3779b97f4a7c15ull;

uint64_t Digit(BranchNumber number) {
  uint64_t digit = number + 1;
  digit *= 0xbf58476d1ce4e5b9ull;
  return digit ^ (digit >> 29);
}

uint64_t HashOf(std::span<const BranchNumber> sequence) {
  uint64_t hash = 0;
  for (const BranchNumber number : sequence) hash = hash * kBase + Digit(number);
  return hash;
}

}  // namespace

bool PathIndex::IsAt(const Position& position, std::span<const BranchNumber> sequence) const {
  const auto& chunk = pieces_[position.chunk];
  return position.offset + sequence.size() <= chunk.size() &&
         std::equal(sequence.begin(), sequence.end(), chunk.begin() + position.offset);
}

const PathIndex::Windows& PathIndex::WindowsOf(size_t length) {
  const auto known = by_length_.find(length);
  if (known != by_length_.end()) return known->second;
  Windows& windows = by_length_[length];
  uint64_t highest_power = 1;
  for (size_t i = 1; i < length; ++i) highest_power *= kBase;
  for (uint32_t p = 0; p < pieces_.size(); ++p) {
    const std::span<const BranchNumber> chunk(pieces_[p]);
    if (chunk.size() < length) continue;
    uint64_t hash = HashOf(chunk.first(length));
    for (uint32_t offset = 0;; ++offset) {
      const auto [first, last] = windows.equal_range(hash);
      const bool is_known = std::any_of(
          first, last, [&](const auto& entry) { return IsAt(entry.second, chunk.subspan(offset, length)); });
      if (!is_known) windows.emplace(hash, Position{p, offset});
      if (offset + length >= chunk.size()) break;
      hash = (hash - Digit(chunk[offset]) * highest_power) * kBase + Digit(chunk[offset + length]);
    }
  }
  return windows;
}

std::optional<PathIndex::Position> PathIndex::Find(std::span<const BranchNumber> sequence) {
  if (sequence.empty()) return std::nullopt;
  if (!sought_.empty()) {
    const auto known = sought_.find(std::vector<BranchNumber>(sequence.begin(), sequence.end()));
    if (known != sought_.end()) return known->second;
  }
  const auto [first, last] = WindowsOf(sequence.size()).equal_range(HashOf(sequence));
  for (auto entry = first; entry != last; ++entry) {
    if (IsAt(entry->second, sequence)) return entry->second;
  }
  return std::nullopt;
}

void PathIndex::Seek(const std::vector<std::vector<BranchNumber>>& sequences) {
  using Answer = std::pair<const std::vector<BranchNumber>, std::optional<Position>>;
  std::map<size_t, std::unordered_multimap<uint64_t, Answer*>> open;  // by length and hash
  for (const auto& sequence : sequences) {
    if (sequence.empty()) continue;
    const auto [answer, is_new] = sought_.emplace(sequence, std::nullopt);
    if (is_new) open[sequence.size()].emplace(HashOf(sequence), &*answer);
  }
  for (auto& [length, wanted] : open) {
    uint64_t highest_power = 1;
    for (size_t i = 1; i < length; ++i) highest_power *= kBase;
    for (uint32_t p = 0; p < pieces_.size() && !wanted.empty(); ++p) {
      const std::span<const BranchNumber> chunk(pieces_[p]);
      if (chunk.size() < length) continue;
      uint64_t hash = HashOf(chunk.first(length));
      for (uint32_t offset = 0;; ++offset) {
        for (auto [entry, last] = wanted.equal_range(hash); entry != last;) {
          if (IsAt({p, offset}, entry->second->first)) {
            entry->second->second = Position{p, offset};
            entry = wanted.erase(entry);
          } else {
            ++entry;
          }
        }
        if (offset + length >= chunk.size()) break;
        hash = (hash - Digit(chunk[offset]) * highest_power) * kBase + Digit(chunk[offset + length]);
      }
    }
  }
}

size_t PathIndex::LongestPrefix(std::span<const BranchNumber> sequence) {
  // Every prefix of an occurring sequence occurs, so binary search works.
  size_t occurs = 0, too_long = sequence.size() + 1;
  while (occurs + 1 < too_long) {
    const size_t middle = (occurs + too_long) / 2;
    if (Find(sequence.first(middle))) {
      occurs = middle;
    } else {
      too_long = middle;
    }
  }
  return occurs;
}

}  // namespace softlbr::truth
