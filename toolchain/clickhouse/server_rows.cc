#include "toolchain/clickhouse/server_rows.h"

#include <random>
#include <set>

#include "toolchain/db/flow/block_neighbours.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kMostPartBytes = size_t{32} << 20;  // of one INSERT
constexpr const char* kVersionedTables[] = {"function_rows", "block_rows", "loop_rows", "edge_rows",
                                            "instruction_rows"};

uint64_t NewVersion() {
  static std::random_device device;
  return uint64_t{device()} << 32 | device() | 1;
}

// Rows of one table, sent whenever they are many.
class RowSender {
 public:
  RowSender(ServerClient* client, std::string table) : client_(client), table_(std::move(table)) {}
  RowBinary& row() {
    if (rows_.size() >= kMostPartBytes) Send();
    return rows_;
  }
  void Send() {
    client_->Insert(table_, rows_);
    rows_.Clear();
  }

 private:
  ServerClient* client_;
  std::string table_;
  RowBinary rows_;
};

// Rows count from 1 in each binary; 0 is none.
uint32_t RowNumber(uint32_t index, uint32_t none) { return index == none ? 0 : index + 1; }

void PutEntry(RowBinary* rows, uint32_t id, const std::vector<std::string>& texts) {
  rows->Put(id);
  for (const std::string& text : texts) rows->Put(std::string_view(text));
}

void PutDistance(RowBinary* row, std::optional<int64_t> distance) {
  if (distance.has_value()) {
    row->PutPresent().Put(*distance);
  } else {
    row->PutNull();
  }
}

class ServerBinarySender {
 public:
  ServerBinarySender(ServerClient* client, uint64_t id, uint64_t version, const ServerBinaryFacts& facts,
                     const RecoveredBinary& from)
      : client_(client),
        id_(id),
        version_(version),
        facts_(facts),
        from_(from),
        code_(from.module()),
        flow_(from.flow) {}

  void SendFunctions() {
    RowSender sender(client_, "function_rows");
    for (uint32_t i = 0; i < flow_.functions.size(); ++i) {
      const FunctionSymbol& symbol = *flow_.functions[i];
      const std::string name = from_.symbolizer->FunctionName({0, symbol.start}).value_or(symbol.name);
      sender.row()
          .Put(version_)
          .Put(id_)
          .Put(i + 1)
          .Put(std::string_view(name))
          .Put(symbol.start)
          .Put(symbol.end - symbol.start);
      sender.row().Put(static_cast<uint8_t>(symbol.is_stub)).Put(from_.inline_depth[i]);
    }
    sender.Send();
  }

  void SendBlocks() {
    const std::vector<BlockNeighbours> neighbours = NeighboursOf(from_);
    RowSender sender(client_, "block_rows");
    for (uint32_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      RowBinary& row = sender.row();
      row.Put(version_)
          .Put(id_)
          .Put(i + 1)
          .Put(RowNumber(flow_.function_of_block[i], kNoFunction))
          .Put(block.start)
          .Put(block.bytes);
      row.Put(static_cast<uint32_t>(block.instructions)).Put(block.count).Put(block.samples);
      row.Put(std::string_view(EdgeKindName(block.end))).Put(RowNumber(flow_.loop_of[i], kNoLoop)).Put(DepthOf(i));
      PutDistance(&row, neighbours[i].prior);
      PutDistance(&row, neighbours[i].next);
    }
    sender.Send();
  }

  void SendLoops() {
    RowSender sender(client_, "loop_rows");
    for (uint32_t i = 0; i < flow_.loops.size(); ++i) {
      const FlowLoop& loop = flow_.loops[i];
      RowBinary& row = sender.row();
      row.Put(version_).Put(id_).Put(i + 1).Put(RowNumber(loop.function, kNoFunction)).Put(loop.header + 1);
      row.Put(RowNumber(loop.parent, kNoLoop)).Put(loop.depth).Put(static_cast<uint8_t>(loop.is_reducible));
    }
    sender.Send();
  }

  void SendEdges() {
    RowSender sender(client_, "edge_rows");
    const auto put = [&](uint64_t from, uint64_t to_module, uint64_t to, const std::string& kind, uint64_t count,
                         const char* explained) {
      sender.row()
          .Put(version_)
          .Put(id_)
          .Put(from)
          .Put(to_module)
          .Put(to)
          .Put(std::string_view(kind))
          .Put(count)
          .Put(std::string_view(explained));
    };
    for (size_t i = 0; i < from_.edges.size(); ++i) {
      const RecordedBranch& branch = from_.facts.branches[i];
      put(branch.from, facts_.modules[from_.facts.to_modules[i]], branch.to, EdgeKindName(from_.edges[i].kind),
          branch.count, from_.edges[i].explained);
    }
    size_t end = 0;  // behind the block's last instruction
    for (size_t i = 0; i < flow_.blocks.size(); ++i) {
      end += flow_.blocks[i].instructions;
      const ExecutedInstruction& last = code_.instructions[end - 1];
      const uint64_t next = last.address + last.bytes;
      const uint64_t count = from_.fall_through[end - 1];
      if (count == 0 || i + 1 == flow_.blocks.size() || flow_.blocks[i + 1].start != next) continue;
      put(last.address, id_, next, "fallthrough", count, "yes");
    }
    sender.Send();
  }

