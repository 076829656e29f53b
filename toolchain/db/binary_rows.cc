#include "toolchain/db/binary_rows.h"

#include <algorithm>

#include "toolchain/db/schema.h"
#include "toolchain/db/table_writer.h"

namespace softlbr::toolchain {
namespace {

// The flow between an instruction and another one.
struct Flow {
  uint64_t address = 0;
  uint64_t other = 0;
  uint64_t count = 0;
};

// Of the recorded branches inside the binary: the one taken most at each address. By address.
std::vector<Flow> LargestFlows(const std::vector<RecordedBranch>& branches, uint64_t RecordedBranch::*at,
                               uint64_t RecordedBranch::*other) {
  std::vector<Flow> flows;
  for (const RecordedBranch& branch : branches) {
    if (branch.is_inside) flows.push_back({branch.*at, branch.*other, branch.count});
  }
  std::sort(flows.begin(), flows.end(), [](const Flow& a, const Flow& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.count != b.count ? a.count > b.count : a.other < b.other;
  });
  const auto is_same = [](const Flow& a, const Flow& b) { return a.address == b.address; };
  flows.erase(std::unique(flows.begin(), flows.end(), is_same), flows.end());
  return flows;
}

// Looks addresses up in ascending order.
class FlowCursor {
 public:
  explicit FlowCursor(const std::vector<Flow>& flows) : next_(flows.begin()), end_(flows.end()) {}
  const Flow* At(uint64_t address) {
    while (next_ != end_ && next_->address < address) ++next_;
    return next_ != end_ && next_->address == address ? &*next_ : nullptr;
  }

 private:
  std::vector<Flow>::const_iterator next_;
  std::vector<Flow>::const_iterator end_;
};

class BinaryWriter {
 public:
  BinaryWriter(const Connection& connection, const RecoveredBinary& from)
      : connection_(connection), from_(from), binary_(from.facts.binary), code_(from.module()), flow_(from.flow) {}

  void Write() {
    for (const char* table : {"function", "block", "loop", "instruction"}) {
      Statement(connection_, std::string("DELETE FROM ") + table + " WHERE module = $1").Bind(uint64_t{binary_}).Execute();
    }
    Statement(connection_, "DELETE FROM edge WHERE from_module = $1").Bind(uint64_t{binary_}).Execute();
    first_function_ = NextId(connection_, "function");
    first_block_ = NextId(connection_, "block");
    first_loop_ = NextId(connection_, "loop");
    WriteFunctions();
    WriteBlocks();
    WriteLoops();
    WriteEdges();
    WriteInstructions();
    WriteEntries(connection_, "opcode", from_.new_opcodes);
    WriteEntries(connection_, "source", from_.new_sources);
  }

 private:
  // Numbers of the rows; null if there is none.
  void PutId(TableWriter* writer, uint32_t index, uint32_t none, uint32_t first) const {
    if (index == none) {
      writer->PutNull();
    } else {
      writer->Put(first + index);
    }
  }

  uint32_t DepthOf(uint32_t block) const { return flow_.loop_of[block] == kNoLoop ? 0 : flow_.loops[flow_.loop_of[block]].depth; }

  void WriteFunctions() {
    TableWriter writer(connection_, "function", ColumnsOf("function"));
    for (uint32_t i = 0; i < flow_.functions.size(); ++i) {
      const FunctionSymbol& symbol = *flow_.functions[i];
      const std::string name = from_.symbolizer->FunctionName({0, symbol.start}).value_or(symbol.name);
      writer.Put(first_function_ + i).Put(binary_).Put(std::string_view(name)).Put(symbol.start).Put(symbol.end - symbol.start);
      writer.Put(symbol.is_stub).EndRow();
    }
    writer.Close();
  }

  // A block's first instruction comes after another block's or a branch, its last one before. All others come after one another.
  void WriteBlocks() {
    const std::vector<Flow> into = LargestFlows(from_.facts.branches, &RecordedBranch::to, &RecordedBranch::from);
    const std::vector<Flow> out_of = LargestFlows(from_.facts.branches, &RecordedBranch::from, &RecordedBranch::to);
    FlowCursor into_at(into);
    FlowCursor out_of_at(out_of);
    TableWriter writer(connection_, "block", ColumnsOf("block"));
    size_t end = 0;  // behind the block's last instruction
    for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      writer.Put(first_block_ + i).Put(binary_);
      PutId(&writer, flow_.function_of_block[i], kNoFunction, first_function_);
      writer.Put(block.start)
          .Put(block.bytes)
          .Put(static_cast<uint32_t>(block.instructions))
          .Put(block.executions)
          .Put(block.samples);
      writer.Put(std::string_view(EdgeKindName(block.end)));
      PutId(&writer, flow_.loop_of[i], kNoLoop, first_loop_);
      writer.Put(DepthOf(i));
      end += block.instructions;
      const ExecutedInstruction& last = code_.instructions[end - 1];
      const size_t first = end - block.instructions;
      const ExecutedInstruction* before = first != 0 ? &code_.instructions[first - 1] : nullptr;
      const bool follows = before != nullptr && before->address + before->bytes == block.start;
      PutNeighbour(&writer, block.start, follows ? Flow{0, before->address, from_.fall_through[first - 1]} : Flow{},
                   into_at.At(block.start));
      PutNeighbour(&writer, last.address, {0, last.address + last.bytes, from_.fall_through[end - 1]}, out_of_at.At(last.address));
      writer.EndRow();
    }
    writer.Close();
  }

