#include "toolchain/clickhouse/server_facts.h"

#include <algorithm>
#include <charconv>

#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/code/block_counts.h"
#include "toolchain/db/store/schema.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

// Sums are of 128 bits on the server, and saturate as in every other command.
constexpr char kSum[] = "sum(toDecimal128(n, 0))";

uint64_t SaturatedCount(const AnswerField& field) {
  uint64_t count = 0;
  const auto end = std::from_chars(field.text.data(), field.text.data() + field.text.size(), count);
  if (end.ec == std::errc::result_out_of_range) return ~uint64_t{0};
  return field.Count();
}

uint64_t OneCount(const std::vector<AnswerReader::Row>& rows) {
  if (rows.size() != 1)
    throw ServerFailure("db: the server answers a count with several rows, or none; is it a ClickHouse server?");
  return rows[0][0].Count();
}

std::string Numbers(const std::set<uint64_t>& numbers) {
  std::string text;
  for (const uint64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

}  // namespace

FactBatch::FactBatch(const ServerSet& servers)
    : servers_(servers), rows_(servers.size()), known_modules_(servers.size()) {
  for (size_t i = 0; i < servers.size(); ++i) {
    AnswerReader reader([&](const AnswerReader::Row& row) { known_modules_[i].insert(row[0].Count()); }, 1);
    servers[i].Ask("SELECT DISTINCT id FROM module_rows", &reader);
  }
}

bool FactBatch::HasUpload(const std::string& sha256) const {
  const uint64_t id = NumberOfHash(sha256);
  if (uploads_.contains(id)) return true;
  for (size_t i = 0; i < servers_.size(); ++i) {
    const auto rows = servers_[i].AskAll("SELECT count() FROM upload_rows WHERE id = " + std::to_string(id), 1);
    if (OneCount(rows) == 0) return false;
  }
  return true;
}

uint64_t FactBatch::KnownSessions(const Profile& profile, const std::string& sha256) const {
  std::set<uint64_t> asked;
  uint64_t known = 0;
  for (const ProfileSession& session : profile.sessions) {
    if (sessions_.contains(session.session_id)) {
      ++known;
    } else {
      asked.insert(session.session_id);
    }
  }
  if (asked.empty()) return known;
  const auto rows = servers_[0].AskAll("SELECT uniqExact(id) FROM session_rows WHERE id IN (" + Numbers(asked) +
                                           ") AND upload <> " + std::to_string(NumberOfHash(sha256)),
                                       1);
  return known + OneCount(rows);
}

void FactBatch::Add(const Profile& profile, const std::string& name, const FileHash& hash) {
  const uint64_t upload = NumberOfHash(hash.sha256);
  std::vector<ServerModule> modules;
  std::vector<bool> has_ranges(profile.modules.size());
  for (const ProfileModule& module : profile.modules) modules.push_back(ServerModuleOf(module, servers_.size()));
  const auto of = [&](uint32_t module) { return module < modules.size() ? modules[module] : ServerModule{}; };
  for (const RangeCount& range : profile.ranges) {
    if (range.module >= modules.size()) continue;
    has_ranges[range.module] = true;
    rows_[of(range.module).server]["range_rows"]
        .Put(of(range.module).id)
        .Put(upload)
        .Put(range.first)
        .Put(range.last)
        .Put(range.count);
  }
  uint64_t taken = 0;
  // branches from elsewhere, by server, module and target
  std::map<std::tuple<size_t, uint64_t, uint64_t>, uint64_t> entries;
  for (const BranchCount& branch : profile.branches) {
    const ServerModule from = of(branch.from.module);
    const ServerModule to = of(branch.to.module);
    taken = SaturatingAdd(taken, branch.count);
    rows_[from.server]["branch_rows"]
        .Put(from.id)
        .Put(upload)
        .Put(branch.from.address)
        .Put(to.id)
        .Put(branch.to.address)
        .Put(branch.count);
    if (to.id == 0 || to.id == from.id) continue;
    uint64_t& count = entries[{to.server, to.id, branch.to.address}];
    count = SaturatingAdd(count, branch.count);
  }
  for (const auto& [key, count] : entries) {
    rows_[std::get<0>(key)]["entry_rows"].Put(std::get<1>(key)).Put(upload).Put(std::get<2>(key)).Put(count);
  }
  for (const SampleCount& sample : profile.samples) {
    const ServerModule module = of(sample.pc.module);
    rows_[module.server]["sample_rows"].Put(module.id).Put(upload).Put(sample.pc.address).Put(sample.count);
  }
  const auto by_instructions = static_cast<uint8_t>(AreSamplesByInstructions(profile));
  for (size_t i = 0; i < modules.size(); ++i) {
    const ProfileModule& module = profile.modules[i];
    std::map<std::string, RowBinary>& rows = rows_[modules[i].server];
    rows["module_upload_rows"]
        .Put(modules[i].id)
        .Put(upload)
        .Put(static_cast<uint8_t>(has_ranges[i]))
        .Put(by_instructions);
    if (!known_modules_[modules[i].server].insert(modules[i].id).second) continue;
    rows["module_rows"]
        .Put(modules[i].id)
        .Put(std::string_view(BaseName(module.name)))
        .Put(std::string_view(HexBytes(module.build_id)));
    rows["module_rows"].Put(module.machine).Put(module.elf_type).Put(static_cast<uint8_t>(module.is_main));
    rows["module_rows"].Put(std::string_view(SegmentsText(module.segments)));
  }
  for (const ProfileSession& session : profile.sessions) {
    rows_[0]["session_rows"].Put(session.session_id).Put(upload).Put(std::string_view(session.program));
    sessions_.insert(session.session_id);
  }
  for (std::map<std::string, RowBinary>& rows : rows_) {
    rows["upload_rows"]
        .Put(upload)
        .Put(std::string_view(name))
        .Put(std::string_view(hash.sha256))
        .Put(hash.bytes)
        .Put(taken);
  }
  uploads_.insert(upload);
  bytes_ = 0;
  for (const auto& rows : rows_) {
    for (const auto& [table, of_table] : rows) bytes_ += of_table.size();
  }
  if (bytes_ >= kMostBatchBytes || uploads_.size() >= kMostUploads) Send();
}

void FactBatch::Send() {
  if (uploads_.empty()) return;
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (const auto& [table, rows] : rows_[i]) {
      if (table != "upload_rows" && table != "session_rows") servers_[i].Insert(table, rows);
    }
  }
  // Sessions first: without its upload a session has no effect, except that other uploads may not contain it.
  servers_[0].Insert("session_rows", rows_[0]["session_rows"]);
  for (size_t i = 0; i < rows_.size(); ++i) servers_[i].Insert("upload_rows", rows_[i]["upload_rows"]);
  for (auto& rows : rows_) rows.clear();
  uploads_.clear();
  sessions_.clear();
}

