// `softlbr mix`: the instructions that were executed, by what they are, where they are, and who executed them: a pivot
// table.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/code/executor_counts.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/code/mnemonic_groups.h"
#include "toolchain/code/source_lines.h"
#include "toolchain/commands/commands.h"
#include "toolchain/commands/executed_input.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

// An executed instruction, and what it can be counted by.
struct Executed {
  const InstructionKind& kind;
  softlbr_terminator_kind end;
  Location place;
  uint64_t block = 0;                  // where its basic block begins
  ExecutorCounts::Part executor = {};  // if counts are divided by process or thread
};

// What the values of some dimensions are taken from; made only for those that are asked for.
struct Sources {
  const ExecutedInput& input;
  std::unique_ptr<MnemonicGroups> groups = nullptr;
  std::unique_ptr<ExecutorCounts> executors = nullptr;
  std::map<uint32_t, std::vector<LineRow>> lines = {};  // of modules

  Symbolizer* symbolizer() { return input.symbolizer.get(); }
};

struct Dimension {
  const char* name;
  std::string (*value)(const Executed&, Sources*);
};

std::string FunctionOf(const Executed& executed, Sources* sources) {
  return sources->symbolizer()->FunctionName(executed.place).value_or("(no symbols)");
}

std::string BranchOf(const Executed& executed, Sources*) {
  const std::string kind = BranchKindName(executed.end);
  return kind.empty() ? "none" : kind;
}

std::string BlockOf(const Executed& executed, Sources* sources) {
  return sources->symbolizer()->ModuleLabel(executed.place.module) + "+" + Hex(executed.block);
}

std::string LineOf(const Executed& executed, Sources* sources) {
  const auto [lines, is_new] = sources->lines.try_emplace(executed.place.module);
  if (is_new) lines->second = SourceLines(sources->input.LinesFile(executed.place.module)).Rows();
  const auto behind = std::upper_bound(lines->second.begin(), lines->second.end(), executed.place.address,
                                       [](uint64_t address, const LineRow& row) { return address < row.address; });
  if (behind == lines->second.begin() || std::prev(behind)->is_end) return "(no line)";
  return SafeText(std::prev(behind)->file) + ":" + std::to_string(std::prev(behind)->line);
}

std::string ThreadOf(const Executed& executed, Sources*) {
  return executed.executor.thread.has_value() ? std::to_string(*executed.executor.thread) : "(in no whole trace)";
}

std::string ProcessOf(const Executed& executed, Sources*) { return executed.executor.process.value_or("(not known)"); }

constexpr std::array<Dimension, 13> kDimensions{{
    {"mnemonic", [](const Executed& executed, Sources*) { return executed.kind.mnemonic; }},
    {"extension", [](const Executed& executed, Sources*) { return executed.kind.extension; }},
    {"packing", [](const Executed& executed, Sources*) { return executed.kind.packing; }},
    {"memory", [](const Executed& executed, Sources*) { return executed.kind.memory; }},
    {"operands", [](const Executed& executed, Sources*) { return executed.kind.operands; }},
    {"branch", BranchOf},
    {"function", FunctionOf},
    {"module", [](const Executed& executed,
                  Sources* sources) { return sources->symbolizer()->ModuleLabel(executed.place.module); }},
    {"block", BlockOf},
    {"line", LineOf},
    {"thread", ThreadOf},
    {"process", ProcessOf},
    {"group", [](const Executed& executed, Sources* sources) { return sources->groups->Of(executed.kind.mnemonic); }},
}};

const Dimension& DimensionNamed(const std::string& name) {
  for (const Dimension& dimension : kDimensions) {
    if (name == dimension.name) return dimension;
  }
  throw UsageFailure("mix: " + SafeText(name) + " is nothing to count by; --by takes any of " + MixDimensions());
}

// A value of each dimension asked for, and the instructions executed. Values are safe for a terminal: names are as the
// symbolizer has them.
struct MixRow {
  std::vector<std::string> values;
  uint64_t instructions = 0;
};

struct Mix {
  std::vector<const Dimension*> dimensions;
  std::vector<MixRow> rows;  // most instructions first
};

bool IsWanted(const std::vector<std::vector<const Dimension*>>& wanted, const std::string& name) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const auto& dimensions) {
    return std::any_of(dimensions.begin(), dimensions.end(), [&](const Dimension* one) { return name == one->name; });
  });
}

// Sums of executed instructions by the dimensions of each table.
class MixCounter {
 public:
  MixCounter(Sources* sources, const std::vector<std::vector<const Dimension*>>& wanted)
      : sources_(*sources), wanted_(wanted), sums_(wanted.size()) {}

  uint64_t total() const { return total_; }

  void AddModule(const ExecutedModule& module) {
    std::unique_ptr<InstructionKinds>& of_machine = kinds_[module.file->machine()];
    if (of_machine == nullptr) of_machine = std::make_unique<InstructionKinds>(module.file->machine());
    size_t next = 0;
    for (const BasicBlock& block : BasicBlocks(module)) {
      for (uint64_t i = 0; i < block.instructions; ++i, ++next) {
        const ExecutedInstruction& instruction = module.instructions[next];
        const std::span<const uint8_t> code = module.file->CodeAt(instruction.address, instruction.bytes);
        const InstructionKind kind = of_machine->Of(code, instruction.address);
        AddInstruction({kind, instruction.end, {module.module, instruction.address}, block.start}, instruction);
      }
    }
  }

