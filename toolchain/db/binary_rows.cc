#include "toolchain/db/binary_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "toolchain/binary/symbolizer.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/code/source_lines.h"
#include "toolchain/db/binary_flow.h"
#include "toolchain/db/schema.h"
#include "toolchain/db/table_writer.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

// The flow from one instruction to another.
struct Flow {
  uint64_t address = 0;  // the other instruction
  uint64_t count = 0;
};

// The facts of one binary, with equal rows added up.
struct BinaryFacts {
  Profile profile;                       // the binary is its only module
  std::vector<RecordedBranch> branches;  // from the binary, by (from, to)
  std::map<uint64_t, Flow> into;         // by target: the branch taken most, from inside the binary
  std::map<uint64_t, Flow> out_of;       // by branch: the target taken most, inside the binary
  std::map<uint64_t, uint64_t> ended;    // by instruction: how often a range ended there
};

ProfileModule LoadModule(const Connection& connection, uint32_t binary) {
  Statement select(connection, "SELECT name, build_id, machine, elf_type, segments FROM module WHERE id = $1");
  Rows rows = select.Bind(uint64_t{binary}).Execute();
  if (!rows.Next()) throw StatedFailure("db: a binary is missing in its table; ingest the profiles into a new database");
  ProfileModule module;
  module.name = rows.Text(0);
  const std::string id(rows.Text(1));
  for (size_t i = 0; i + 1 < id.size(); i += 2)
    module.build_id.push_back(static_cast<uint8_t>(std::stoul(id.substr(i, 2), nullptr, 16)));
  module.machine = static_cast<uint16_t>(rows.Count(2));
  module.elf_type = static_cast<uint16_t>(rows.Count(3));
  module.segments = SegmentsOf(rows.Text(4));
  return module;
}

// Sums saturate, as in every other command.
constexpr char kSum[] = "least(sum(count), 18446744073709551615)::UBIGINT";

BinaryFacts LoadFacts(const Connection& connection, uint32_t binary) {
  BinaryFacts facts;
  facts.profile.modules = {LoadModule(connection, binary)};
  const auto sums = [&](const std::string& columns, const std::string& table, const std::string& where) {
    Statement select(connection,
                     "SELECT " + columns + ", " + kSum + " FROM " + table + " WHERE " + where + " = $1 GROUP BY ALL ORDER BY ALL");
    return select.Bind(uint64_t{binary}).Execute();
  };
  Rows ranges = sums("first, last", "range_count", "module");
  while (ranges.Next()) {
    facts.profile.ranges.push_back({0, ranges.Count(0), ranges.Count(1), ranges.Count(2)});
    uint64_t& ended = facts.ended[ranges.Count(1)];
    ended = SaturatingAdd(ended, ranges.Count(2));
  }
  Rows samples = sums("address", "sample_count", "module");
  while (samples.Next()) facts.profile.samples.push_back({{0, samples.Count(0)}, samples.Count(1)});
  const auto keep_larger = [](std::map<uint64_t, Flow>* flows, uint64_t address, const Flow& flow) {
    Flow& kept = (*flows)[address];
    if (flow.count > kept.count) kept = flow;
  };
  Rows out = sums("from_address, to_address, to_module", "branch_count", "from_module");
  while (out.Next()) {
    const RecordedBranch branch{out.Count(0), out.Count(1), out.Count(2) == binary, out.Count(3)};
    facts.branches.push_back(branch);
    if (branch.is_inside) {
      keep_larger(&facts.into, branch.to, {branch.from, branch.count});
      keep_larger(&facts.out_of, branch.from, {branch.to, branch.count});
    }
  }
  Rows in = sums("to_address", "branch_count", "to_module");
  while (in.Next()) facts.profile.branches.push_back({{}, {0, in.Count(0)}, in.Count(1)});
  return facts;
}

