#include "toolchain/prefetch/code_layout.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace softlbr::toolchain {
namespace {

constexpr std::string_view kHintsSuffix = ".hints";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What is known of a line of assembly in the rebuilt program.
struct RebuiltLine {
  uint64_t hints = 0;
  uint64_t instruction = 0;
  uint64_t bytes = 0;
  bool has_hints = false;
  bool has_instruction = false;
};

using RebuiltLines = std::map<std::pair<std::string_view, int>, RebuiltLine>;

RebuiltLines LinesOf(const std::vector<LineRow>& rows) {
  RebuiltLines lines;
  for (size_t i = 0; i < rows.size(); ++i) {
    const LineRow& row = rows[i];
    if (row.is_end) continue;
    std::string_view file = BaseName(row.file);
    const bool is_hint = file.ends_with(kHintsSuffix);
    if (is_hint) file.remove_suffix(kHintsSuffix.size());
    RebuiltLine& line = lines[{file, row.line}];
    if (is_hint) {
      if (!std::exchange(line.has_hints, true)) line.hints = row.address;
    } else if (!std::exchange(line.has_instruction, true)) {
      line.instruction = row.address;
      line.bytes = i + 1 < rows.size() ? rows[i + 1].address - row.address : 1;
    }
  }
  return lines;
}

// Names that occur once.
std::unordered_map<std::string_view, uint64_t> UniqueNames(
    const std::vector<std::pair<std::string, uint64_t>>& functions) {
  std::unordered_map<std::string_view, uint64_t> unique;
  std::unordered_map<std::string_view, uint32_t> uses;
  for (const auto& [name, address] : functions) {
    ++uses[name];
    unique[name] = address;
  }
  std::erase_if(unique, [&](const auto& function) { return uses[function.first] != 1; });
  return unique;
}

}  // namespace

CodePlaces CodePlacesOf(const ElfImage& image, const std::string& debug) {
  CodePlaces places;
  places.rows = SourceLines(debug).Rows();
  for (const ElfSymbol& symbol : image.Symbols(false)) {
    if (symbol.type == STT_FUNC && symbol.section != SHN_UNDEF)
      places.functions.emplace_back(symbol.name, symbol.value);
  }
  return places;
}

CodeLayout::CodeLayout(uint32_t module, const CodePlaces& recorded, const CodePlaces& rebuilt) : module_(module) {
  const RebuiltLines lines = LinesOf(rebuilt.rows);
  for (const LineRow& row : recorded.rows) {
    // The end of a row is that of code from elsewhere.
    const bool is_assembly = !row.is_end && row.file.ends_with(".s");
    const auto line = is_assembly ? lines.find({BaseName(row.file), row.line}) : lines.end();
    Row& known = rows_.emplace_back();
    known.recorded = row.address;
    if (line != lines.end() && line->second.has_instruction) {
      const RebuiltLine& found = line->second;
      known.rebuilt = found.instruction;
      known.hints = found.has_hints ? found.hints : found.instruction;
      known.bytes = found.bytes;
      known.is_known = true;
      ++known_lines_;
    } else if (is_assembly) {
      ++missing_lines_;
    }
  }
  const auto unique = UniqueNames(rebuilt.functions);
  for (const auto& [name, address] : UniqueNames(recorded.functions)) {
    const auto found = unique.find(name);
    if (found != unique.end()) functions_.emplace_back(address, found->second);
  }
  std::sort(functions_.begin(), functions_.end());
}

CodeLayout::Span CodeLayout::Of(uint32_t module, uint64_t address, uint32_t bytes) const {
  const Span unmoved{address, address + bytes - 1};
  if (module != module_) return unmoved;
  const auto row = std::upper_bound(rows_.begin(), rows_.end(), address,
                                    [](uint64_t wanted, const Row& candidate) { return wanted < candidate.recorded; });
  if (row != rows_.begin() && std::prev(row)->is_known) {
    const Row& known = *std::prev(row);
    const uint64_t behind = address - known.recorded;
    if (behind == 0) return {known.hints, known.rebuilt + bytes - 1};
    // Alignment belongs to the line before it, and may have shrunk.
    const uint64_t first = known.rebuilt + std::min(behind, std::max<uint64_t>(known.bytes, 1) - 1);
    return {first, first + bytes - 1};
  }
  const auto function =
      std::upper_bound(functions_.begin(), functions_.end(), address,
                       [](uint64_t wanted, const auto& candidate) { return wanted < candidate.first; });
  if (function == functions_.begin()) return unmoved;
  const uint64_t first = std::prev(function)->second + (address - std::prev(function)->first);
  return {first, first + bytes - 1};
}

}  // namespace softlbr::toolchain
