// LLVM's own view of the loops in the code that it emits, for comparison with the database's.
//
// clang's assembly says in comments which loop each machine block is in, and how deep. BuildWithLlvmLoops() compiles to
// assembly, adds a section with these facts, with the blocks' addresses left to the assembler, and links the result.
// Nothing of the code changes. The lines that are read, as LLVM 19 writes them (AsmPrinter.cpp):
//
//   .LBB2_7: # =>This Inner Loop Header: Depth=1 or: # => This Loop Header: Depth=2
//   # %bb.8:                                #   in Loop: Header=BB2_7 Depth=1        a block that no branch names
//
// A line of comment only, after a block's line, belongs to the block.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_DB_LLVM_LOOPS_H_
#define SOFTLBR_TESTS_TOOLCHAIN_DB_LLVM_LOOPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/binary/elf_image.h"

namespace softlbr::testing {

struct LlvmBlock {
  uint64_t start = 0;
  uint64_t end = 0;     // where the next block starts: behind the padding, if there is some
  uint64_t header = 0;  // the start of the header of the innermost loop; 0: in no loop
  uint64_t depth = 0;   // 0: in no loop
};

// A jump through a table, and one of the table's targets.
struct TableJump {
  uint64_t from = 0;
  uint64_t to = 0;
};

struct LlvmLoops {
  std::vector<LlvmBlock> blocks;  // by address; blocks without an instruction are left out
  std::vector<TableJump> jumps;   // by (from, to)
};

// Assembly with the sections that ReadLlvmLoops() reads. *error says what is not as expected; else it is empty.
std::string AddLlvmLoops(const std::string& assembly, std::string* error);

// arguments: for the compiler, with one source file. Calls out of the file lead to address 0: the program is not run.
// Returns what went wrong, or an empty text.
std::string BuildWithLlvmLoops(const std::vector<std::string>& arguments, const std::string& program);

LlvmLoops ReadLlvmLoops(const toolchain::ElfImage& image);

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_DB_LLVM_LOOPS_H_
