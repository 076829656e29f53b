#include "toolchain/db/store/table_writer.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// Bytes of the UTF-8 sequence at text[i]; 0 if there is none.
size_t SequenceBytes(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return lead == 0 ? 0 : 1;  // NUL would end the text for programs in C
  const size_t bytes = lead >= 0xc2 && lead <= 0xdf   ? 2
                       : lead >= 0xe0 && lead <= 0xef ? 3
                       : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                      : 0;
  if (bytes == 0 || text.size() - i < bytes) return 0;
  uint32_t code = lead & (0xffu >> (bytes + 1));
  for (size_t k = 1; k < bytes; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3fu);
  }
  const bool is_overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  return is_overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : bytes;
}

bool TypeIs(DuckType type, std::initializer_list<DuckType> types) {
  for (const DuckType one : types) {
    if (type == one) return true;
  }
  return false;
}

}  // namespace

std::string Utf8Text(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t bytes = SequenceBytes(text, i);
    if (bytes != 0) {
      valid.append(text.substr(i, bytes));
      i += bytes;
      continue;
    }
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(text[i]));
    valid += buffer;
    ++i;
  }
  return valid;
}

TableWriter::TableWriter(const Connection& connection, const std::string& table, const std::vector<DuckType>& columns)
    : types_(columns), vectors_(columns.size()), data_(columns.size()), capacity_(Engine().vector_size()) {
  if (Engine().appender_create(connection.handle(), nullptr, table.c_str(), &appender_) != kDuckSuccess) {
    const char* error = Engine().appender_error(appender_);
    const std::string text = error != nullptr ? error : "";
    Engine().appender_destroy(&appender_);
    throw StatedFailure("db: " + SafeText(text) + "; is the database another program's?");
  }
  std::vector<DuckHandle> types;
  for (size_t i = 0; i < columns.size(); ++i) {
    types.push_back(Engine().appender_column_type(appender_, i));
    texts_.push_back(columns[i] == DuckType::kEnum ? EnumTexts(types[i]) : std::vector<std::string>{});
  }
  chunk_ = Engine().create_data_chunk(types.data(), types.size());
  for (DuckHandle& type : types) Engine().destroy_logical_type(&type);
  StartChunk();
}

TableWriter::~TableWriter() {
  if (chunk_ != nullptr) Engine().destroy_data_chunk(&chunk_);
  if (appender_ != nullptr) Engine().appender_destroy(&appender_);
}

template <typename T>
void TableWriter::CheckType() const {
  const DuckType type = column_ < types_.size() ? types_[column_] : DuckType::kSqlNull;
  const bool fits = sizeof(T) == 1   ? TypeIs(type, {DuckType::kUtinyint, DuckType::kBoolean})
                    : sizeof(T) == 2 ? TypeIs(type, {DuckType::kUsmallint})
                    : sizeof(T) == 4 ? TypeIs(type, {DuckType::kUinteger, DuckType::kInteger})
                                     : TypeIs(type, {DuckType::kUbigint, DuckType::kBigint, DuckType::kDouble});
  if (!fits) throw std::logic_error("a value of another type than its column");
}
template void TableWriter::CheckType<bool>() const;
template void TableWriter::CheckType<uint8_t>() const;
template void TableWriter::CheckType<uint16_t>() const;
template void TableWriter::CheckType<uint32_t>() const;
template void TableWriter::CheckType<uint64_t>() const;
template void TableWriter::CheckType<int64_t>() const;

void TableWriter::PutNumberOf(std::string_view text) {
  const std::vector<std::string>& texts = texts_[column_];
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (found == texts.end()) throw std::logic_error("a text that its column's enumeration does not have");
  static_cast<uint8_t*>(data_[column_])[row_] = static_cast<uint8_t>(found - texts.begin());
  ++column_;
}

TableWriter& TableWriter::Put(std::string_view text) {
  if (column_ < types_.size() && types_[column_] == DuckType::kEnum) {
    PutNumberOf(text);
    return *this;
  }
  if (column_ >= types_.size() || types_[column_] != DuckType::kVarchar)
    throw std::logic_error("a text in a column of numbers");
  const std::string valid = Utf8Text(text);
  Engine().vector_assign_string_element_len(vectors_[column_], row_, valid.data(), valid.size());
  ++column_;
  return *this;
}

TableWriter& TableWriter::PutNull() {
  if (column_ >= types_.size()) throw std::logic_error("more values than columns");
  Engine().vector_ensure_validity_writable(vectors_[column_]);
  Engine().vector_get_validity(vectors_[column_])[row_ / 64] &= ~(uint64_t{1} << (row_ % 64));
  ++column_;
  return *this;
}

void TableWriter::EndRow() {
  if (column_ != types_.size()) throw std::logic_error("a row without all of its values");
  column_ = 0;
  if (++row_ == capacity_) AppendChunk();
}

void TableWriter::Close() {
  if (row_ != 0) AppendChunk();
  if (Engine().appender_close(appender_) != kDuckSuccess) Fail();
}

void TableWriter::StartChunk() {
  row_ = 0;
  for (size_t i = 0; i < vectors_.size(); ++i) {
    vectors_[i] = Engine().data_chunk_get_vector(chunk_, i);
    data_[i] = Engine().vector_get_data(vectors_[i]);
  }
}

void TableWriter::AppendChunk() {
  Engine().data_chunk_set_size(chunk_, row_);
  if (Engine().append_data_chunk(appender_, chunk_) != kDuckSuccess) Fail();
  Engine().data_chunk_reset(chunk_);
  StartChunk();
}

void TableWriter::Fail() const {
  const char* error = Engine().appender_error(appender_);
  const std::string text = error != nullptr ? error : "";
  throw StatedFailure("db: " + SafeText(text.substr(0, text.find('\n'))) + "; free space on the database's disk");
}

}  // namespace softlbr::toolchain
