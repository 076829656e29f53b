#include "toolchain/db/binary_rows.h"

#include <optional>

#include "toolchain/db/flow/block_neighbours.h"
#include "toolchain/db/store/schema.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {
namespace {

class BinaryWriter {
 public:
  BinaryWriter(const Connection& connection, const RecoveredBinary& from)
      : connection_(connection), from_(from), binary_(from.facts.binary), code_(from.module()), flow_(from.flow) {}

  void Write() {
    for (const char* table : {"function", "block", "loop", "instruction"}) {
      Statement(connection_, std::string("DELETE FROM ") + table + " WHERE module = $1")
          .Bind(uint64_t{binary_})
          .Execute();
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

  uint32_t DepthOf(uint32_t block) const {
    return flow_.loop_of[block] == kNoLoop ? 0 : flow_.loops[flow_.loop_of[block]].depth;
  }

  void WriteFunctions() {
    TableWriter writer(connection_, "function", ColumnsOf("function"));
    for (uint32_t i = 0; i < flow_.functions.size(); ++i) {
      const FunctionSymbol& symbol = *flow_.functions[i];
      const std::string name = from_.symbolizer->FunctionName({0, symbol.start}).value_or(symbol.name);
      writer.Put(first_function_ + i)
          .Put(binary_)
          .Put(std::string_view(name))
          .Put(symbol.start)
          .Put(symbol.end - symbol.start);
      writer.Put(symbol.is_stub).Put(from_.inline_depth[i]).EndRow();
    }
    writer.Close();
  }

  void WriteBlocks() {
    const std::vector<BlockNeighbours> neighbours = NeighboursOf(from_);
    TableWriter writer(connection_, "block", ColumnsOf("block"));
    for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      writer.Put(first_block_ + i).Put(binary_);
      PutId(&writer, flow_.function_of_block[i], kNoFunction, first_function_);
      writer.Put(block.start)
          .Put(block.bytes)
          .Put(static_cast<uint32_t>(block.instructions))
          .Put(block.count)
          .Put(block.samples);
      writer.Put(std::string_view(EdgeKindName(block.end)));
      PutId(&writer, flow_.loop_of[i], kNoLoop, first_loop_);
      writer.Put(DepthOf(i));
      PutDistance(&writer, neighbours[i].prior);
      PutDistance(&writer, neighbours[i].next);
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
      writer.Put(std::string_view(EdgeKindName(edge.kind)))
          .Put(branch.count)
          .Put(std::string_view(edge.explained))
          .EndRow();
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

  static void PutDistance(TableWriter* writer, std::optional<int64_t> distance) {
    if (distance.has_value()) {
      writer->Put(*distance);
    } else {
      writer->PutNull();
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
      writer.Put(DepthOf(block)).Put(instruction.count).Put(instruction.samples);
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
