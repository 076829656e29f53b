#include "toolchain/base/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace softlbr::toolchain {
namespace {

// Length of the valid UTF-8 sequence at text[i], 0 if there is none. C1 controls (U+0080..U+009F) count as invalid.
size_t Utf8Length(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  size_t length = 0;
  uint32_t code = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
    code = lead & 0x1fu;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    code = lead & 0x0fu;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    code = lead & 0x07u;
  } else {
    return 0;
  }
  if (text.size() - i < length) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i + k) & 0x3fu);
  }
  static constexpr uint32_t kSmallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
  // C1 controls and bidirectional overrides change how the rest of the line is displayed.
  if (code < 0xa0 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return 0;
  return length;
}

std::string Escape(std::string_view text, bool escape_spaces) {
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const unsigned char byte = static_cast<unsigned char>(text[i]);
    const size_t length = Utf8Length(text, i);
    const bool is_plain =
        length != 0 && byte >= 0x20 && byte != 0x7f && byte != '\\' && !(escape_spaces && byte == ' ');
    if (is_plain) {
      safe.append(text.substr(i, length));
      i += length;
    } else {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", byte);
      safe += buffer;
      ++i;
    }
  }
  return safe;
}

// Terminal columns of a text: all bytes except UTF-8 continuation bytes count as one.
size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string SafeText(std::string_view text) { return Escape(text, false); }
std::string SafeWord(std::string_view text) { return Escape(text, true); }

std::string GroupedCount(uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string Counted(uint64_t count, const std::string& one, const std::string& several) {
  return GroupedCount(count) + " " + (count == 1 ? one : several.empty() ? one + "s" : several);
}

std::string Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part != 0 && percent < 0.05) return "<0.1%";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f%%", percent);
  return buffer;
}

uint32_t PartsPerMillion(const std::string& percentage) {
  char* end = nullptr;
  const double percent = std::strtod(percentage.c_str(), &end);
  if (end == percentage.c_str() || (*end != '\0' && std::string_view(end) != "%")) return 0;
  if (!(percent >= 0.001 && percent <= 100)) return 0;
  return static_cast<uint32_t>(percent * 10000 + 0.5);
}

std::string ByteSize(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f %s", value, kUnits[unit]);
  return buffer;
}

std::string Duration(uint64_t nanoseconds) {
  const double ns = static_cast<double>(nanoseconds);
  char buffer[32];
  if (nanoseconds < 1000) {
    std::snprintf(buffer, sizeof buffer, "%u ns", static_cast<unsigned>(nanoseconds));
  } else if (nanoseconds < 1000000) {
    std::snprintf(buffer, sizeof buffer, "%.1f us", ns / 1e3);
  } else if (nanoseconds < 1000000000) {
    std::snprintf(buffer, sizeof buffer, "%.1f ms", ns / 1e6);
  } else {
    std::snprintf(buffer, sizeof buffer, "%.2f s", ns / 1e9);
  }
  return buffer;
}

std::string HexDigits(uint64_t value) {
  char buffer[20];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr};
}

std::string Hex(uint64_t value) { return "0x" + HexDigits(value); }

std::string Shorten(std::string_view text, size_t columns) {
  const size_t width = DisplayWidth(text);
  if (width <= columns || columns < 5) return std::string(text);
  const auto prefix_of = [&](size_t wanted) {
    size_t i = 0;
    size_t seen = 0;
    while (i < text.size() && seen < wanted) {
      ++i;
      while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) ++i;
      ++seen;
    }
    return i;
  };
  const size_t head = (columns - 1) * 2 / 3;
  const size_t tail = columns - 1 - head;
  std::string result(text.substr(0, prefix_of(head)));
  result += "\u2026";
  result += text.substr(prefix_of(width - tail));
  return result;
}

std::string ShortenOnTerminal(const std::string& text, size_t columns) {
  return isatty(STDOUT_FILENO) == 1 ? Shorten(text, columns) : text;
}

size_t TerminalColumns() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) != 1) return 0;
  constexpr size_t kUsualColumns = 80;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kUsualColumns;
}

