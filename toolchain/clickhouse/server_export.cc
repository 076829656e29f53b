#include "toolchain/clickhouse/server_export.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/db/export_rows.h"
#include "toolchain/db/store/row_source.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kOpcodeTexts = 6;

[[noreturn]] void FailAsIncomplete() {
  throw ServerFailure("db: a server's rows do not belong together; does an ingest run? Export again when it has ended");
}

uint32_t Number32(const AnswerField& field) {
  const uint64_t number = field.Count();
  if (number > 0xffffffff) FailAsIncomplete();
  return static_cast<uint32_t>(number);
}

std::optional<int64_t> Distance(const AnswerField& field) {
  if (field.is_null) return std::nullopt;
  int64_t distance = 0;
  const auto end = std::from_chars(field.text.data(), field.text.data() + field.text.size(), distance);
  if (end.ec != std::errc() || end.ptr != field.text.data() + field.text.size()) FailAsIncomplete();
  return distance;
}

// The rows of a question, given to `take`.
void ForEachRow(ServerClient* client, const std::string& sql, size_t columns,
                const std::function<void(const AnswerReader::Row&)>& take) {
  AnswerReader reader(take, columns);
  client->Ask(sql, &reader);
}

struct ExportedModule {
  std::string build_id;
  std::string name;
  uint64_t id = 0;
  uint64_t version = 0;  // of its rows
  size_t server = 0;
};

struct ExportedBlock {
  uint64_t start = 0;
  uint64_t bytes = 0;
  uint32_t instructions = 0;
  uint32_t loop = 0;
  std::optional<int64_t> prior;
  std::optional<int64_t> next;
};

struct ExportedInstruction {
  uint64_t address;
  uint64_t count;
  uint64_t samples;
  uint32_t opcode;
  uint32_t function;
  uint32_t block;
  uint32_t depth;
  uint32_t source;
  uint32_t line;
  uint8_t bytes;
  uint8_t prior_bytes;
};

using Names = std::unordered_map<uint32_t, std::string>;

// A module whose instructions are being exported.
struct OpenModule {
  ExportedModule module;
  Names functions;
  std::vector<ExportedBlock> blocks;  // block number N is at N - 1
};

struct Part {
  std::shared_ptr<const OpenModule> of;
  std::vector<ExportedInstruction> rows;
};

// Asks for one part after another.
class PartReader {
 public:
  PartReader(const ServerSet& servers, uint64_t part_instructions)
      : servers_(servers), part_instructions_(part_instructions) {
    for (size_t i = 0; i < servers.size(); ++i) {
      std::unordered_map<uint64_t, uint64_t> version_of;
      ForEachRow(&servers[i], "SELECT module, argMax(version, uploads) FROM recovered_rows GROUP BY module", 2,
                 [&](const AnswerReader::Row& row) { version_of[row[0].Count()] = row[1].Count(); });
      ForEachRow(&servers[i], "SELECT id, name, build_id FROM module", 3, [&](const AnswerReader::Row& row) {
        const auto version = version_of.find(row[0].Count());
        if (version == version_of.end()) return;
        modules_.push_back({Utf8Text(row[2].text), Utf8Text(row[1].text), version->first, version->second, i});
      });
    }
    std::sort(modules_.begin(), modules_.end(), [](const ExportedModule& a, const ExportedModule& b) {
      return std::tie(a.build_id, a.name, a.id) < std::tie(b.build_id, b.name, b.id);
    });
  }

  // Null behind the last one.
  std::unique_ptr<Part> Next() {
    while (open_ == nullptr || next_block_ == open_->blocks.size()) {
      if (next_module_ == modules_.size()) return nullptr;
      Open(modules_[next_module_++]);
    }
    return Read();
  }

 private:
  void Open(const ExportedModule& module) {
    auto open = std::make_shared<OpenModule>();
    open->module = module;
    const std::string of = " WHERE version = " + std::to_string(module.version);
    ServerClient* client = &servers_[module.server];
    ForEachRow(client, "SELECT id, name FROM function_rows" + of, 2,
               [&](const AnswerReader::Row& row) { open->functions[Number32(row[0])] = Utf8Text(row[1].text); });
    ForEachRow(
        client,
        "SELECT DISTINCT id, start, bytes, instructions, loop, prior, next FROM block_rows" + of + " ORDER BY id", 7,
        [&](const AnswerReader::Row& row) {
          if (row[0].Count() != open->blocks.size() + 1) FailAsIncomplete();
          open->blocks.push_back(
              {row[1].Count(), row[2].Count(), Number32(row[3]), Number32(row[4]), Distance(row[5]), Distance(row[6])});
        });
    open_ = open;
    next_block_ = 0;
  }

  // Blocks are numbered by address, and so are the instructions in them.
  std::unique_ptr<Part> Read() {
    auto part = std::make_unique<Part>();
    part->of = open_;
    const std::vector<ExportedBlock>& blocks = open_->blocks;
    std::string where = " WHERE version = " + std::to_string(open_->module.version) +
                        " AND address >= " + std::to_string(blocks[next_block_].start);
    for (uint64_t instructions = 0; next_block_ != blocks.size() && instructions < part_instructions_; ++next_block_)
      instructions += blocks[next_block_].instructions;
    if (next_block_ != blocks.size()) where += " AND address < " + std::to_string(blocks[next_block_].start);
    ForEachRow(&servers_[open_->module.server],
               "SELECT address, bytes, opcode, function, block, depth, count, samples, prior_bytes, source, line"
               " FROM instruction_rows" +
                   where + " ORDER BY address",
               11, [&](const AnswerReader::Row& row) {
                 const uint32_t block = Number32(row[4]);
                 if (block == 0 || block > blocks.size()) FailAsIncomplete();
                 part->rows.push_back({row[0].Count(), row[6].Count(), row[7].Count(), Number32(row[2]),
                                       Number32(row[3]), block, Number32(row[5]), Number32(row[9]), Number32(row[10]),
                                       static_cast<uint8_t>(row[1].Count()), static_cast<uint8_t>(row[8].Count())});
               });
    return part;
  }

