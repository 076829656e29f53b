// Appends rows to a table of the database, a chunk of columns at a time.
//
// Memory: one chunk; the engine writes full ones to the file. The rows belong to the connection's transaction.
// Texts may hold any bytes: those that are not UTF-8, which the engine requires, become \xNN.
#ifndef SOFTLBR_TOOLCHAIN_DB_STORE_TABLE_WRITER_H_
#define SOFTLBR_TOOLCHAIN_DB_STORE_TABLE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

// The text with every byte that is no UTF-8 replaced by \xNN.
std::string Utf8Text(std::string_view text);

class TableWriter {
 public:
  // columns: the types of the table's columns, in its order. Enumerations have less than 256 texts.
  TableWriter(const Connection& connection, const std::string& table, const std::vector<DuckType>& columns);
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;
  ~TableWriter();

  // The next value of the row, of the column's own type: Put(uint32_t{7}) for a UINTEGER.
  template <typename T>
  TableWriter& Put(T value) {
    if (row_ == 0) CheckType<T>();  // the other rows are written by the same code
    static_cast<T*>(data_[column_])[row_] = value;
    ++column_;
    return *this;
  }
  TableWriter& Put(std::string_view text);  // of an enumeration: one of its texts
  TableWriter& PutNull();
  void EndRow();  // StatedFailure if the engine does not take the chunk
  void Close();   // call last; without it the rows since the last chunk are lost

 private:
  template <typename T>
  void CheckType() const;
  void PutNumberOf(std::string_view text);
  void StartChunk();
  void AppendChunk();
  [[noreturn]] void Fail() const;

  std::vector<DuckType> types_;
  std::vector<std::vector<std::string>> texts_;  // of enumerations
  DuckHandle appender_ = nullptr;
  DuckHandle chunk_ = nullptr;
  std::vector<DuckHandle> vectors_;
  std::vector<void*> data_;
  uint64_t capacity_ = 0;
  uint64_t row_ = 0;
  size_t column_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_STORE_TABLE_WRITER_H_
