// Numbers for the bytes of instructions: a hash table without a heap block for each entry, because an ingest looks up
// every instruction of every binary.
//
// Open addressing with linear probing; at most half of the slots are used. The slots double as entries are added, up to
// kMostEntries; then the table is emptied and starts again. Memory: 24 bytes a slot, 48 MiB at most, and half as much
// again while it grows.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_CODE_NUMBERS_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_CODE_NUMBERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softlbr::toolchain {

class CodeNumbers {
 public:
  // An instruction's bytes, its length and how it ends.
  using Key = std::array<uint64_t, 2>;

  // The entry's number. 0: it is new, and the caller sets another number before the next call. Valid until then.
  uint32_t* Of(const Key& key);
  // Brings the entry's slot into the cache, for an Of() that follows soon.
  void Prefetch(const Key& key) const { __builtin_prefetch(&slots_[Hash(key) & (slots_.size() - 1)]); }
  void Clear();

 private:
  struct Slot {
    Key key{};
    uint32_t number = 0;  // 0: the slot is free
  };
  static constexpr size_t kFirstSlots = size_t{1} << 10;
  static constexpr size_t kMostEntries = size_t{1} << 20;

  static uint64_t Hash(const Key& key) {
    const uint64_t mixed = (key[0] ^ key[1] * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return mixed ^ mixed >> 29;
  }
  // The key's slot, or the free one where it belongs.
  Slot* Find(const Key& key);
  void Grow();

  std::vector<Slot> slots_ = std::vector<Slot>(kFirstSlots);  // a power of two of them
  size_t entries_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_CODE_NUMBERS_H_
