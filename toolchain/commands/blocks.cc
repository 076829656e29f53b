// `softlbr blocks`: how often each basic block was executed, by branch records, by samples, and by the better one of
// the two.
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/code/block_counts.h"
#include "toolchain/code/source_lines.h"
#include "toolchain/commands/commands.h"
#include "toolchain/commands/executed_input.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

// Finds the source lines of blocks, module by module.
class LineFinder {
 public:
  LineFinder(const ExecutedInput& input, bool is_wanted) : input_(input), is_wanted_(is_wanted) {}

  std::optional<SourceLine> Of(const CountedBlock& row) {
    if (!is_wanted_) return std::nullopt;
    std::unique_ptr<SourceLines>& lines = lines_[row.module];
    if (lines == nullptr) lines = std::make_unique<SourceLines>(input_.LinesFile(row.module));
    return lines->Of(row.block.start);
  }

 private:
  const ExecutedInput& input_;
  bool is_wanted_;
  std::map<uint32_t, std::unique_ptr<SourceLines>> lines_;
};

Json BlockJson(const ExecutedInput& input, const CountedBlock& row, LineFinder* lines) {
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
              {"executions_by_samples", row.by_samples},
              {"executions_hybrid", row.hybrid()},
              {"executed_instructions", row.instructions},
              {"hybrid_from", row.source == CountSource::kSamples ? "samples" : "branches"},
              {"end", kind.empty() ? Json() : Json(kind)},
              {"function", function != nullptr ? Json(*input.symbolizer->FunctionName(start)) : Json()},
              {"offset", function != nullptr ? Json(row.block.start - function->start) : Json()},
              {"file", line.has_value() ? Json(line->file) : Json()},
              {"line", line.has_value() ? Json(line->line) : Json()}};
}

}  // namespace

int RunBlocks(const BlocksOptions& options, std::ostream& out) {
  ExecutedInput input({options.profile}, options.binaries);
  BlockCounts table = CountBlocks(input.profile, input.code);
  std::stable_sort(table.blocks.begin(), table.blocks.end(),
                   [](const CountedBlock& a, const CountedBlock& b) { return a.instructions > b.instructions; });
  LineFinder lines(input, options.lines);
  const size_t shown = std::min<size_t>(options.top, table.blocks.size());
  if (options.json) {
    Json rows = Json::array();
    for (size_t i = 0; i < shown; ++i) rows.push_back(BlockJson(input, table.blocks[i], &lines));
    out << JsonText(Json{{"blocks_executed", table.blocks.size()},
                         {"executed_instructions", table.executed_instructions},
                         {"samples", table.samples},
                         {"modules_not_read", input.UnreadNames()},
                         {"undecodable_ranges", input.code.undecodable_ranges},
                         {"blocks", rows}})
        << '\n';
    return 0;
  }
  out << Counted(table.blocks.size(), "basic block") << ", "
      << Counted(table.executed_instructions, "executed instruction") << ", " << Counted(table.samples, "sample")
      << "\n\n";
  TextTable text({{"share", Align::kRight},
                  {"executions", Align::kRight},
                  {"by samples", Align::kRight},
                  {"hybrid", Align::kRight},
                  {"samples", Align::kRight},
                  {"instructions", Align::kRight},
                  {"block", Align::kLeft},
                  {options.lines ? "source" : "", Align::kLeft}});
  for (size_t i = 0; i < shown; ++i) {
    const CountedBlock& row = table.blocks[i];
    const std::optional<SourceLine> line = lines.Of(row);
    text.AddRow({Share(row.instructions, table.executed_instructions), GroupedCount(row.block.executions),
                 GroupedCount(RoundedCount(row.by_samples)), GroupedCount(RoundedCount(row.hybrid())),
                 GroupedCount(row.block.samples), GroupedCount(row.block.instructions),
                 ShortenOnTerminal(input.symbolizer->Describe({row.module, row.block.start}), 48),
                 line.has_value() ? SafeText(BaseName(line->file)) + ":" + std::to_string(line->line) : ""});
  }
  text.Print(out);
  if (table.blocks.size() > shown) out << "  and " << GroupedCount(table.blocks.size() - shown) << " more\n";
  return 0;
}

}  // namespace softlbr::toolchain