  void WriteLoops() {
    TableWriter writer(connection_, "loop", ColumnsOf("loop"));
    for (uint32_t i = 0; i < flow_.loops.size(); ++i) {
      const FlowLoop& loop = flow_.loops[i];
      writer.Put(first_loop_ + i).Put(binary_);
      PutId(&writer, loop.function, kNoFunction, first_function_);
      writer.Put(first_block_ + loop.header);
      PutId(&writer, loop.parent, kNoLoop, first_loop_);
      writer.Put(loop.depth).Put(loop.is_reducible).EndRow();
    }
    writer.Close();
  }

  void WriteEdges() {
    TableWriter writer(connection_, "edge", ColumnsOf("edge"));
    for (size_t i = 0; i < from_.edges.size(); ++i) {
      const RecordedBranch& branch = from_.facts.branches[i];
      const RecoveredEdge& edge = from_.edges[i];
      writer.Put(binary_).Put(branch.from).Put(from_.facts.to_modules[i]).Put(branch.to);
      writer.Put(std::string_view(EdgeKindName(edge.kind))).Put(branch.count).Put(std::string_view(edge.explained)).EndRow();
    }
    size_t end = 0;  // behind the block's last instruction
    for (size_t i = 0; i < flow_.blocks.size(); ++i) {
      end += flow_.blocks[i].instructions;
      const ExecutedInstruction& last = code_.instructions[end - 1];
      const uint64_t next = last.address + last.bytes;
      const uint64_t count = from_.fall_through[end - 1];
      if (count == 0 || i + 1 == flow_.blocks.size() || flow_.blocks[i + 1].start != next) continue;
      writer.Put(binary_).Put(last.address).Put(binary_).Put(next).Put(std::string_view("fallthrough")).Put(count);
      writer.Put(std::string_view("yes")).EndRow();
    }
    writer.Close();
  }

  // The distance to the other end of the larger flow, or null. Straight on wins a draw.
  static void PutNeighbour(TableWriter* writer, uint64_t address, const Flow& straight, const Flow* branch) {
    Flow best = straight;
    if (branch != nullptr && branch->count > best.count) best = *branch;
    const auto distance = static_cast<int64_t>(best.other - address);
    const bool fits = (distance < 0) == (best.other < address);
    if (best.count == 0 || !fits) {
      writer->PutNull();
    } else {
      writer->Put(distance);
    }
  }

  void WriteInstructions() {
    TableWriter writer(connection_, "instruction", ColumnsOf("instruction"));
    for (size_t i = 0; i < code_.instructions.size(); ++i) {
      const ExecutedInstruction& instruction = code_.instructions[i];
      const uint32_t block = flow_.block_of[i];
      writer.Put(binary_).Put(instruction.address).Put(static_cast<uint8_t>(instruction.bytes)).Put(from_.opcode[i]);
      PutId(&writer, flow_.function_of[i], kNoFunction, first_function_);
      writer.Put(first_block_ + block);
      writer.Put(DepthOf(block)).Put(instruction.executions).Put(instruction.samples);
      const bool is_first = instruction.address == flow_.blocks[block].start;
      writer.Put(is_first ? uint8_t{0} : static_cast<uint8_t>(code_.instructions[i - 1].bytes));
      if (from_.source[i] != 0) {
        writer.Put(from_.source[i]).Put(from_.line[i]).EndRow();
      } else {
        writer.PutNull().PutNull().EndRow();
      }
    }
    writer.Close();
  }

  const Connection& connection_;
  const RecoveredBinary& from_;
  uint32_t binary_;
  const ExecutedModule& code_;
  const BinaryFlow& flow_;
  uint32_t first_function_ = 1;
  uint32_t first_block_ = 1;
  uint32_t first_loop_ = 1;
};

}  // namespace

uint64_t WriteBinary(const Connection& connection, const RecoveredBinary& binary) {
  Transaction transaction(connection);
  CompactFacts(connection, binary.facts);
  BinaryWriter(connection, binary).Write();
  Statement done(connection, "UPDATE module SET is_pending = false, undecodable_ranges = $1, file = $2 WHERE id = $3");
  const std::string file = Utf8Text(binary.module().file->path());
  done.Bind(binary.code.undecodable_ranges).Bind(std::string_view(file)).Bind(uint64_t{binary.facts.binary}).Execute();
  transaction.Commit();
  return binary.module().instructions.size();
}

}  // namespace softlbr::toolchain
