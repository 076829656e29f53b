// A DuckDB database: connections, statements with parameters, rows of results.
//
// Values come into statements as parameters and into tables through TableWriter, never as text of a statement.
// Errors: StatedFailure with the engine's own words. Each thread has its own connections.
#ifndef SOFTLBR_TOOLCHAIN_DB_STORE_DATABASE_H_
#define SOFTLBR_TOOLCHAIN_DB_STORE_DATABASE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "toolchain/db/store/engine_api.h"

namespace softlbr::toolchain {

// A value of a result. 128-bit integers and decimals are texts of digits (Digits), so that no precision is lost.
struct Digits {
  std::string text;
};
using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, Digits, std::string>;

// The rows of a result, forward only.
class Rows {
 public:
  explicit Rows(const DuckResult& result);
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  size_t columns() const { return types_.size(); }
  std::string ColumnName(size_t column) const;
  // StatedFailure if a column has a type that Get() does not know, with the remedy.
  void CheckTypes() const;

  // Before the first row, too. False at the end.
  bool Next();
  bool IsNull(size_t column) const;
  uint64_t Count(size_t column) const;         // of an unsigned integer column; 0 if NULL
  std::string_view Text(size_t column) const;  // of a text or blob column; empty if NULL. Valid until Next()
  Value Get(size_t column) const;              // of any known type

 private:
  template <typename T>
  T At(size_t column) const {
    return static_cast<const T*>(data_[column])[row_];
  }

  mutable DuckResult result_;
  bool is_owner_ = true;
  std::vector<DuckType> types_;
  std::vector<uint8_t> scales_;                  // of decimals
  std::vector<DuckType> stored_;                 // of decimals and enumerations: the types that their rows have
  std::vector<std::vector<std::string>> texts_;  // of enumerations
  DuckHandle chunk_ = nullptr;
  uint64_t row_ = 0;
  uint64_t rows_ = 0;  // of the chunk
  std::vector<const void*> data_;
  std::vector<const uint64_t*> validity_;
};

// The texts of an enumeration's type, by number.
std::vector<std::string> EnumTexts(DuckHandle type);

class Connection;

class Statement {
 public:
  Statement(const Connection& connection, const std::string& sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Parameters are $1, $2, ... in the order of the values.
  Statement& Bind(uint64_t value);
  Statement& Bind(std::string_view text);
  Rows Execute();  // the next Bind() is of $1 again

 private:
  DuckHandle statement_ = nullptr;
  uint64_t bound_ = 0;
};

// kCreates: makes the database if there is none, and removes the remains of a process that was killed while it made
// one.
// kReads: statements cannot change it, read or write other files, or load extensions. kExports: as kReads, but
// statements may write files. kInMemory: an empty database of this process; the path is empty. kExportsMemory: the
// same, but statements may write files, and keep the order of rows.
enum class OpenMode { kCreates, kReads, kExports, kInMemory, kExportsMemory };

class Database {
 public:
  // StatedFailure if there is no such file (except with kCreates), or it is no database, or another process writes to
  // it.
  Database(const std::string& path, OpenMode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();
  DuckHandle handle() const { return database_; }

 private:
  DuckHandle database_ = nullptr;
};

class Connection {
 public:
  explicit Connection(const Database& database);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void Run(const std::string& sql) const;  // one statement or several, without a result
  Rows Query(const std::string& sql) const { return Statement(*this, sql).Execute(); }
  DuckHandle handle() const { return connection_; }

 private:
  DuckHandle connection_ = nullptr;
};

// kCreates leaves one processor to a thread of the caller. From now on the engine uses that, too.
void UseAllProcessors(const Connection& connection);

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void Commit();

 private:
  const Connection& connection_;
  bool is_open_ = true;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_STORE_DATABASE_H_
