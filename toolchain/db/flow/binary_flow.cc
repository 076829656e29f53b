#include "toolchain/db/flow/binary_flow.h"

#include <algorithm>
#include <map>

namespace softlbr::toolchain {
namespace {

class FlowRecovery {
 public:
  FlowRecovery(const ExecutedModule& code, const Decoder& decoder, const std::vector<RecordedBranch>& branches,
               Symbolizer* symbolizer)
      : code_(code), decoder_(decoder), branches_(branches), symbolizer_(*symbolizer) {}

  BinaryFlow Recover() {
    FindFunctions();
    FindBlocks();
    std::vector<std::vector<uint32_t>> blocks_of(flow_.functions.size() + 1);  // the last: blocks of no function
    for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
      blocks_of[std::min<size_t>(flow_.function_of_block[i], flow_.functions.size())].push_back(i);
    }
    flow_.loop_of.assign(flow_.blocks.size(), kNoLoop);
    node_of_.assign(flow_.blocks.size(), 0);
    for (size_t i = 0; i < blocks_of.size(); ++i) {
      FindLoopsOf(i < flow_.functions.size() ? static_cast<uint32_t>(i) : kNoFunction, blocks_of[i]);
    }
    return std::move(flow_);
  }

 private:
  void FindFunctions() {
    std::map<const FunctionSymbol*, uint32_t> numbers;
    const std::vector<FunctionSymbol>& symbols = symbolizer_.Symbols(code_.module).functions();
    const FunctionSymbol* symbol = nullptr;
    uint32_t number = kNoFunction;
    size_t next =
        // the first symbol that begins behind the instruction: until it or the function's end, the function is the same
        0;
    flow_.function_of.reserve(code_.instructions.size());
    for (const ExecutedInstruction& instruction : code_.instructions) {
      const size_t before = next;
      while (next < symbols.size() && symbols[next].start <= instruction.address) ++next;
      if (next != before || (symbol != nullptr && instruction.address >= symbol->end)) {
        symbol = symbolizer_.Function({code_.module, instruction.address});
        number = kNoFunction;
        if (symbol != nullptr) {
          const auto [it, is_new] = numbers.try_emplace(symbol, static_cast<uint32_t>(flow_.functions.size()));
          if (is_new) flow_.functions.push_back(symbol);
          number = it->second;
        }
      }
      flow_.function_of.push_back(number);
    }
  }

  void FindBlocks() {
    flow_.blocks = BasicBlocks(code_);
    for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
      flow_.function_of_block.push_back(flow_.function_of[flow_.block_of.size()]);
      flow_.block_of.insert(flow_.block_of.end(), flow_.blocks[i].instructions, i);
    }
  }

  // The block that begins there, or the number of blocks.
  size_t BlockAt(uint64_t address) const {
    const auto it = std::lower_bound(flow_.blocks.begin(), flow_.blocks.end(), address,
                                     [](const BasicBlock& block, uint64_t start) { return block.start < start; });
    return it != flow_.blocks.end() && it->start == address ? static_cast<size_t>(it - flow_.blocks.begin())
                                                            : flow_.blocks.size();
  }

  void AddEdge(uint64_t address, uint32_t function, std::vector<uint32_t>* to) const {
    const size_t block = BlockAt(address);
    if (block == flow_.blocks.size() || flow_.function_of_block[block] != function) return;
    const uint32_t node = node_of_[block];
    if (std::find(to->begin(), to->end(), node) == to->end()) to->push_back(node);
  }

