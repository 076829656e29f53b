#include "toolchain/db/charts/report_plan.h"

#include <stdexcept>

namespace softlbr::toolchain {
namespace {

// In a text of SQL, what stands for a function's name, and what is put behind its arguments.
struct FunctionNames {
  std::string_view name;
  std::string_view begin[2];  // by SqlDialect
  std::string_view end[2];
  bool is_of_clickhouse_only = false;  // the arguments are left out for DuckDB
};

constexpr std::string_view kAnswer = "answer(";  // stays for PutInAnswers

constexpr FunctionNames kFunctions[] = {
    {"exact(", {"(", "toDecimal128("}, {")", ", 0)"}},
    {"line_of(", {"(", "intDiv("}, {" // 64)", ", 64)"}},
    {"matches(", {"regexp_matches(", "match("}, {")", ")"}},
    {"answer(", {"(SELECT ", kAnswer}, {")", ")"}},
    {"instruction_where(",
     {"instruction", "(SELECT * FROM instruction_rows PREWHERE "},
     {"", " WHERE version IN (SELECT version FROM current_version))"},
     true},
};

// Of the parenthesis that ends what begins behind `begin`.
size_t EndOfArguments(std::string_view sql, size_t begin) {
  size_t depth = 1;
  bool is_quoted = false;
  for (size_t i = begin; i < sql.size(); ++i) {
    if (sql[i] == '\'') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (sql[i] == '(') ++depth;
    if (sql[i] == ')' && --depth == 0) return i;
  }
  throw std::logic_error("a question with an open parenthesis");
}

bool IsNameLetter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string InDialect(std::string_view sql, SqlDialect dialect) {
  std::string text(sql);
  for (const FunctionNames& function : kFunctions) {
    for (size_t at = 0; (at = text.find(function.name, at)) != std::string::npos;) {
      if (at != 0 && IsNameLetter(text[at - 1])) {  // the end of a longer name
        at += function.name.size();
        continue;
      }
      const size_t end = EndOfArguments(text, at + function.name.size());
      const size_t begin = at + function.name.size();
      const bool is_left_out = function.is_of_clickhouse_only && dialect == SqlDialect::kDuckDb;
      const size_t kept = is_left_out ? begin : end;
      text.replace(kept, end + 1 - kept, function.end[static_cast<size_t>(dialect)]);
      text.replace(at, function.name.size(), function.begin[static_cast<size_t>(dialect)]);
      at += function.begin[static_cast<size_t>(dialect)].size();
    }
  }
  return text;
}

std::string PutInAnswers(std::string_view sql, const std::function<std::string(const std::string& question)>& answer) {
  std::string text(sql);
  for (size_t at = 0; (at = text.find(kAnswer, at)) != std::string::npos;) {
    const size_t begin = at + kAnswer.size();
    const size_t end = EndOfArguments(text, begin);
    const std::string rows = answer("SELECT DISTINCT " + text.substr(begin, end - begin));
    text.replace(at, end + 1 - at, rows);
    at += rows.size();
  }
  return text;
}

ReportPlan PlanReport(std::string_view sql) {
  constexpr std::string_view kMark = " AS ( -- of each server\n";
  constexpr std::string_view kEnd = "\n)";
  ReportPlan plan;
  std::string_view rest = sql;
  for (size_t mark = 0; (mark = rest.find(kMark)) != std::string_view::npos;) {
    const size_t name = rest.rfind('\n', mark) + 1;
    const size_t begin = mark + kMark.size();
    const size_t end = rest.find(kEnd, begin);
    if (end == std::string_view::npos) throw std::logic_error("a part of a question without an end");
    plan.parts.push_back({std::string(rest.substr(name, mark - name)),
                          InDialect(rest.substr(begin, end - begin), SqlDialect::kClickHouse)});
    rest.remove_prefix(end + kEnd.size());
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \n")));
  const bool has_tables = !plan.parts.empty() && !rest.starts_with("SELECT");
  plan.rest = (has_tables ? "WITH " : "") + InDialect(rest, SqlDialect::kDuckDb);
  return plan;
}

}  // namespace softlbr::toolchain