// Leaves one row of each range, branch and sample of the binary.
void CompactFacts(const Connection& connection, uint32_t binary) {
  const auto compact = [&](const std::string& table, const std::string& keys, const std::string& where) {
    const std::string of_binary = " FROM " + table + " WHERE " + where + " = $1";
    Statement count(connection, "SELECT (count(*) - count(DISTINCT (" + keys + ")))::UBIGINT" + of_binary);
    Rows repeated = count.Bind(uint64_t{binary}).Execute();
    if (!repeated.Next() || repeated.Count(0) == 0) return;
    Statement(connection, "CREATE OR REPLACE TEMP TABLE sums AS SELECT " + keys + ", " + kSum + " AS count" + of_binary +
                              " GROUP BY ALL ORDER BY ALL")
        .Bind(uint64_t{binary})
        .Execute();
    Statement(connection, "DELETE" + of_binary).Bind(uint64_t{binary}).Execute();
    connection.Run("INSERT INTO " + table + " FROM sums ORDER BY ALL; DROP TABLE sums");
  };
  compact("range_count", "module, first, last", "module");
  compact("branch_count", "from_module, from_address, to_module, to_address", "from_module");
  compact("sample_count", "module, address", "module");
}

// Numbers for texts that many rows share, kept in a table.
class Dictionary {
 public:
  Dictionary(const Connection& connection, std::string table, size_t texts) : connection_(connection), table_(std::move(table)) {
    next_ = NextId(connection, table_);
    Rows rows = connection.Query("FROM " + table_);
    while (rows.Next()) {
      std::vector<std::string> key;
      for (size_t i = 1; i <= texts; ++i) key.emplace_back(rows.Text(i));
      ids_.emplace(std::move(key), static_cast<uint32_t>(rows.Count(0)));
    }
  }

  uint32_t Of(std::vector<std::string> key) {
    for (std::string& text : key) text = Utf8Text(text);  // as it is read again
    const auto [it, is_new] = ids_.try_emplace(std::move(key), next_);
    if (is_new) {
      ++next_;
      added_.push_back(&*it);
    }
    return it->second;
  }

  void WriteAdded() const {
    TableWriter writer(connection_, table_, ColumnsOf(table_));
    for (const auto* entry : added_) {
      writer.Put(entry->second);
      for (const std::string& text : entry->first) writer.Put(std::string_view(text));
      writer.EndRow();
    }
    writer.Close();
  }

 private:
  const Connection& connection_;
  std::string table_;
  std::map<std::vector<std::string>, uint32_t> ids_;
  std::vector<const std::pair<const std::vector<std::string>, uint32_t>*> added_;
  uint32_t next_ = 1;
};

// Source lines, or none: a machine without libdw has all other columns.
std::unique_ptr<SourceLines> OpenLines(const ModuleFiles& files, const ElfImage& image) {
  try {
    const ElfImagePtr debug = files.FindDebugFile(image);
    return std::make_unique<SourceLines>(debug != nullptr ? debug->path() : image.path());
  } catch (const StatedFailure& failure) {
    static const bool is_warned = (Warn(std::string(failure.what()) + "; source lines are left out"), true);
    static_cast<void>(is_warned);
    return nullptr;
  }
}

std::string KindName(softlbr_terminator_kind kind) {
  const std::string name = BranchKindName(kind);
  return name.empty() ? "none" : name;
}

class BinaryWriter {
 public:
  BinaryWriter(const Connection& connection, uint32_t binary, const BinaryFacts& facts, const ExecutedModule& code,
               const Decoder& decoder, Symbolizer* symbolizer)
      : connection_(connection),
        binary_(binary),
        facts_(facts),
        code_(code),
        decoder_(decoder),
        symbolizer_(*symbolizer),
        flow_(RecoverFlow(code, decoder, facts.branches, symbolizer)) {}