std::vector<ServerBinary> PendingBinaries(ServerClient* client) {
  std::map<uint64_t, uint64_t> recovered;
  AnswerReader done([&](const AnswerReader::Row& row) { recovered[row[0].Count()] = row[1].Count(); }, 2);
  client->Ask("SELECT module, max(uploads) FROM recovered_rows GROUP BY module", &done);
  std::vector<ServerBinary> pending;
  AnswerReader reader(
      [&](const AnswerReader::Row& row) {
        const auto it = recovered.find(row[0].Count());
        if (it != recovered.end() && it->second == row[1].Count()) return;
        pending.push_back({row[0].Count(), row[1].Count(),
                           SafeText(row[2].text) +
                               (row[3].text.empty() ? " (no build id)" : " (build id " + SafeText(row[3].text) + ")")});
      },
      4);
  client->Ask(
      "SELECT id, uploads, name, build_id FROM (SELECT module AS id, uniqExact(upload) AS uploads FROM "
      "module_upload_rows"
      " WHERE upload IN (SELECT id FROM upload_rows) GROUP BY id HAVING max(has_ranges) = 1)"
      " ALL INNER JOIN (SELECT id, any(name) AS name, any(build_id) AS build_id FROM module_rows GROUP BY id) USING "
      "(id) ORDER BY "
      "id",
      &reader);
  return pending;
}