std::string ShortenFunction(const std::string& name, size_t columns) {
  if (DisplayWidth(name) <= columns) return name;
  // The parameters are the last pair of parentheses at the outermost level, before qualifiers such as const.
  const size_t close = name.rfind(')');
  if (close == std::string::npos) return Shorten(name, columns);
  size_t open = close;
  for (size_t depth = 0; open != std::string::npos; --open) {
    if (name[open] == ')') ++depth;
    if (name[open] == '(' && --depth == 0) break;
    if (open == 0) return Shorten(name, columns);
  }
  if (open == 0 || close - open < 3) return Shorten(name, columns);
  return Shorten(name.substr(0, open) + "(\u2026)" + name.substr(close + 1), columns);
}

std::string CsvField(const std::string& text) {
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

bool IsColoured() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  return terminal != nullptr && std::string_view(terminal) != "dumb" && isatty(STDOUT_FILENO) == 1;
}

std::string ClosestWord(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr size_t kMaxWordBytes = 32;
  constexpr size_t kMaxWrongLetters = 2;
  if (word.size() > kMaxWordBytes) return "";
  std::string closest;
  size_t least = std::min(kMaxWrongLetters, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    // distance[i][j]: edits from the first i letters of `word` to the first j of `candidate`.
    std::vector<std::vector<size_t>> distance(word.size() + 1, std::vector<size_t>(candidate.size() + 1));
    for (size_t i = 0; i <= word.size(); ++i) {
      for (size_t j = 0; j <= candidate.size(); ++j) {
        if (i == 0 || j == 0) {
          distance[i][j] = i + j;
          continue;
        }
        const size_t change = word[i - 1] == candidate[j - 1] ? 0 : 1;
        distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + change});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1]) {
          distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
        }
      }
    }
    if (distance[word.size()][candidate.size()] < least) {
      least = distance[word.size()][candidate.size()];
      closest = candidate;
    }
  }
  return closest;
}

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

void TextTable::AddRow(std::vector<std::string> entries) {
  entries.resize(columns_.size());
  rows_.push_back(std::move(entries));
}

namespace {

// The escape sequence of a share's colour; empty for what is no share, and for small ones.
std::string ColourOf(const std::string& entry) {
  if (!entry.ends_with('%') || entry.starts_with('<')) return "";
  const double percent = std::strtod(entry.c_str(), nullptr);
  return percent >= 5 ? "\x1b[31m" : percent >= 0.5 ? "\x1b[32m" : "";
}

}  // namespace

void TextTable::Print(std::ostream& out, size_t columns, bool has_colours) const {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(DisplayWidth(column.title));
  }
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(row[c]));
  }
  const auto is_text = [&](size_t c) { return columns_[c].align == Align::kLeft; };
  if (columns != 0) {
    ShrinkTo(columns, &widths);
  } else {
    constexpr size_t kMostPadding = 40;
    for (size_t c = 0; c < widths.size(); ++c) {
      if (is_text(c)) widths[c] = std::min(widths[c], kMostPadding);
    }
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line = " ";
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string entry = columns != 0 && is_text(c) ? ShortenFunction(row[c], widths[c]) : row[c];
      const size_t width = DisplayWidth(entry);
      const std::string padding(width < widths[c] ? widths[c] - width : 0, ' ');
      line += c == 0 ? " " : "  ";
      const std::string colour = has_colours && !is_text(c) ? ColourOf(entry) : "";
      line += is_text(c) ? entry + padding : padding + colour + entry + (colour.empty() ? "" : "\x1b[0m");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row(titles);
  for (const auto& row : rows_) print_row(row);
}

// Takes columns from the widest text until the line fits, or no text has more than kLeastColumns.
void TextTable::ShrinkTo(size_t columns, std::vector<size_t>* widths) const {
  constexpr size_t kLeastColumns = 4;
  size_t line = 0;
  for (const size_t width : *widths) line += width + 2;
  while (line > columns) {
    size_t widest = widths->size();
    for (size_t c = 0; c < widths->size(); ++c) {
      if (columns_[c].align != Align::kLeft || (*widths)[c] <= kLeastColumns) continue;
      if (widest == widths->size() || (*widths)[c] > (*widths)[widest]) widest = c;
    }
    if (widest == widths->size()) return;
    --(*widths)[widest];
    --line;
  }
}

}  // namespace softlbr::toolchain
