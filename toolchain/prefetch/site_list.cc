#include "toolchain/prefetch/site_list.h"

#include <elf.h>

#include <algorithm>

#include "toolchain/host/text.h"

namespace softlbr::toolchain {

AssemblyPlaces::AssemblyPlaces(const ElfImage& image, const std::string& debug) : lines_(debug) {
  for (const ElfSymbol& symbol : image.Symbols(false)) {
    // A linker finds a name again if it is global and has no version.
    const bool is_function = symbol.type == STT_FUNC && symbol.section != SHN_UNDEF;
    if (is_function && symbol.binding != STB_LOCAL && symbol.name.find('@') == std::string_view::npos) {
      symbols_.emplace_back(symbol.value, std::string(symbol.name));
    }
  }
  std::sort(symbols_.begin(), symbols_.end());
}

std::optional<SourceLine> AssemblyPlaces::Line(uint64_t address) const {
  const std::optional<SourceLine> line = lines_.Of(address);
  return line.has_value() && line->file.ends_with(".s") ? line : std::nullopt;
}

std::string AssemblyPlaces::Target(uint64_t address) const {
  if (const std::optional<SourceLine> line = Line(address))
    return "line " + SafeWord(line->file) + " " + std::to_string(line->line);
  auto symbol = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                 [](uint64_t wanted, const auto& candidate) { return wanted < candidate.first; });
  if (symbol == symbols_.begin()) return "";
  --symbol;
  return "symbol " + SafeWord(symbol->second) + " " + std::to_string(address - symbol->first);
}

void WriteSiteList(const SiteChoice& choice, const TracePath& path, const AssemblyPlaces& places, Symbolizer* symbolizer,
                   std::ostream& out) {
  out << "softlbr-prefetch 1\npath " << choice.instructions << " " << choice.plain_misses << " " << choice.misses << " "
      << choice.coverable << " " << choice.covered << " " << choice.executions << "\n";
  for (const FanIn& row : choice.fan_in) {
    out << "fan-in " << HexDigits(row.target) << " " << row.misses;
    for (const uint64_t blocks : row.blocks) out << " " << blocks;
    out << " " << SafeWord(symbolizer->Describe({row.module, row.target})) << "\n";
  }
  for (const ChosenHint& hint : choice.hints) {
    const uint64_t site = path.blocks()[hint.site].start;
    const std::optional<SourceLine> line = places.Line(site);
    if (!line.has_value()) continue;
    out << "hint " << HexDigits(site) << " " << HexDigits(hint.target) << " " << hint.executions << " " << hint.covered << " "
        << SafeWord(line->file) << " " << line->line << " " << places.Target(hint.target) << "\n";
  }
}

}  // namespace softlbr::toolchain
