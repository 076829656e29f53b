#include "toolchain/db/flow/binary_facts.h"

#include <algorithm>
#include <sstream>

#include "platform/base/sample_event.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/db/store/schema.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {
namespace {

// Sums saturate, as in every other command.
constexpr char kSum[] = "least(sum(count), 18446744073709551615)::UBIGINT";

// Into an empty profile.
void LoadModule(const Connection& connection, uint32_t binary, Profile* profile) {
  Statement select(connection,
                   "SELECT coalesce(file, name), build_id, machine, elf_type, segments, "
                   "by_instructions::UTINYINT::UBIGINT FROM module"
                   " WHERE id = $1");
  Rows rows = select.Bind(uint64_t{binary}).Execute();
  if (!rows.Next())
    throw StatedFailure("db: a binary is missing in its table; ingest the profiles into a new database");
  ProfileModule module;
  module.name = rows.Text(0);
  const std::string id(rows.Text(1));
  for (size_t i = 0; i + 1 < id.size(); i += 2)
    module.build_id.push_back(static_cast<uint8_t>(std::stoul(id.substr(i, 2), nullptr, 16)));
  module.machine = static_cast<uint16_t>(rows.Count(2));
  module.elf_type = static_cast<uint16_t>(rows.Count(3));
  module.segments = SegmentsOf(rows.Text(4));
  profile->modules = {module};
  if (rows.Count(5) != 0) profile->sessions = {InstructionSession()};
}

uint64_t RowsOf(const Connection& connection, uint32_t binary, const std::string& table, const std::string& column) {
  Statement count(connection, "SELECT count(*)::UBIGINT FROM " + table + " WHERE " + column + " = $1");
  Rows rows = count.Bind(uint64_t{binary}).Execute();
  return rows.Next() ? rows.Count(0) : 0;
}

void DeleteRows(const Connection& connection, uint32_t binary, const std::string& table, const std::string& column) {
  Statement(connection, "DELETE FROM " + table + " WHERE " + column + " = $1").Bind(uint64_t{binary}).Execute();
}

}  // namespace

ProfileSession InstructionSession() {
  ProfileSession session{};
  session.event = static_cast<uint8_t>(platform::SampleEvent::kInstructions);
  return session;
}

void AddEqualEnds(std::vector<std::pair<uint64_t, uint64_t>>* ended) {
  std::sort(ended->begin(), ended->end());
  size_t kept = 0;
  for (const auto& [address, count] : *ended) {
    if (kept != 0 && (*ended)[kept - 1].first == address) {
      (*ended)[kept - 1].second = SaturatingAdd((*ended)[kept - 1].second, count);
    } else {
      (*ended)[kept++] = {address, count};
    }
  }
  ended->resize(kept);
}

BinaryFacts LoadFacts(const Connection& connection, uint32_t binary) {
  BinaryFacts facts;
  facts.binary = binary;
  LoadModule(connection, binary, &facts.profile);
  const auto sums = [&](const std::string& columns, const std::string& table, const std::string& where) {
    Statement select(connection, "SELECT " + columns + ", " + kSum + " FROM " + table + " WHERE " + where +
                                     " = $1 GROUP BY ALL ORDER BY ALL");
    return select.Bind(uint64_t{binary}).Execute();
  };
  Rows ranges = sums("first, last", "range_count", "module");
  while (ranges.Next()) {
    facts.profile.ranges.push_back({0, ranges.Count(0), ranges.Count(1), ranges.Count(2)});
    facts.ended.emplace_back(ranges.Count(1), ranges.Count(2));
  }
  AddEqualEnds(&facts.ended);
  Rows samples = sums("address", "sample_count", "module");
  while (samples.Next()) facts.profile.samples.push_back({{0, samples.Count(0)}, samples.Count(1)});
  Rows out = sums("from_address, to_address, to_module", "branch_count", "from_module");
  while (out.Next()) {
    const auto to_module = static_cast<uint32_t>(out.Count(2));
    facts.branches.push_back({out.Count(0), out.Count(1), to_module == binary, out.Count(3)});
    facts.to_modules.push_back(to_module);
    if (to_module == binary) facts.profile.branches.push_back({{}, {0, out.Count(1)}, out.Count(3)});
  }
  Rows in = sums("to_address", "branch_count", "from_module <> $1 AND to_module");
  while (in.Next()) facts.profile.branches.push_back({{}, {0, in.Count(0)}, in.Count(1)});
  return facts;
}

void CompactFacts(const Connection& connection, const BinaryFacts& facts) {
  const uint32_t binary = facts.binary;
  if (RowsOf(connection, binary, "range_count", "module") > facts.profile.ranges.size()) {
    DeleteRows(connection, binary, "range_count", "module");
    TableWriter writer(connection, "range_count", ColumnsOf("range_count"));
    for (const RangeCount& range : facts.profile.ranges)
      writer.Put(binary).Put(range.first).Put(range.last).Put(range.count).EndRow();
    writer.Close();
  }
  DeleteRows(connection, binary, "new_branch", "from_module");
  if (RowsOf(connection, binary, "sample_count", "module") > facts.profile.samples.size()) {
    DeleteRows(connection, binary, "sample_count", "module");
    TableWriter writer(connection, "sample_count", ColumnsOf("sample_count"));
    for (const SampleCount& sample : facts.profile.samples)
      writer.Put(binary).Put(sample.pc.address).Put(sample.count).EndRow();
    writer.Close();
  }
}

std::string SegmentsText(const std::vector<Segment>& segments) {
  std::ostringstream text;
  for (const Segment& segment : segments) {
    text << segment.vaddr << ' ' << segment.file_offset << ' ' << segment.file_bytes << ' ' << segment.memory_bytes
         << ' ' << segment.flags << '\n';
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

}  // namespace softlbr::toolchain
