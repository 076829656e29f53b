#include "toolchain/prefetch/site_list.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr std::string_view kFirstLine = "softlbr-prefetch 1";
constexpr uint64_t kMostLines = std::numeric_limits<int>::max();  // of a file

// Split at each space.
std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = 0;;) {
    const size_t end = text.find(' ', begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return words;
    begin = end + 1;
  }
}

bool ReadNumber(std::string_view word, int base, uint64_t* number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *number, base);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

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

std::vector<ListedHint> ReadSiteList(std::istream& in, const std::string& name) {
  const auto fail = [&name](size_t row, const char* what) {
    throw StatedFailure(name + ":" + std::to_string(row) + ": " + what + "; write the list with `softlbr prefetch`");
  };
  std::string text;
  if (!std::getline(in, text) || text != kFirstLine) fail(1, "not a list of sites");
  std::vector<ListedHint> hints;
  for (size_t row = 2; std::getline(in, text); ++row) {
    if (!text.starts_with("hint ")) {
      if (!text.starts_with("path ") && !text.starts_with("given ") && !text.starts_with("fan-in "))
        fail(row, "no row of a list");
      continue;
    }
    const std::vector<std::string_view> words = WordsOf(text);
    ListedHint hint;
    uint64_t place = 0;
    uint64_t where = 0;
    const bool is_hint = words.size() == 10 && ReadNumber(words[1], 16, &hint.site) &&
                         ReadNumber(words[2], 16, &hint.target) && ReadNumber(words[3], 10, &hint.executions) &&
                         ReadNumber(words[4], 10, &hint.covered) && !words[5].empty() &&
                         ReadNumber(words[6], 10, &place) && place <= kMostLines && !words[8].empty() &&
                         ReadNumber(words[9], 10, &where);
    if (!is_hint) fail(row, "not a hint");
    hint.place = {std::string(words[5]), static_cast<int>(place)};
    if (words[7] == "line" && where <= kMostLines) {
      hint.target_line = {std::string(words[8]), static_cast<int>(where)};
    } else if (words[7] == "symbol") {
      hint.symbol = words[8];
      hint.symbol_offset = where;
    } else {
      fail(row, "not a target");
    }
    hints.push_back(std::move(hint));
  }
  return hints;
}

void WriteSiteList(const SiteChoice& choice, const TracePath& path, const AssemblyPlaces& places,
                   Symbolizer* symbolizer, std::ostream& out) {
  out << kFirstLine << "\npath " << choice.instructions << " " << choice.plain_misses << " " << choice.misses << " "
      << choice.coverable << " " << choice.covered << " " << choice.executions << "\ngiven " << choice.given_covered
      << "\n";
  for (const FanIn& row : choice.fan_in) {
    out << "fan-in " << HexDigits(row.target) << " " << row.misses;
    for (const uint64_t blocks : row.blocks) out << " " << blocks;
    out << " " << SafeWord(symbolizer->Describe({row.module, row.target})) << "\n";
  }
  for (const ChosenHint& hint : choice.hints) {
    const uint64_t site = path.blocks()[hint.site].start;
    const std::optional<SourceLine> line = places.Line(site);
    if (!line.has_value()) continue;
    out << "hint " << HexDigits(site) << " " << HexDigits(hint.target) << " " << hint.executions << " " << hint.covered
        << " " << SafeWord(line->file) << " " << line->line << " " << places.Target(hint.target) << "\n";
  }
}

}  // namespace softlbr::toolchain