  void Write(const ModuleFiles& files) {
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
    WriteInstructions(files);
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
      const std::string name = symbolizer_.FunctionName({0, symbol.start}).value_or(symbol.name);
      writer.Put(first_function_ + i).Put(binary_).Put(std::string_view(name)).Put(symbol.start).Put(symbol.end - symbol.start);
      writer.Put(symbol.is_stub).EndRow();
    }
    writer.Close();
  }

  void WriteBlocks() {
    TableWriter writer(connection_, "block", ColumnsOf("block"));
    for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      writer.Put(first_block_ + i).Put(binary_);
      PutId(&writer, flow_.function_of_block[i], kNoFunction, first_function_);
      writer.Put(block.start)
          .Put(block.bytes)
          .Put(static_cast<uint32_t>(block.instructions))
          .Put(block.executions)
          .Put(block.samples);
      writer.Put(std::string_view(KindName(block.end)));
      PutId(&writer, flow_.loop_of[i], kNoLoop, first_loop_);
      writer.Put(DepthOf(i)).EndRow();
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

  const ExecutedInstruction* InstructionAt(uint64_t address) const {
    const auto it = std::lower_bound(code_.instructions.begin(), code_.instructions.end(), address,
                                     [](const ExecutedInstruction& one, uint64_t at) { return one.address < at; });
    return it != code_.instructions.end() && it->address == address ? &*it : nullptr;
  }

  // Whether the decoder says that this instruction can branch there.
  const char* Explain(const RecordedBranch& branch, const BranchInstruction& instruction, bool is_outside) const {
    if (instruction.kind == SOFTLBR_END_UNDECODABLE) return "no_code";
    if (BranchKindName(instruction.kind).empty()) return "no_branch";
    if (instruction.target.has_value()) return branch.is_inside && *instruction.target == branch.to ? "yes" : "other_target";
    if (is_outside) return "outside";
    return !branch.is_inside || InstructionAt(branch.to) != nullptr ? "yes" : "no_target";
  }

  // How often the instruction was followed by the one behind it.
  uint64_t FallThrough(const ExecutedInstruction& instruction) const {
    const auto ended = facts_.ended.find(instruction.address);
    const uint64_t left = ended != facts_.ended.end() ? ended->second : 0;
    return instruction.executions > left ? instruction.executions - left : 0;
  }

  void WriteEdges() {
    TableWriter writer(connection_, "edge", ColumnsOf("edge"));
    Statement select(connection_, std::string("SELECT from_address, to_module, to_address, ") + kSum +
                                      " FROM branch_count WHERE from_module = $1 GROUP BY ALL ORDER BY ALL");
    Rows rows = select.Bind(uint64_t{binary_}).Execute();
    while (rows.Next()) {
      const auto to_binary = static_cast<uint32_t>(rows.Count(1));
      const RecordedBranch branch{rows.Count(0), rows.Count(2), to_binary == binary_, rows.Count(3)};
      const BranchInstruction instruction = DecodeBranch(*code_.file, decoder_, branch.from);
      writer.Put(binary_).Put(branch.from).Put(to_binary).Put(branch.to).Put(std::string_view(KindName(instruction.kind)));
      writer.Put(branch.count).Put(std::string_view(Explain(branch, instruction, to_binary == kNoBinary))).EndRow();
    }
    size_t end = 0;  // behind the block's last instruction
    for (size_t i = 0; i < flow_.blocks.size(); ++i) {
      end += flow_.blocks[i].instructions;
      const ExecutedInstruction& last = code_.instructions[end - 1];
      const uint64_t next = last.address + last.bytes;
      const uint64_t count = FallThrough(last);
      if (count == 0 || i + 1 == flow_.blocks.size() || flow_.blocks[i + 1].start != next) continue;
      writer.Put(binary_).Put(last.address).Put(binary_).Put(next).Put(std::string_view("fallthrough")).Put(count);
      writer.Put(std::string_view("yes")).EndRow();
    }
    writer.Close();
  }

  // The distance to the other end of the larger flow, or null. Straight on wins a draw.
  static void PutNeighbour(TableWriter* writer, const ExecutedInstruction& instruction, const Flow& straight,
                           const std::map<uint64_t, Flow>& branches) {
    Flow best = straight;
    const auto branch = branches.find(instruction.address);
    if (branch != branches.end() && branch->second.count > best.count) best = branch->second;
    const auto distance = static_cast<int64_t>(best.address - instruction.address);
    const bool fits = (distance < 0) == (best.address < instruction.address);
    if (best.count == 0 || !fits) {
      writer->PutNull();
    } else {
      writer->Put(distance);
    }
  }

  void WriteInstructions(const ModuleFiles& files) {
    const InstructionKinds kinds(code_.file->machine(), "db");
    const std::unique_ptr<SourceLines> lines = OpenLines(files, *code_.file);
    Dictionary opcodes(connection_, "opcode", 6);
    Dictionary sources(connection_, "source", 1);
    TableWriter writer(connection_, "instruction", ColumnsOf("instruction"));
    for (size_t i = 0; i < code_.instructions.size(); ++i) {
      const ExecutedInstruction& instruction = code_.instructions[i];
      const uint32_t block = flow_.block_of[i];
      const InstructionKind kind = kinds.Of(code_.file->CodeAt(instruction.address, instruction.bytes), instruction.address);
      const uint32_t opcode =
          opcodes.Of({kind.mnemonic, kind.extension, kind.packing, kind.memory, kind.operands, KindName(instruction.end)});
      writer.Put(binary_).Put(instruction.address).Put(static_cast<uint8_t>(instruction.bytes)).Put(opcode);
      PutId(&writer, flow_.function_of[i], kNoFunction, first_function_);
      writer.Put(first_block_ + block);
      PutId(&writer, flow_.loop_of[block], kNoLoop, first_loop_);
      writer.Put(DepthOf(block)).Put(instruction.executions).Put(instruction.samples);
      const ExecutedInstruction* before = i != 0 ? &code_.instructions[i - 1] : nullptr;
      const bool follows = before != nullptr && before->address + before->bytes == instruction.address;
      PutNeighbour(&writer, instruction, follows ? Flow{before->address, FallThrough(*before)} : Flow{}, facts_.into);
      PutNeighbour(&writer, instruction, {instruction.address + instruction.bytes, FallThrough(instruction)}, facts_.out_of);
      const std::optional<SourceLine> line = lines != nullptr ? lines->Of(instruction.address) : std::nullopt;
      if (line.has_value()) {
        writer.Put(sources.Of({line->file})).Put(static_cast<uint32_t>(line->line)).EndRow();
      } else {
        writer.PutNull().PutNull().EndRow();
      }
    }
    writer.Close();
    opcodes.WriteAdded();
    sources.WriteAdded();
  }

  const Connection& connection_;
  uint32_t binary_;
  const BinaryFacts& facts_;
  const ExecutedModule& code_;
  const Decoder& decoder_;
  Symbolizer& symbolizer_;
  const BinaryFlow flow_;
  uint32_t first_function_ = 1;
  uint32_t first_block_ = 1;
  uint32_t first_loop_ = 1;
};

}  // namespace

