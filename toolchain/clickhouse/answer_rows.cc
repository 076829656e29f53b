#include "toolchain/clickhouse/answer_rows.h"

#include <charconv>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

[[noreturn]] void FailAsAnswer(const std::string& what) {
  throw ServerFailure("db: the server's answer " + what + "; is the address that of a ClickHouse server?");
}

char Unescaped(char letter) {
  switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'r': return '\r';
    case 'n': return '\n';
    case 't': return '\t';
    case '0': return '\0';
    default: return letter;  // ' and backslash
  }
}

void ReadField(std::string_view field, AnswerField* into) {
  into->text.clear();
  into->is_null = field == "\\N";
  if (into->is_null) return;
  if (field.find('\\') == std::string_view::npos) {
    into->text = field;
    return;
  }
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      into->text += field[i];
    } else if (++i < field.size()) {
      into->text += Unescaped(field[i]);
    } else {
      FailAsAnswer("has an incomplete character");
    }
  }
}

std::vector<std::string_view> FieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0;;) {
    const size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

}  // namespace

uint64_t AnswerField::Count() const {
  uint64_t count = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size())
    FailAsAnswer("has " + SafeText(text.substr(0, 40)) + " as a number");
  return count;
}

void AnswerReader::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    if (line_.size() + std::min(end, bytes.size()) > kMostLineBytes) FailAsAnswer("has a line that is too long");
    if (end == std::string_view::npos) {
      line_ += bytes;
      return;
    }
    if (line_.empty()) {
      AddLine(bytes.substr(0, end));
    } else {
      line_ += bytes.substr(0, end);
      AddLine(line_);
      line_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
}

void AnswerReader::Close() const {
  if (!line_.empty() || lines_ == 1) FailAsAnswer("is cut");
  if (lines_ == 0 && columns_ != 0) FailAsAnswer("is empty");
}

void AnswerReader::AddLine(std::string_view line) {
  const std::vector<std::string_view> fields = FieldsOf(line);
  if (lines_ == 0 && columns_ != 0 && fields.size() != columns_) FailAsAnswer("has other columns than the question");
  if (lines_ != 0 && fields.size() != names_.size()) FailAsAnswer("has a row without all of its values");
  row_.resize(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) ReadField(fields[i], &row_[i]);
  if (lines_ >= 2) {
    on_row_(row_);
  } else {
    for (const AnswerField& field : row_) (lines_ == 0 ? names_ : types_).push_back(field.text);
  }
  if (lines_ < 2) ++lines_;
}

}  // namespace softlbr::toolchain
