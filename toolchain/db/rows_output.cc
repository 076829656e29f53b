#include "toolchain/db/rows_output.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "toolchain/base/json_text.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// overloads of std::visit
template <typename... Ts>
struct Cases : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Cases(Ts...) -> Cases<Ts...>;  // clang 14 needs it

std::string CsvText(const std::string& text) {
  const std::string safe = SafeText(text);
  if (safe.find_first_of(",\" ") == std::string::npos && !safe.empty()) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string CsvValue(const Value& value) {
  return std::visit(
      Cases{[](std::monostate) { return std::string(); },  // an empty text is ""
            [](bool flag) { return std::string(flag ? "true" : "false"); },
            [](double number) { return NumberText(number); }, [](const Digits& digits) { return digits.text; },
            [](const std::string& text) { return CsvText(text); }, [](auto number) { return std::to_string(number); }},
      value);
}

std::string JsonValue(const Value& value) {
  return std::visit(
      Cases{[](std::monostate) { return std::string("null"); },
            [](bool flag) { return std::string(flag ? "true" : "false"); },
            [](double number) { return NumberText(number); }, [](const Digits& digits) { return digits.text; },
            [](const std::string& text) { return JsonText(nlohmann::ordered_json(text)); },
            [](auto number) { return std::to_string(number); }},
      value);
}

std::string TableValue(const Value& value) {
  return std::visit(
      Cases{[](std::monostate) { return std::string("-"); }, [](bool flag) { return std::string(flag ? "yes" : "no"); },
            [](double number) {
              char buffer[64];
              std::snprintf(buffer, sizeof buffer, "%.2f", number);
              return std::string(std::isfinite(number) && std::fabs(number) < 1e15 ? buffer : NumberText(number));
            },
            [](const Digits& digits) { return digits.text; },
            [](const std::string& text) { return ShortenOnTerminal(SafeText(text), 60); },
            [](auto number) { return std::to_string(number); }},
      value);
}

bool IsText(const Value& value) { return std::holds_alternative<std::string>(value); }

void PrintTable(Rows* rows, uint64_t top, std::ostream& out) {
  std::vector<std::vector<std::string>> printed;
  std::vector<bool> is_text(rows->columns());
  uint64_t more = 0;
  while (rows->Next()) {
    if (printed.size() == top) {
      ++more;
      continue;
    }
    printed.emplace_back();
    for (size_t i = 0; i < rows->columns(); ++i) {
      const Value value = rows->Get(i);
      if (IsText(value)) is_text[i] = true;
      printed.back().push_back(TableValue(value));
    }
  }
  std::vector<TextTable::Column> columns;
  for (size_t i = 0; i < rows->columns(); ++i) {
    columns.push_back({SafeText(rows->ColumnName(i)), is_text[i] ? TextTable::Align::kLeft : TextTable::Align::kRight});
  }
  TextTable table(columns);
  for (std::vector<std::string>& row : printed) table.AddRow(std::move(row));
  table.Print(out);
  if (more != 0) out << "  and " << GroupedCount(more) << " more\n";
}

void PrintCsvRows(Rows* rows, std::ostream& out) {
  for (size_t i = 0; i < rows->columns(); ++i) out << (i == 0 ? "" : ",") << CsvText(rows->ColumnName(i));
  out << "\r\n";
  while (rows->Next()) {
    for (size_t i = 0; i < rows->columns(); ++i) out << (i == 0 ? "" : ",") << CsvValue(rows->Get(i));
    out << "\r\n";
  }
}

void PrintJsonRows(Rows* rows, const std::string& indent, std::ostream& out) {
  std::vector<std::string> names;
  for (size_t i = 0; i < rows->columns(); ++i) names.push_back(JsonText(nlohmann::ordered_json(rows->ColumnName(i))));
  out << '[';
  bool is_first = true;
  while (rows->Next()) {
    out << (is_first ? "\n" : ",\n") << indent << "  {";
    is_first = false;
    for (size_t i = 0; i < names.size(); ++i)
      out << (i == 0 ? "" : ", ") << names[i] << ": " << JsonValue(rows->Get(i));
    out << '}';
  }
  out << (is_first ? "" : "\n" + indent) << ']';
}

}  // namespace

std::string NumberText(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

void PrintRows(Rows* rows, RowFormat format, uint64_t top, const std::string& indent, std::ostream& out) {
  rows->CheckTypes();
  switch (format) {
    case RowFormat::kTable: return PrintTable(rows, top, out);
    case RowFormat::kCsv: return PrintCsvRows(rows, out);
    case RowFormat::kJson: return PrintJsonRows(rows, indent, out);
  }
}

}  // namespace softlbr::toolchain
