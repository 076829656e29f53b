// The table in a result of llvm-bolt -enable-bat (.note.bolt_bat) that says where its code came from.
//
// For each function of the result, and each part that was split off, places in it and the places in the program before
// that they were made of. The format is that of LLVM 19 (bolt/docs/BAT.md). Input is hostile: every number is checked
// against the section's size. Host code.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_BOLT_TRANSLATION_H_
#define SOFTLBR_TOOLCHAIN_BINARY_BOLT_TRANSLATION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

class BoltTranslation {
 public:
  // Nothing without the section, or if it is damaged.
  static std::optional<BoltTranslation> Read(const ElfImage& image);

  // The function of which a part was split off, by their starts; the function's own start for any other.
  uint64_t ParentOf(uint64_t function) const;
  // An offset in the function (or part) to an offset in the function as it was. The source of a branch is one of the
  // recorded places; any other place is as far behind one as before. A function without a table was not changed.
  uint64_t Translate(uint64_t function, uint64_t offset, bool is_source) const;
  // The starts of blocks, by offset in the function, that a range passes one after another: the edges of its
  // fall-throughs.
  std::vector<std::pair<uint64_t, uint64_t>> Edges(uint64_t function, uint64_t first, uint64_t last) const;

 private:
  struct Place {
    uint64_t input = 0;
    bool is_branch = false;  // of a branch or call; else the start of a block
  };
  using Places = std::map<uint64_t, Place>;  // by offset in the result

  std::map<uint64_t, Places> functions_;  // by address in the result
  std::map<uint64_t, uint64_t> parents_;  // of parts that were split off

  friend class BoltTableReader;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_BOLT_TRANSLATION_H_