  std::vector<Mix> Take() {
    std::vector<Mix> mixes;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      mixes.push_back({wanted_[i], {}});
      for (auto& [values, sum] : sums_[i]) mixes.back().rows.push_back({values, sum});
      std::stable_sort(mixes.back().rows.begin(), mixes.back().rows.end(),
                       [](const MixRow& a, const MixRow& b) { return a.instructions > b.instructions; });
    }
    return mixes;
  }

 private:
  void AddInstruction(Executed executed, const ExecutedInstruction& instruction) {
    total_ = SaturatingAdd(total_, instruction.count);
    if (sources_.executors == nullptr) return Add(executed, instruction.count);
    for (const ExecutorCounts::Part& part : sources_.executors->Divide(executed.place.module, instruction)) {
      if (part.count == 0) continue;
      executed.executor = part;
      Add(executed, part.count);
    }
  }

  void Add(const Executed& executed, uint64_t count) {
    for (size_t i = 0; i < wanted_.size(); ++i) {
      std::vector<std::string> values;
      for (const Dimension* dimension : wanted_[i]) values.push_back(dimension->value(executed, &sources_));
      uint64_t& sum = sums_[i][values];
      sum = SaturatingAdd(sum, count);
    }
  }

  Sources& sources_;
  const std::vector<std::vector<const Dimension*>>& wanted_;
  std::vector<std::map<std::vector<std::string>, uint64_t>> sums_;
  std::map<uint16_t, std::unique_ptr<InstructionKinds>> kinds_;
  uint64_t total_ = 0;
};

double PartOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

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

// The tables that are asked for: each a list of dimensions.
std::vector<std::vector<const Dimension*>> WantedTables(const MixOptions& options) {
  std::vector<std::vector<const Dimension*>> wanted;
  if (options.by.empty()) {
    if (options.csv) throw UsageFailure("mix: --csv writes one table; say with --by which: " + MixDimensions());
    for (const char* name : {"mnemonic", "extension", "packing", "memory", "branch"})
      wanted.push_back({&DimensionNamed(name)});
    if (!options.groups.empty()) wanted.push_back({&DimensionNamed("group")});
    return wanted;
  }
  wanted.emplace_back();
  for (const std::string& name : options.by) {
    const Dimension* dimension = &DimensionNamed(name);
    if (std::find(wanted[0].begin(), wanted[0].end(), dimension) != wanted[0].end()) {
      throw UsageFailure("mix: --by names " + name + " twice; once is enough");
    }
    wanted[0].push_back(dimension);
  }
  if (wanted[0].size() > 1 && !options.csv) {  // the totals of each
    for (size_t i = 0; i < options.by.size(); ++i) wanted.push_back({wanted[0][i]});
  }
  const bool is_grouped = IsWanted(wanted, "group");
  if (is_grouped && options.groups.empty()) {
    throw UsageFailure("mix: --by group needs --groups with a file of lines `group: mnemonic, mnemonic`");
  }
  if (!is_grouped && !options.groups.empty())
    throw UsageFailure("mix: --groups has no effect without group in --by; add it there");
  return wanted;
}

}  // namespace

std::string MixDimensions() {
  std::string names;
  for (const Dimension& dimension : kDimensions) names += (names.empty() ? "" : ", ") + std::string(dimension.name);
  return names;
}

int RunMix(const MixOptions& options, std::ostream& out) {
  const std::vector<std::vector<const Dimension*>> wanted = WantedTables(options);
  std::unique_ptr<MnemonicGroups> groups;
  if (!options.groups.empty()) groups = std::make_unique<MnemonicGroups>(options.groups);
  const ExecutedInput input(options.profiles, options.binaries);
  Sources sources{input, std::move(groups)};
  const ExecutorCounts::Wanted executors{IsWanted(wanted, "process"), IsWanted(wanted, "thread")};
  if (executors.processes || executors.threads) {
    sources.executors =
        std::make_unique<ExecutorCounts>(input.profile, options.profiles, executors, input.symbolizer.get());
  }
  MixCounter counter(&sources, wanted);
  for (const ExecutedModule& module : input.code.modules) counter.AddModule(module);
  const std::vector<Mix> mixes = counter.Take();
  const uint64_t total = counter.total();
  if (options.csv) {
    PrintCsv(mixes[0], total, out);
    return 0;
  }
  if (options.json) {
    Json tables = Json::array();
    for (const Mix& mix : mixes) tables.push_back(MixJson(mix, total, options.top));
    out << JsonText(Json{{"executed_instructions", total},
                         {"modules_not_read", input.UnreadNames()},
                         {"undecodable_ranges", input.code.undecodable_ranges},
                         {"tables", tables}})
        << '\n';
    return 0;
  }
  out << GroupedCount(total) << " executed instructions\n";
  for (const Mix& mix : mixes) PrintMix(mix, total, options.top, out);
  return 0;
}

}  // namespace softlbr::toolchain
