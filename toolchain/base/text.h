// Formats numbers, names and tables for a terminal.
//
// Names come from profiles and ELF files, which are hostile: SafeText keeps control characters away from the terminal.
#ifndef SOFTLBR_TOOLCHAIN_BASE_TEXT_H_
#define SOFTLBR_TOOLCHAIN_BASE_TEXT_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace softlbr::toolchain {

// Replaces control and bidirectional-override characters, backslashes and invalid UTF-8 by \xNN.
std::string SafeText(std::string_view text);
// The same, and spaces become \x20, so that the text is one field of a line (dump).
std::string SafeWord(std::string_view text);

std::string GroupedCount(uint64_t count);  // 1,234,567
// "1 branch", "2 branches", "1,234 rows"; several: the plural, if it is not `one` with an s.
std::string Counted(uint64_t count, const std::string& one, const std::string& several = "");
std::string Share(uint64_t part, uint64_t whole);            // "12.3%", "<0.1%", "-" if whole is 0
uint32_t PartsPerMillion(const std::string& percentage);     // of "1%" or "0.5" (percent); 0 if it is not valid
std::string ByteSize(uint64_t bytes);                        // 48.2 KiB
std::string Duration(uint64_t nanoseconds);                  // 3.21 s
std::string Hex(uint64_t value);                             // 0x1139
std::string HexDigits(uint64_t value);                       // 1139
std::string Shorten(std::string_view text, size_t columns);  // middle replaced by an ellipsis
// The same if standard output is a terminal; a pipe or file gets the whole text.
std::string ShortenOnTerminal(const std::string& text, size_t columns);
// The same for the name of a function: the parameters of C++ go first.
std::string ShortenFunction(const std::string& name, size_t columns);
std::string CsvField(const std::string& text);  // of RFC 4180: in quotes, with those inside doubled
// Columns of the terminal that standard output is; 0 if it is none.
size_t TerminalColumns();
// True if standard output is a terminal that shows colours and the user has not set NO_COLOR (no-color.org).
bool IsColoured();
// The candidate that `word` was probably meant to be: at most two letters are wrong, missing, too many or swapped.
// Empty if none.
std::string ClosestWord(const std::string& word, const std::vector<std::string>& candidates);
uint64_t SaturatingAdd(uint64_t a, uint64_t b);
uint64_t SaturatingMultiply(uint64_t a, uint64_t b);

// A table whose columns are as wide as their widest entry, with two spaces between them. On a terminal its lines fit:
// the widest columns of text are shortened. Elsewhere entries are whole, and a few long ones do not make all lines
// long.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;  // kLeft: text, which may be shortened; kRight: a number
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void AddRow(std::vector<std::string> entries);
  bool empty() const { return rows_.empty(); }
  // Each line begins with two spaces; trailing spaces are removed. `columns`: of the terminal, 0 for a pipe or a file.
  // With colours, shares of 5 % and more are red, those of 0.5 % and more green, as perf has them.
  void Print(std::ostream& out, size_t columns = TerminalColumns(), bool has_colours = IsColoured()) const;

 private:
  void ShrinkTo(size_t columns, std::vector<size_t>* widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_TEXT_H_
