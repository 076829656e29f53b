// Where the code of a recorded program stands in a build of the same assembly with hints in it.
//
// Hints move the code behind them into other cache lines than in the recorded program. A choice that is to hold for the
// rebuilt program must know the lines there.
// Code with line numbers of assembly files (`as -g`) is found by file and line, as insert_prefetches.pl keeps the
// numbers; the file names are compared without folders. Hints have the line of the instruction that they precede, in a
// file NAME.hints. Other code, such as that of libc, keeps its distance to the function symbol before it, if both
// programs have exactly one symbol of that name.
// Code that is found in neither way is assumed not to have moved. Host code.
#ifndef SOFTLBR_TOOLCHAIN_PREFETCH_CODE_LAYOUT_H_
#define SOFTLBR_TOOLCHAIN_PREFETCH_CODE_LAYOUT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "toolchain/binary/elf_image.h"
#include "toolchain/code/source_lines.h"

namespace softlbr::toolchain {

// What a program's file says of the places of its code.
struct CodePlaces {
  std::vector<LineRow> rows;                                // by address
  std::vector<std::pair<std::string, uint64_t>> functions;  // symbols
};
// debug: the file with the line tables, the image itself or its separate debug file.
CodePlaces CodePlacesOf(const ElfImage& image, const std::string& debug);

class CodeLayout {
 public:
  // Bytes that are executed one after the other.
  struct Span {
    uint64_t first = 0;
    uint64_t last = 0;
  };

  CodeLayout() = default;  // nothing has moved
  CodeLayout(uint32_t module, const CodePlaces& recorded, const CodePlaces& rebuilt);

  // Where the instruction at an address of the recorded program stands now, with the hints right before it.
  Span Of(uint32_t module, uint64_t address, uint32_t bytes) const;
  // Instructions of the recorded program's assembly that the rebuilt one does not have: its assembly is another one if
  // there are many.
  uint64_t missing_lines() const { return missing_lines_; }
  uint64_t known_lines() const { return known_lines_; }

 private:
  struct Row {  // what a line of assembly made
    uint64_t recorded = 0;
    uint64_t hints = 0;    // first byte of the hints before it, or of the instruction
    uint64_t rebuilt = 0;  // of the instruction
    uint64_t bytes = 0;    // to the next row of the rebuilt program
    bool is_known = false;
  };

  uint32_t module_ = kNoModule;
  std::vector<Row> rows_;                                 // by address
  std::vector<std::pair<uint64_t, uint64_t>> functions_;  // recorded and rebuilt address
  uint64_t missing_lines_ = 0;
  uint64_t known_lines_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PREFETCH_CODE_LAYOUT_H_
