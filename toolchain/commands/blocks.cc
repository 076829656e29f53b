// `softlbr blocks`: how often each basic block was executed, by two methods.
//
// From branch records: the ranges that pass through the block. From samples: a block of twice the instructions is met twice as often,
// so its samples are divided by its instructions, and scaled so that both methods count as many executed instructions in all.
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "toolchain/binary/code_walker.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/code/source_lines.h"
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

struct BlockRow {
  uint32_t module = kNoModule;
  BasicBlock block;
};

struct BlockTable {
  std::vector<BlockRow> rows;  // by executed instructions, most first
  uint64_t executed_instructions = 0;
  uint64_t samples = 0;
};

uint64_t InstructionsOf(const BasicBlock& block) { return SaturatingMultiply(block.executions, block.instructions); }

BlockTable BuildTable(const ExecutedCode& code) {
  BlockTable table;
  for (const ExecutedModule& module : code.modules) {
    for (const BasicBlock& block : BasicBlocks(module)) {
      table.rows.push_back({module.module, block});
      table.executed_instructions = SaturatingAdd(table.executed_instructions, InstructionsOf(block));
      table.samples = SaturatingAdd(table.samples, block.samples);
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const BlockRow& a, const BlockRow& b) { return InstructionsOf(a.block) > InstructionsOf(b.block); });
  return table;
}

// Executions by samples; 0 without any.
double ExecutionsBySamples(const BlockTable& table, const BasicBlock& block) {
  if (table.samples == 0) return 0;
  const double instructions_per_sample = static_cast<double>(table.executed_instructions) / static_cast<double>(table.samples);
  return static_cast<double>(block.samples) * instructions_per_sample / static_cast<double>(block.instructions);
}

// Finds the source lines of blocks, module by module.
class LineFinder {
 public:
  LineFinder(const ExecutedInput& input, bool is_wanted) : input_(input), is_wanted_(is_wanted) {}

  std::optional<SourceLine> Of(const BlockRow& row) {
    if (!is_wanted_) return std::nullopt;
    std::unique_ptr<SourceLines>& lines = lines_[row.module];
    if (lines == nullptr) {
      const ElfImagePtr file = input_.symbolizer->File(row.module);
      const ElfImagePtr debug = input_.files.FindDebugFile(*file);
      lines = std::make_unique<SourceLines>(debug != nullptr ? debug->path() : file->path());
    }
    return lines->Of(row.block.start);
  }

 private:
  const ExecutedInput& input_;
  bool is_wanted_;
  std::map<uint32_t, std::unique_ptr<SourceLines>> lines_;
};

Json BlockJson(const ExecutedInput& input, const BlockTable& table, const BlockRow& row, LineFinder* lines) {
  const ProfileModule& module = input.profile.modules[row.module];
  const Location start{row.module, row.block.start};
  const FunctionSymbol* function = input.symbolizer->Function(start);
  const std::optional<SourceLine> line = lines->Of(row);
  const std::string kind = BranchKindName(row.block.end);
  return Json{{"module", module.name},
              {"build_id", HexBytes(module.build_id)},
              {"address", row.block.start},
              {"bytes", row.block.bytes},
              {"instructions", row.block.instructions},
              {"executions", row.block.executions},
              {"samples", row.block.samples},
              {"executions_by_samples", ExecutionsBySamples(table, row.block)},
              {"end", kind.empty() ? Json() : Json(kind)},
              {"function", function != nullptr ? Json(*input.symbolizer->FunctionName(start)) : Json()},
              {"offset", function != nullptr ? Json(row.block.start - function->start) : Json()},
              {"file", line.has_value() ? Json(line->file) : Json()},
              {"line", line.has_value() ? Json(line->line) : Json()}};
}

}  // namespace

int RunBlocks(const BlocksOptions& options, std::ostream& out) {
  ExecutedInput input(options.profile, options.binaries);
  const BlockTable table = BuildTable(input.code);
  LineFinder lines(input, options.lines);
  const size_t shown = std::min<size_t>(options.top, table.rows.size());
  if (options.json) {
    Json rows = Json::array();
    for (size_t i = 0; i < shown; ++i) rows.push_back(BlockJson(input, table, table.rows[i], &lines));
    out << JsonText(Json{{"blocks_executed", table.rows.size()},
                         {"executed_instructions", table.executed_instructions},
                         {"samples", table.samples},
                         {"modules_not_read", input.UnreadNames()},
                         {"undecodable_ranges", input.code.undecodable_ranges},
                         {"blocks", rows}})
        << '\n';
    return input.profile.missing_code.empty() ? 0 : kExitFailure;
  }
  out << GroupedCount(table.rows.size()) << " basic blocks, " << GroupedCount(table.executed_instructions)
      << " executed instructions, " << GroupedCount(table.samples) << " samples\n\n";
  TextTable text({{"share", Align::kRight},
                  {"executions", Align::kRight},
                  {"by samples", Align::kRight},
                  {"samples", Align::kRight},
                  {"instructions", Align::kRight},
                  {"block", Align::kLeft},
                  {options.lines ? "source" : "", Align::kLeft}});
  for (size_t i = 0; i < shown; ++i) {
    const BlockRow& row = table.rows[i];
    const std::optional<SourceLine> line = lines.Of(row);
    text.AddRow({Share(InstructionsOf(row.block), table.executed_instructions), GroupedCount(row.block.executions),
                 GroupedCount(static_cast<uint64_t>(ExecutionsBySamples(table, row.block) + 0.5)), GroupedCount(row.block.samples),
                 GroupedCount(row.block.instructions),
                 ShortenOnTerminal(input.symbolizer->Describe({row.module, row.block.start}), 48),
                 line.has_value() ? SafeText(BaseName(line->file)) + ":" + std::to_string(line->line) : ""});
  }
  text.Print(out);
  if (table.rows.size() > shown) out << "  and " << GroupedCount(table.rows.size() - shown) << " more\n";
  return input.profile.missing_code.empty() ? 0 : kExitFailure;
}

}  // namespace softlbr::toolchain
