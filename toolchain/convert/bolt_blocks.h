// The basic blocks of a function as llvm-bolt divides it, and the edges of fall-through ranges between them, as
// perf2bolt writes them.
//
// A block begins at the function, at the target of a branch in the function, at a symbol in it, and behind a branch. An
// unconditional jump behind a conditional branch belongs to its block. A call ends no block. Targets of jump tables are
// read from the tables.
//
// Memory: the blocks of each function that was asked for.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_BOLT_BLOCKS_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_BOLT_BLOCKS_H_

#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "toolchain/convert/convert_input.h"

namespace softlbr::toolchain {

// BOLT's counts are signed: it refuses a file with a larger one.
inline constexpr uint64_t kMaxBoltCount = std::numeric_limits<int64_t>::max();

// A range in one function, outside the stubs of other modules.
struct BoltRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t count = 0;
  bool is_internal = false;  // entered by a branch of its own function: F, not f
};

// A range that starts at a return address is entered only from outside its function. Without this, BOLT loses the edge
// from the block of the call to its continuation.
std::vector<BoltRange> BoltRanges(const ConvertInput& input);

// Starts of the functions of which the compiler moved a part away (NAME.cold), and of these parts. Without relocations
// llvm-bolt leaves them as they are, and perf2bolt tells no edges between their blocks.
std::set<uint64_t> SplitFunctions(const ElfImage& image);

class BoltBlocks {
 public:
  // With a file and a decoder. `input` must outlive the object.
  explicit BoltBlocks(const ConvertInput& input);

  // The edges from one block to the next, each from the last instruction of a block to the first of another, that the
  // range executes. None in a function that llvm-bolt leaves as it is.
  std::vector<std::pair<uint64_t, uint64_t>> Edges(const FunctionSymbol& function, const BoltRange& range);

 private:
  struct Instruction {
    uint64_t address = 0;
    softlbr_terminator_kind kind = SOFTLBR_END_FALLTHROUGH;
    std::optional<uint64_t> target;  // of a direct branch
  };
  struct Block {
    uint64_t start = 0;
    uint64_t last = 0;  // the address of the last instruction
    bool is_entry = false;
    bool ends_with_call = false;
  };
  using Blocks = std::vector<Block>;

  const Blocks& BlocksOf(const FunctionSymbol& function);
  std::vector<Instruction> Disassemble(const FunctionSymbol& function, std::set<uint64_t>* constants) const;
  void AddTableTargets(const FunctionSymbol& function, const std::vector<Instruction>& code,
                       const std::set<uint64_t>& constants, std::set<uint64_t>* starts) const;

  const ConvertInput& input_;
  std::shared_ptr<Decoder> decoder_;
  std::set<uint64_t> left_alone_;                // starts of functions
  std::unordered_map<uint64_t, Blocks> blocks_;  // by start of the function
  // by start of the function: other places that are entered
  std::unordered_map<uint64_t, std::vector<uint64_t>> entered_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_BOLT_BLOCKS_H_
