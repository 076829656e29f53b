#include "toolchain/db/flow/code_numbers.h"

#include <utility>

namespace softlbr::toolchain {

CodeNumbers::Slot* CodeNumbers::Find(const Key& key) {
  const size_t mask = slots_.size() - 1;
  for (size_t i = Hash(key) & mask;; i = (i + 1) & mask) {
    if (slots_[i].number == 0 || slots_[i].key == key) return &slots_[i];
  }
}

uint32_t* CodeNumbers::Of(const Key& key) {
  Slot* slot = Find(key);
  if (slot->number != 0) return &slot->number;
  if (entries_ == kMostEntries) Clear();
  if (2 * (entries_ + 1) > slots_.size()) Grow();
  slot = Find(key);
  slot->key = key;
  ++entries_;
  return &slot->number;
}

void CodeNumbers::Clear() {
  slots_ = std::vector<Slot>(kFirstSlots);
  entries_ = 0;
}

void CodeNumbers::Grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : old) {
    if (slot.number != 0) *Find(slot.key) = slot;
  }
}

}  // namespace softlbr::toolchain
