// Reads the answer of a ClickHouse server, in its format TabSeparatedWithNamesAndTypes, while it arrives.
//
// Grammar: lines that end with \n, fields separated by \t. The first line has the names of the columns, the second
// their types, each other line a row. In names and texts, \b \f \r \n \t \0 \' \\ stand for themselves; a field \N is
// NULL.
// Memory: one line, of at most kMostLineBytes. The bytes are hostile.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_ANSWER_ROWS_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_ANSWER_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {

// A server cannot be reached, fails or answers with nonsense. It concerns no single upload, so the command ends.
class ServerFailure : public StatedFailure {
 public:
  using StatedFailure::StatedFailure;
};

struct AnswerField {
  std::string text;
  bool is_null = false;

  // ServerFailure if it is no unsigned number.
  uint64_t Count() const;
};

class AnswerReader {
 public:
  static constexpr size_t kMostLineBytes = size_t{64} << 20;
  using Row = std::vector<AnswerField>;

  // on_row: called for each row, with as many fields as there are columns. columns: how many there must be; 0: any
  // number.
  explicit AnswerReader(std::function<void(const Row&)> on_row, size_t columns = 0)
      : on_row_(std::move(on_row)), columns_(columns) {}

  // The next bytes. ServerFailure if they are not of this format.
  void Add(std::string_view bytes);
  // Behind the last byte. ServerFailure if a line is not complete.
  void Close() const;

  // The columns; known before the first row. Empty: the statement has no answer.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& types() const { return types_; }

 private:
  void AddLine(std::string_view line);

  std::function<void(const Row&)> on_row_;
  size_t columns_ = 0;
  std::string line_;  // without its end
  uint64_t lines_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> types_;
  Row row_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_ANSWER_ROWS_H_
