// The control flow of a binary's executed code: functions, basic blocks, the edges between them, and loops.
//
// An edge joins two executed blocks of one function if the decoder says that control can go from one to the other
// (fall-through, direct jump, the return of a call), or, after an indirect jump, if a branch was recorded there. Loops
// are those of each function's graph, entered where the function begins, and at blocks that no other block leads to. A
// function is what its symbol covers: a cold part that the linker moved away is a function of its own. Code without
// symbols is one function.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_FLOW_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_FLOW_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "toolchain/binary/code_walker.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/db/flow/loops.h"

namespace softlbr::toolchain {

inline constexpr uint32_t kNoFunction = 0xffffffffu;

struct FlowLoop {
  uint32_t header = 0;  // index of a block
  uint32_t parent = kNoLoop;
  uint32_t function = kNoFunction;
  uint32_t depth = 1;
  bool is_reducible = true;
};

struct BinaryFlow {
  // those with executed code, by address of their first executed instruction
  std::vector<const FunctionSymbol*> functions;
  std::vector<BasicBlock> blocks;           // by address
  std::vector<uint32_t> block_of;           // of each executed instruction
  std::vector<uint32_t> function_of;        // of each executed instruction
  std::vector<uint32_t> function_of_block;  // that of its first instruction
  std::vector<uint32_t> loop_of;            // of each block: the innermost, or kNoLoop
  std::vector<FlowLoop> loops;
};

// A branch of the binary, as often as it was recorded.
struct RecordedBranch {
  uint64_t from = 0;
  uint64_t to = 0;
  bool is_inside = false;  // `to` is in the same binary
  uint64_t count = 0;
};

// module: 0 in the symbolizer. branches: by (from, to).
BinaryFlow RecoverFlow(const ExecutedModule& code, const Decoder& decoder, const std::vector<RecordedBranch>& branches,
                       Symbolizer* symbolizer);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_FLOW_H_
