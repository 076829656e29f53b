// `softlbr mix`: the instructions that were executed, by mnemonic, extension, packing, memory access, branch kind, function or module.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "toolchain/binary/code_walker.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/commands/commands.h"
#include "toolchain/commands/executed_input.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/json_text.h"
#include "toolchain/host/names.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

// One kind of executed instruction, and what it can be counted by.
struct Executed {
  const InstructionKind& kind;
  softlbr_terminator_kind end;
  Location place;
};

struct Dimension {
  const char* name;
  std::string (*value)(const Executed&, Symbolizer*);
};

std::string FunctionOf(const Executed& executed, Symbolizer* symbolizer) {
  return symbolizer->FunctionName(executed.place).value_or("(no symbols)");
}

std::string BranchOf(const Executed& executed, Symbolizer*) {
  const std::string kind = BranchKindName(executed.end);
  return kind.empty() ? "none" : kind;
}

constexpr std::array<Dimension, 7> kDimensions{{
    {"mnemonic", [](const Executed& executed, Symbolizer*) { return executed.kind.mnemonic; }},
    {"extension", [](const Executed& executed, Symbolizer*) { return executed.kind.extension; }},
    {"packing", [](const Executed& executed, Symbolizer*) { return executed.kind.packing; }},
    {"memory", [](const Executed& executed, Symbolizer*) { return executed.kind.memory; }},
    {"branch", BranchOf},
    {"function", FunctionOf},
    {"module", [](const Executed& executed, Symbolizer* symbolizer) { return symbolizer->ModuleLabel(executed.place.module); }},
}};

const Dimension& DimensionNamed(const std::string& name) {
  for (const Dimension& dimension : kDimensions) {
    if (name == dimension.name) return dimension;
  }
  throw UsageFailure("mix: " + SafeText(name) + " is nothing to count by; --by takes one or two of " + MixDimensions());
}

// A value of each dimension asked for, and the instructions executed. Values are safe for a terminal: names are as the symbolizer has them.
struct MixRow {
  std::vector<std::string> values;
  uint64_t instructions = 0;
};

struct Mix {
  std::vector<const Dimension*> dimensions;
  std::vector<MixRow> rows;  // most instructions first
};

std::vector<Mix> Count(const ExecutedInput& input, const std::vector<std::vector<const Dimension*>>& wanted, uint64_t* total) {
  std::vector<std::map<std::vector<std::string>, uint64_t>> sums(wanted.size());
  std::map<uint16_t, std::unique_ptr<InstructionKinds>> kinds;
  for (const ExecutedModule& module : input.code.modules) {
    std::unique_ptr<InstructionKinds>& of_machine = kinds[module.file->machine()];
    if (of_machine == nullptr) of_machine = std::make_unique<InstructionKinds>(module.file->machine());
    for (const ExecutedInstruction& instruction : module.instructions) {
      const std::span<const uint8_t> code = module.file->CodeAt(instruction.address, instruction.bytes);
      const InstructionKind kind = of_machine->Of(code, instruction.address);
      const Executed executed{kind, instruction.end, {module.module, instruction.address}};
      *total = SaturatingAdd(*total, instruction.count);
      for (size_t i = 0; i < wanted.size(); ++i) {
        std::vector<std::string> values;
        for (const Dimension* dimension : wanted[i]) values.push_back(dimension->value(executed, input.symbolizer.get()));
        uint64_t& sum = sums[i][values];
        sum = SaturatingAdd(sum, instruction.count);
      }
    }
  }
  std::vector<Mix> mixes;
  for (size_t i = 0; i < wanted.size(); ++i) {
    mixes.push_back({wanted[i], {}});
    for (auto& [values, sum] : sums[i]) mixes.back().rows.push_back({values, sum});
    std::stable_sort(mixes.back().rows.begin(), mixes.back().rows.end(),
                     [](const MixRow& a, const MixRow& b) { return a.instructions > b.instructions; });
  }
  return mixes;
}

