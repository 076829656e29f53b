// A long path through a program's basic blocks, put together of the whole traces that were recorded.
//
// A trace ends after some thousand instructions, before a large cache has forgotten what was there at its start. So the
// path goes on in another trace, at a place that was reached over the same last blocks. What is reused within a trace
// is as recorded; from one trace to the next the path is one that the program might have taken.
// Memory: 4 bytes a block of each trace. Host code.
#ifndef SOFTLBR_TOOLCHAIN_PREFETCH_TRACE_PATH_H_
#define SOFTLBR_TOOLCHAIN_PREFETCH_TRACE_PATH_H_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "toolchain/code/executed_code.h"
#include "toolchain/prefetch/code_layout.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

using BlockNumber = uint32_t;

// Lines of different modules differ; a line's set in a cache of up to 64 sets is that of its address.
uint64_t PathLine(uint32_t module, uint64_t address);

// What a block fetches: a 64-byte line, and how many of the block's instructions are executed before the next line.
struct LineOfBlock {
  uint64_t pc = 0;  // the instruction that is executed first, as recorded
  uint64_t line = 0;
  uint32_t instructions = 0;
};

struct PathBlock {
  uint32_t module = kNoModule;
  uint64_t start = 0;
  uint32_t instructions = 0;
  std::vector<LineOfBlock> lines;
};

class TracePath {
 public:
  // layout: where the code stands whose lines the path fetches.
  explicit TracePath(const ExecutedCode& code, const CodeLayout& layout = {});

  // A branch out of known code, or along a way that the code does not have, ends the trace there; the rest is another.
  void Add(const Trace& trace);
  // The line of an instruction of the recorded program, or of the first hint before it.
  uint64_t LineOf(uint32_t module, uint64_t pc) const { return PathLine(module, layout_.Of(module, pc, 1).first); }

  const std::vector<PathBlock>& blocks() const { return blocks_; }

  // Visits as many blocks as `passes` times all traces have, or some more; no trace much more often than others.
  // is_cut: the path does not go on from the block before it. The same for the same traces.
  void Walk(uint32_t passes, const std::function<void(BlockNumber block, bool is_cut)>& visit) const;

 private:
  struct Place {
    uint32_t trace = 0;
    uint32_t next = 0;
  };
  using Continuations = std::unordered_map<uint64_t, std::vector<Place>>;

  bool AddRun(uint32_t module, uint64_t first, uint64_t last, std::vector<BlockNumber>* trace);
  Continuations FindContinuations(uint32_t blocks_alike) const;
  void Finish(std::vector<BlockNumber>* trace);

  CodeLayout layout_;
  std::vector<PathBlock> blocks_;
  std::vector<std::unordered_map<uint64_t, std::pair<BlockNumber, uint64_t>>>
      by_start_;  // by module: block, address of its last insn
  std::vector<std::vector<BlockNumber>> traces_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PREFETCH_TRACE_PATH_H_