  const ServerSet& servers_;
  uint64_t part_instructions_;
  std::vector<ExportedModule> modules_;
  size_t next_module_ = 0;
  std::shared_ptr<const OpenModule> open_;
  size_t next_block_ = 0;  // of the open module
};

// The rows of the view `asm` of a database file (schema.cc). The next part is read while the engine writes the one
// before.
class ServerRows : public RowSource {
 public:
  ServerRows(const ServerSet& servers, uint64_t part_instructions) : reader_(servers, part_instructions) {
    for (size_t i = 0; i < servers.size(); ++i) {
      ForEachRow(&servers[i], "SELECT id, mnemonic, extension, packing, memory, operands, branch FROM opcode",
                 kOpcodeTexts + 1, [&](const AnswerReader::Row& row) {
                   std::array<std::string, kOpcodeTexts>& texts = opcodes_[Number32(row[0])];
                   for (size_t k = 0; k < kOpcodeTexts; ++k) texts[k] = Utf8Text(row[k + 1].text);
                 });
      ForEachRow(&servers[i], "SELECT id, file FROM source", 2,
                 [&](const AnswerReader::Row& row) { sources_[Number32(row[0])] = Utf8Text(row[1].text); });
    }
    ReadAhead();
  }

  std::vector<Column> Columns() const override {
    using enum DuckType;
    return {{"module", kVarchar},        {"build_id", kVarchar},     {"function", kVarchar},  {"address", kUbigint},
            {"bytes", kUtinyint},        {"mnemonic", kVarchar},     {"extension", kVarchar}, {"packing", kVarchar},
            {"memory", kVarchar},        {"operands", kVarchar},     {"branch", kVarchar},    {"count", kUbigint},
            {"samples", kUbigint},       {"block", kUbigint},        {"loop", kUinteger},     {"depth", kUinteger},
            {"prior_address", kUbigint}, {"next_address", kUbigint}, {"file", kVarchar},      {"line", kUinteger}};
  }

  bool Make(MadeRow* row) override {
    while (part_ == nullptr || next_row_ == part_->rows.size()) {
      if (!ahead_.valid()) return false;
      part_ = ahead_.get();
      next_row_ = 0;
      if (part_ == nullptr) return false;
      ReadAhead();
    }
    Put(part_->rows[next_row_++], row);
    return true;
  }

 private:
  void ReadAhead() {
    ahead_ = std::async(std::launch::async, [this] { return reader_.Next(); });
  }

  // 0 is none.
  static void PutName(const Names& names, uint32_t number, MadeRow* row) {
    if (number == 0) return row->PutNull();
    const auto found = names.find(number);
    if (found == names.end()) FailAsIncomplete();
    row->Put(std::string_view(found->second));
  }

  static void PutNumber(uint32_t number, MadeRow* row) {
    if (number == 0) return row->PutNull();
    row->Put(number);
  }

  static void PutNeighbour(uint64_t address, std::optional<int64_t> distance, MadeRow* row) {
    if (!distance.has_value()) return row->PutNull();
    row->Put(address + static_cast<uint64_t>(*distance));
  }

  void Put(const ExportedInstruction& from, MadeRow* row) const {
    const OpenModule& of = *part_->of;
    const ExportedBlock& block = of.blocks[from.block - 1];
    const auto opcode = opcodes_.find(from.opcode);
    if (opcode == opcodes_.end()) FailAsIncomplete();
    row->Put(std::string_view(of.module.name));
    row->Put(std::string_view(of.module.build_id));
    PutName(of.functions, from.function, row);
    row->Put(from.address);
    row->Put(from.bytes);
    for (const std::string& text : opcode->second) row->Put(std::string_view(text));
    row->Put(from.count);
    row->Put(from.samples);
    row->Put(block.start);
    PutNumber(block.loop, row);
    row->Put(from.depth);
    const bool is_first = from.address == block.start;
    const bool is_last = from.address - block.start + from.bytes == block.bytes;
    PutNeighbour(from.address, is_first ? block.prior : -int64_t{from.prior_bytes}, row);
    PutNeighbour(from.address, is_last ? block.next : int64_t{from.bytes}, row);
    PutName(sources_, from.source, row);
    // Line 0 is one, too, where there is a source file.
    if (from.source == 0) {
      row->PutNull();
    } else {
      row->Put(from.line);
    }
  }

  PartReader reader_;
  std::unordered_map<uint32_t, std::array<std::string, kOpcodeTexts>> opcodes_;
  Names sources_;
  std::unique_ptr<Part> part_;
  size_t next_row_ = 0;
  std::future<std::unique_ptr<Part>> ahead_;  // the last member: its thread uses the others
};

}  // namespace

void ExportFromServers(const ServerSet& servers, const std::string& file, uint64_t part_instructions) {
  CheckExportName(file);
  const Database memory("", OpenMode::kExportsMemory);
  const Connection connection(memory);
  ServerRows source(servers, part_instructions);
  const RegisteredRows rows(connection, "server_rows", &source);
  try {
    ExportRows(connection, "FROM server_rows()", file);
  } catch (const StatedFailure&) {
    if (rows.failure() != nullptr) std::rethrow_exception(rows.failure());
    throw;
  }
}

}  // namespace softlbr::toolchain
