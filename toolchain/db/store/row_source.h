// Rows that the caller makes while a statement reads them, as a table function of the engine: they need not fit into
// memory.
//
//   class Numbers : public RowSource { ... };
//   const RegisteredRows rows(connection, "numbers", &source);  // then: FROM numbers()
//
// One statement reads them, once, on one thread at a time, in the order in which they are made.
#ifndef SOFTLBR_TOOLCHAIN_DB_STORE_ROW_SOURCE_H_
#define SOFTLBR_TOOLCHAIN_DB_STORE_ROW_SOURCE_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

// The row that is being made: a Put() for each column, in order, of the column's own type.
class MadeRow {
 public:
  MadeRow(DuckHandle chunk, size_t columns);

  void Put(uint8_t value) { PutNumber(value); }
  void Put(uint32_t value) { PutNumber(value); }
  void Put(uint64_t value) { PutNumber(value); }
  void Put(std::string_view text);  // UTF-8
  void PutNull();
  void End();

  bool IsFull() const { return row_ == capacity_; }
  // Gives the rows to the engine.
  void Close() const;

 private:
  template <typename T>
  void PutNumber(T value) {
    static_cast<T*>(data_[column_++])[row_] = value;
  }

  DuckHandle chunk_;
  std::vector<DuckHandle> vectors_;
  std::vector<void*> data_;
  uint64_t capacity_;
  uint64_t row_ = 0;
  size_t column_ = 0;
};

class RowSource {
 public:
  struct Column {
    const char* name;
    DuckType type;  // kUtinyint, kUinteger, kUbigint or kVarchar
  };

  virtual ~RowSource() = default;
  virtual std::vector<Column> Columns() const = 0;
  // Makes the next row. After the last one: returns false and puts no value. An exception ends the statement.
  virtual bool Make(MadeRow* row) = 0;
};

class RegisteredRows {
 public:
  // Both must outlive the statements that read the rows.
  RegisteredRows(const Connection& connection, const char* name, RowSource* source);
  RegisteredRows(const RegisteredRows&) = delete;
  RegisteredRows& operator=(const RegisteredRows&) = delete;

  // What Make() threw, which says more than the statement's failure; null if it threw nothing.
  std::exception_ptr failure() const { return failure_; }

 private:
  static void Bind(DuckHandle info);
  static void Begin(DuckHandle info);
  static void Fill(DuckHandle info, DuckHandle chunk);

  RowSource* source_;
  std::vector<RowSource::Column> columns_;
  std::exception_ptr failure_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_STORE_ROW_SOURCE_H_
