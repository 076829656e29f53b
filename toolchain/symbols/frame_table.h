// The functions of an image by its unwind table: where they begin and end, for code that no symbol names.
//
// Read in place: .eh_frame_hdr is sorted, so a look-up is a binary search, and nothing is kept. Input is hostile: each
// read is checked. Without .eh_frame_hdr in its usual form (addresses relative to it, of 4 bytes), which all linkers
// write, the table is empty.
#ifndef SOFTLBR_TOOLCHAIN_SYMBOLS_FRAME_TABLE_H_
#define SOFTLBR_TOOLCHAIN_SYMBOLS_FRAME_TABLE_H_

#include <cstdint>
#include <optional>

#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

class FrameTable {
 public:
  struct Function {
    uint64_t start = 0;
    uint64_t end = 0;  // exclusive
  };

  FrameTable() = default;
  explicit FrameTable(const ElfImage& image);

  // The function that contains `address`.
  std::optional<Function> Find(uint64_t address) const;
  // Where the first function behind `address` begins.
  std::optional<uint64_t> NextStart(uint64_t address) const;
  size_t size() const { return count_; }

 private:
  uint64_t StartOf(size_t number) const;
  size_t CountUpTo(uint64_t address) const;  // of functions that begin there or before
  uint64_t EndOf(size_t number) const;

  std::span<const uint8_t> index_;  // .eh_frame_hdr from its table on: start and descriptor, relative to index_base_
  uint64_t index_base_ = 0;
  size_t count_ = 0;
  std::span<const uint8_t> frames_;  // .eh_frame
  uint64_t frames_base_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_SYMBOLS_FRAME_TABLE_H_
