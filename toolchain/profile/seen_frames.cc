#include "toolchain/profile/seen_frames.h"

#include <algorithm>
#include <utility>

namespace softlbr::toolchain {
namespace {

constexpr size_t kFirstPlaces = 64;

// The finalizer of splitmix64: each bit of the input changes half of the result's.
uint64_t Mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Equal headers have equal numbers. In a file of kMostFrames, two different headers have the same one with a
// probability below 10^-7.
uint64_t KeyOf(const FrameHeader& header) {
  uint64_t key = Mixed(header.session_id);
  key = Mixed(key ^ (uint64_t{header.sequence} << 32 | header.payload_crc));
  key = Mixed(key ^ (uint64_t{header.compressed_bytes} << 32 | header.uncompressed_bytes));
  key = Mixed(key ^ (uint64_t{header.version} << 8 | static_cast<uint8_t>(header.kind)));
  return std::max<uint64_t>(key, 1);
}

}  // namespace

bool SeenFrames::Insert(uint64_t key) {
  const size_t mask = table_.size() - 1;
  for (size_t at = key & mask;; at = (at + 1) & mask) {
    if (table_[at] == key) return false;
    if (table_[at] != 0) continue;
    if (used_ == kMostFrames) return true;
    table_[at] = key;
    ++used_;
    return true;
  }
}

bool SeenFrames::Add(const FrameHeader& header) {
  if (2 * (used_ + 1) > table_.size() && used_ < kMostFrames) {
    const std::vector<uint64_t> old =
        std::exchange(table_, std::vector<uint64_t>(std::max(kFirstPlaces, 2 * table_.size())));
    used_ = 0;
    for (const uint64_t key : old) {
      if (key != 0) Insert(key);
    }
  }
  return Insert(KeyOf(header));
}

}  // namespace softlbr::toolchain