  std::vector<uint32_t> SuccessorsOf(uint32_t block_index, uint64_t last, uint32_t function) const {
    const BasicBlock& block = flow_.blocks[block_index];
    std::vector<uint32_t> to;
    const uint64_t next = block.start + block.bytes;
    switch (block.end) {
      case SOFTLBR_END_FALLTHROUGH:
      case SOFTLBR_END_CALL:
      case SOFTLBR_END_INDIRECT_CALL:
      case SOFTLBR_END_SYSCALL: AddEdge(next, function, &to); break;
      case SOFTLBR_END_CONDITIONAL: AddEdge(next, function, &to); [[fallthrough]];
      case SOFTLBR_END_JUMP:
        if (const auto target = DecodeBranch(*code_.file, decoder_, last).target) AddEdge(*target, function, &to);
        break;
      case SOFTLBR_END_INDIRECT_JUMP: {
        auto it = std::lower_bound(branches_.begin(), branches_.end(), last,
                                   [](const RecordedBranch& branch, uint64_t from) { return branch.from < from; });
        for (; it != branches_.end() && it->from == last; ++it) {
          if (it->is_inside) AddEdge(it->to, function, &to);
        }
        break;
      }
      default: break;
    }
    return to;
  }

  // Node 0 stands before the function's entries, node i + 1 is the function's block i.
  void FindLoopsOf(uint32_t function, const std::vector<uint32_t>& blocks) {
    if (blocks.empty()) return;
    for (uint32_t i = 0; i < blocks.size(); ++i) node_of_[blocks[i]] = i + 1;
    std::vector<std::vector<uint32_t>> successors(blocks.size() + 1);
    std::vector<bool> is_entered(blocks.size() + 1);
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      successors[i + 1] = SuccessorsOf(blocks[i], LastInstruction(blocks[i]), function);
      for (const uint32_t to : successors[i + 1]) is_entered[to] = is_entered[to] || to != i + 1;
    }
    std::vector<uint32_t>& entries = successors[0];
    if (function != kNoFunction) {
      const size_t start = BlockAt(flow_.functions[function]->start);
      if (start != flow_.blocks.size() && flow_.function_of_block[start] == function)
        entries.push_back(node_of_[start]);
    }
    for (uint32_t node = 1; node < successors.size(); ++node) {
      if (!is_entered[node] && (entries.empty() || entries[0] != node)) entries.push_back(node);
    }
    AddUnreachedEntries(&successors);
    const LoopForest forest = FindLoops(successors, 0);
    const auto base = static_cast<uint32_t>(flow_.loops.size());
    for (const NestedLoop& loop : forest.loops) {
      flow_.loops.push_back({blocks[loop.header - 1], loop.parent == kNoLoop ? kNoLoop : base + loop.parent, function,
                             loop.depth, loop.is_reducible});
    }
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      if (forest.innermost[i + 1] != kNoLoop) flow_.loop_of[blocks[i]] = base + forest.innermost[i + 1];
    }
  }

  // In each part of the graph that no entry leads to, such as a loop without a recorded entry, makes the first block an
  // entry.
  static void AddUnreachedEntries(std::vector<std::vector<uint32_t>>* successors) {
    std::vector<bool> is_reached(successors->size());
    std::vector<uint32_t> left = {0};
    for (uint32_t node = 1;;) {
      while (!left.empty()) {
        const uint32_t from = left.back();
        left.pop_back();
        if (is_reached[from]) continue;
        is_reached[from] = true;
        left.insert(left.end(), (*successors)[from].begin(), (*successors)[from].end());
      }
      while (node < successors->size() && is_reached[node]) ++node;
      if (node == successors->size()) return;
      (*successors)[0].push_back(node);
      left.push_back(node);
    }
  }

  uint64_t LastInstruction(uint32_t block) const {
    const auto end = std::upper_bound(flow_.block_of.begin(), flow_.block_of.end(), block);
    return code_.instructions[static_cast<size_t>(end - flow_.block_of.begin()) - 1].address;
  }

  const ExecutedModule& code_;
  const Decoder& decoder_;
  const std::vector<RecordedBranch>& branches_;
  Symbolizer& symbolizer_;
  BinaryFlow flow_;
  std::vector<uint32_t> node_of_;  // of a block, in its function's graph
};

}  // namespace

BinaryFlow RecoverFlow(const ExecutedModule& code, const Decoder& decoder, const std::vector<RecordedBranch>& branches,
                       Symbolizer* symbolizer) {
  return FlowRecovery(code, decoder, branches, symbolizer).Recover();
}

}  // namespace softlbr::toolchain