std::string SegmentsText(const std::vector<Segment>& segments) {
  std::ostringstream text;
  for (const Segment& segment : segments) {
    text << segment.vaddr << ' ' << segment.file_offset << ' ' << segment.file_bytes << ' ' << segment.memory_bytes << ' '
         << segment.flags << '\n';
  }
  return text.str();
}

std::vector<Segment> SegmentsOf(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<Segment> segments;
  for (Segment segment;
       stream >> segment.vaddr >> segment.file_offset >> segment.file_bytes >> segment.memory_bytes >> segment.flags;) {
    segments.push_back(segment);
  }
  return segments;
}

std::optional<uint64_t> RecoverBinary(const Connection& connection, uint32_t binary, const ModuleFiles& files) {
  Transaction transaction(connection);
  const BinaryFacts facts = LoadFacts(connection, binary);
  Symbolizer symbolizer(facts.profile, files);
  const ExecutedCode code = DecodeExecutedCode(facts.profile, &symbolizer);
  if (code.modules.empty()) return std::nullopt;
  const ExecutedModule& module = code.modules[0];
  const std::shared_ptr<Decoder> decoder = Decoder::ForMachine(module.file->machine());
  CompactFacts(connection, binary);
  BinaryWriter(connection, binary, facts, module, *decoder, &symbolizer).Write(files);
  Statement done(connection, "UPDATE module SET is_pending = false, undecodable_ranges = $1, file = $2 WHERE id = $3");
  done.Bind(code.undecodable_ranges).Bind(std::string_view(Utf8Text(module.file->path()))).Bind(uint64_t{binary}).Execute();
  transaction.Commit();
  return module.instructions.size();
}

}  // namespace softlbr::toolchain