ServerBinaryFacts LoadServerFacts(ServerClient* client, uint64_t binary) {
  ServerBinaryFacts loaded;
  BinaryFacts& facts = loaded.facts;
  facts.binary = 1;
  loaded.modules.push_back(binary);
  std::map<uint64_t, uint32_t> number_of{{0, kNoBinary}, {binary, 1}};
  const std::string of = " = " + std::to_string(binary);
  AnswerReader modules(
      [&](const AnswerReader::Row& row) {
        ProfileModule module;
        module.name = row[0].text;
        for (size_t i = 0; i + 1 < row[1].text.size(); i += 2) {
          uint8_t byte = 0;
          std::from_chars(row[1].text.data() + i, row[1].text.data() + i + 2, byte, 16);
          module.build_id.push_back(byte);
        }
        module.machine = static_cast<uint16_t>(row[2].Count());
        module.elf_type = static_cast<uint16_t>(row[3].Count());
        module.segments = SegmentsOf(row[4].text);
        facts.profile.modules = {module};
      },
      5);
  client->Ask("SELECT name, build_id, machine, elf_type, segments FROM module_rows WHERE id" + of + " LIMIT 1",
              &modules);
  if (facts.profile.modules.empty())
    throw ServerFailure("db: a binary is missing in its table; ingest the profiles into new databases");
  // Rows of one upload that were sent twice are one row.
  const auto sums = [&](const std::string& columns, const std::string& table, const std::string& key,
                        AnswerReader* reader) {
    client->Ask("SELECT " + columns + ", " + kSum + " AS total FROM (SELECT upload, " + columns +
                    ", any(count) AS n FROM " + table + " WHERE " + key + of +
                    " AND upload IN (SELECT id FROM upload_rows) GROUP BY upload, " + columns + ") GROUP BY " +
                    columns + " ORDER BY " + columns,
                reader);
  };
  AnswerReader ranges(
      [&](const AnswerReader::Row& row) {
        facts.profile.ranges.push_back({0, row[0].Count(), row[1].Count(), SaturatedCount(row[2])});
        facts.ended.emplace_back(row[1].Count(), SaturatedCount(row[2]));
      },
      3);
  sums("first, last", "range_rows", "module", &ranges);
  AddEqualEnds(&facts.ended);
  AnswerReader samples(
      [&](const AnswerReader::Row& row) {
        facts.profile.samples.push_back({{0, row[0].Count()}, SaturatedCount(row[1])});
      },
      2);
  sums("address", "sample_rows", "module", &samples);
  AnswerReader out(
      [&](const AnswerReader::Row& row) {
        const auto [it, is_new] = number_of.try_emplace(row[2].Count(), static_cast<uint32_t>(loaded.modules.size()));
        if (is_new) loaded.modules.push_back(row[2].Count());
        const bool is_inside = it->second == facts.binary;
        facts.branches.push_back({row[0].Count(), row[1].Count(), is_inside, SaturatedCount(row[3])});
        facts.to_modules.push_back(it->second);
        if (is_inside) facts.profile.branches.push_back({{}, {0, row[1].Count()}, SaturatedCount(row[3])});
      },
      4);
  sums("from_address, to_address, to_module", "branch_rows", "from_module", &out);
  AnswerReader in(
      [&](const AnswerReader::Row& row) {
        facts.profile.branches.push_back({{}, {0, row[0].Count()}, SaturatedCount(row[1])});
      },
      2);
  sums("address", "entry_rows", "module", &in);
  const auto others = client->AskAll("SELECT count() FROM module_upload_rows WHERE by_instructions = 0 AND module" +
                                         of + " AND upload IN (SELECT id FROM upload_rows)",
                                     1);
  if (OneCount(others) == 0) facts.profile.sessions = {InstructionSession()};
  return loaded;
}

}  // namespace softlbr::toolchain