  void SendInstructions(const ServerDictionary& opcodes, const ServerDictionary& sources) {
    RowSender sender(client_, "instruction_rows");
    for (size_t i = 0; i < code_.instructions.size(); ++i) {
      const ExecutedInstruction& instruction = code_.instructions[i];
      const uint32_t block = flow_.block_of[i];
      const bool is_first = instruction.address == flow_.blocks[block].start;
      RowBinary& row = sender.row();
      row.Put(version_)
          .Put(id_)
          .Put(instruction.address)
          .Put(static_cast<uint8_t>(instruction.bytes))
          .Put(opcodes.Of(from_.opcode[i]));
      row.Put(RowNumber(flow_.function_of[i], kNoFunction))
          .Put(block + 1)
          .Put(RowNumber(flow_.loop_of[block], kNoLoop));
      row.Put(DepthOf(block)).Put(instruction.count).Put(instruction.samples);
      row.Put(is_first ? uint8_t{0} : static_cast<uint8_t>(code_.instructions[i - 1].bytes));
      row.Put(from_.source[i] != 0 ? sources.Of(from_.source[i]) : 0).Put(from_.line[i]);
    }
    sender.Send();
  }

 private:
  uint32_t DepthOf(uint32_t block) const {
    return flow_.loop_of[block] == kNoLoop ? 0 : flow_.loops[flow_.loop_of[block]].depth;
  }

  ServerClient* client_;
  uint64_t id_;
  uint64_t version_;
  const ServerBinaryFacts& facts_;
  const RecoveredBinary& from_;
  const ExecutedModule& code_;
  const BinaryFlow& flow_;
};

}  // namespace

ServerDictionary::ServerDictionary(const ServerSet& servers, std::string table, size_t texts)
    : servers_(servers), table_(std::move(table)) {
  std::vector<std::set<uint32_t>> ids(servers_.size());  // of each server
  for (size_t i = 0; i < servers_.size(); ++i) {
    AnswerReader reader(
        [&](const AnswerReader::Row& row) {
          std::vector<std::string> key;
          for (size_t k = 1; k <= texts; ++k) key.push_back(row[k].text);
          const auto id = static_cast<uint32_t>(row[0].Count());
          known_.emplace(std::move(key), id);
          used_.insert(id);
          ids[i].insert(id);
        },
        texts + 1);
    servers_[i].Ask("SELECT DISTINCT * FROM " + table_, &reader);
  }
  for (size_t i = 0; i < servers_.size(); ++i) {
    RowBinary missing;
    for (const auto& [key, id] : known_) {
      if (!ids[i].contains(id)) PutEntry(&missing, id, key);
    }
    servers_[i].Insert(table_, missing);
  }
}

void ServerDictionary::Add(const std::vector<Dictionary::Entry>& entries) {
  RowBinary rows;
  for (const auto& [dictionary_id, texts] : entries) {
    const auto known = known_.find(texts);
    if (known != known_.end()) {
      ids_[dictionary_id] = known->second;
      continue;
    }
    Sha256 hash;
    for (const std::string& text : texts) hash.Add(text + '\n');
    auto id = static_cast<uint32_t>(NumberOfHash(hash.Hex()));
    while (id == 0 || used_.contains(id)) ++id;
    used_.insert(id);
    known_.emplace(texts, id);
    ids_[dictionary_id] = id;
    PutEntry(&rows, id, texts);
  }
  for (size_t i = 0; i < servers_.size(); ++i) servers_[i].Insert(table_, rows);
}

uint64_t SendBinary(ServerClient* client, const ServerBinary& of, const ServerBinaryFacts& facts,
                    const RecoveredBinary& binary, const ServerDictionary& opcodes, const ServerDictionary& sources) {
  const uint64_t version = NewVersion();
  RowBinary begun;
  client->Insert("version_rows", begun.Put(of.id).Put(version));
  ServerBinarySender sender(client, of.id, version, facts, binary);
  sender.SendFunctions();
  sender.SendBlocks();
  sender.SendLoops();
  sender.SendEdges();
  sender.SendInstructions(opcodes, sources);
  RowBinary valid;
  valid.Put(of.id)
      .Put(version)
      .Put(of.uploads)
      .Put(binary.code.undecodable_ranges)
      .Put(std::string_view(binary.module().file->path()));
  client->Insert("recovered_rows", valid);
  return binary.module().instructions.size();
}

void DropOldVersions(ServerClient* client) {
  std::string old;
  AnswerReader reader(
      [&](const AnswerReader::Row& row) { old += (old.empty() ? "" : ",") + std::to_string(row[0].Count()); }, 1);
  client->Ask("SELECT DISTINCT version FROM version_rows WHERE version NOT IN (SELECT version FROM current_version)",
              &reader);
  if (old.empty()) return;
  for (const char* table : kVersionedTables)
    client->Run(std::string("ALTER TABLE ") + table + " DELETE WHERE version IN (" + old + ")");
  // Last: a version that is named here may still have rows.
  client->Run("ALTER TABLE version_rows DELETE WHERE version IN (" + old + ")");
}

}  // namespace softlbr::toolchain
