// Finds which basic blocks of a function are the same in two builds of it.
//
// Addresses, order and sizes differ between builds: code is moved, branches get longer or are inverted, cold blocks go
// to a part of their own. A block is known by what it does: its micro-operations without addresses and stack offsets,
// the kind of its end, and its neighbors along the control flow. Blocks are matched from the most specific of these
// signatures to the least; what remains is matched along the edges of matched blocks. Each block is matched at most
// once. Blocks of changed code may stay alone. Host code.
#ifndef SOFTLBR_TOOLCHAIN_CODE_BLOCK_MATCHING_H_
#define SOFTLBR_TOOLCHAIN_CODE_BLOCK_MATCHING_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "toolchain/binary/code_walker.h"
#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

struct CodeBlock {
  uint64_t start = 0;
  uint64_t last = 0;  // the address of the last instruction
  uint64_t end = 0;   // exclusive
  uint64_t instructions = 0;
  softlbr_terminator_kind kind = SOFTLBR_END_FALLTHROUGH;  // of the last instruction
  uint64_t exact = 0;                                      // a hash of the operations with their operands
  uint64_t loose = 0;                                      // of the operations alone
  // blocks that execution may go on to, without calls; fall-through first
  std::vector<size_t> next;
};

using AddressRange = std::pair<uint64_t, uint64_t>;  // first address, and the one behind the last

// The blocks of a function, all parts of it, by address. Decodes each part from its start to its end, or to what is no
// instruction.
std::vector<CodeBlock> BlocksOf(const ElfImage& image, const Decoder& decoder, const std::vector<AddressRange>& parts);

// For each block of `after`: the index of the same block in `before`, or kNoBlock.
inline constexpr size_t kNoBlock = ~size_t{0};
std::vector<size_t> MatchBlocks(const std::vector<CodeBlock>& before, const std::vector<CodeBlock>& after);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_BLOCK_MATCHING_H_