double PartOf(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

Json MixJson(const Mix& mix, uint64_t total, size_t top) {
  Json by = Json::array();
  for (const Dimension* dimension : mix.dimensions) by.push_back(dimension->name);
  Json rows = Json::array();
  for (size_t i = 0; i < std::min(top, mix.rows.size()); ++i) {
    Json row;
    for (size_t d = 0; d < mix.dimensions.size(); ++d) row[mix.dimensions[d]->name] = mix.rows[i].values[d];
    row["instructions"] = mix.rows[i].instructions;
    row["share"] = PartOf(mix.rows[i].instructions, total);
    rows.push_back(std::move(row));
  }
  return Json{{"by", by}, {"rows", rows}};
}

void PrintCsv(const Mix& mix, uint64_t total, std::ostream& out) {
  for (const Dimension* dimension : mix.dimensions) out << dimension->name << ',';
  out << "instructions,share\r\n";
  for (const MixRow& row : mix.rows) {
    for (const std::string& value : row.values) out << CsvField(value) << ',';
    out << row.instructions << ',' << PartOf(row.instructions, total) << "\r\n";
  }
}

void PrintMix(const Mix& mix, uint64_t total, size_t top, std::ostream& out) {
  std::vector<TextTable::Column> columns = {{"share", Align::kRight}, {"instructions", Align::kRight}};
  for (const Dimension* dimension : mix.dimensions) columns.push_back({dimension->name, Align::kLeft});
  TextTable table(columns);
  const size_t shown = std::min(top, mix.rows.size());
  for (size_t i = 0; i < shown; ++i) {
    std::vector<std::string> entries = {Share(mix.rows[i].instructions, total), GroupedCount(mix.rows[i].instructions)};
    for (const std::string& value : mix.rows[i].values) entries.push_back(ShortenOnTerminal(value, 60));
    table.AddRow(std::move(entries));
  }
  out << '\n';
  table.Print(out);
  if (mix.rows.size() > shown) out << "  and " << GroupedCount(mix.rows.size() - shown) << " more\n";
}

}  // namespace

std::string MixDimensions() {
  std::string names;
  for (const Dimension& dimension : kDimensions) names += (names.empty() ? "" : ", ") + std::string(dimension.name);
  return names;
}

int RunMix(const MixOptions& options, std::ostream& out) {
  std::vector<std::vector<const Dimension*>> wanted;
  if (options.by.size() > 2) throw UsageFailure("mix: --by takes one or two of " + MixDimensions());
  if (!options.by.empty()) {
    wanted.emplace_back();
    for (const std::string& name : options.by) wanted.back().push_back(&DimensionNamed(name));
    if (wanted[0].size() == 2 && !options.csv) {  // the totals of rows and columns
      wanted.push_back({wanted[0][0]});
      wanted.push_back({wanted[0][1]});
    }
  } else if (options.csv) {
    throw UsageFailure("mix: --csv writes one table; say with --by which: " + MixDimensions());
  } else {
    for (const char* name : {"mnemonic", "extension", "packing", "memory", "branch"}) wanted.push_back({&DimensionNamed(name)});
  }
  const ExecutedInput input(options.profile, options.binaries);
  uint64_t total = 0;
  const std::vector<Mix> mixes = Count(input, wanted, &total);
  if (options.csv) {
    PrintCsv(mixes[0], total, out);
    return input.profile.missing_code.empty() ? 0 : kExitFailure;
  }
  if (options.json) {
    Json tables = Json::array();
    for (const Mix& mix : mixes) tables.push_back(MixJson(mix, total, options.top));
    out << JsonText(Json{{"executed_instructions", total},
                         {"modules_not_read", input.UnreadNames()},
                         {"undecodable_ranges", input.code.undecodable_ranges},
                         {"tables", tables}})
        << '\n';
    return input.profile.missing_code.empty() ? 0 : kExitFailure;
  }
  out << GroupedCount(total) << " executed instructions\n";
  for (const Mix& mix : mixes) PrintMix(mix, total, options.top, out);
  return input.profile.missing_code.empty() ? 0 : kExitFailure;
}

}  // namespace softlbr::toolchain
