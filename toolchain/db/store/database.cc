#include "toolchain/db/store/database.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// Beyond them the engine writes to a folder beside the database. An ingest needs memory for binaries, too.
constexpr char kMemoryLimit[] = "1000MB";
constexpr char kIngestMemoryLimit[] = "600MB";
constexpr char kNewSuffix[] = ".new-";  // of a database that is being made; the process's number comes behind it

// The engine's errors have several lines; the first says what is wrong. Some end like sentences; the mark is removed as
// a remedy follows.
std::string EngineCause(const std::string& error) {
  std::string cause = error.substr(0, error.find('\n'));
  while (!cause.empty() && (cause.back() == '.' || cause.back() == '!' || cause.back() == '?')) cause.pop_back();
  return cause.empty() ? "no cause given" : SafeText(cause);
}

[[noreturn]] void FailAs(const char* error) {
  throw StatedFailure("db: " + EngineCause(error != nullptr ? error : "") +
                      "; `softlbr help db` and docs/cli.md list the tables");
}

__extension__ typedef unsigned __int128 Uint128;

std::string UnsignedDigits(Uint128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string SignedDigits(Uint128 value) {
  const bool is_negative = value >> 127 != 0;
  return (is_negative ? "-" : "") + UnsignedDigits(is_negative ? ~value + 1 : value);
}

std::string WithPoint(std::string digits, uint8_t scale) {
  if (scale == 0) return digits;
  const std::string sign = digits.starts_with('-') ? "-" : "";
  digits.erase(0, sign.size());
  if (digits.size() <= scale) digits.insert(0, scale + 1u - digits.size(), '0');
  return sign + digits.insert(digits.size() - scale, ".");
}

bool IsKnown(DuckType type) {
  switch (type) {
    case DuckType::kBoolean:
    case DuckType::kTinyint:
    case DuckType::kSmallint:
    case DuckType::kInteger:
    case DuckType::kBigint:
    case DuckType::kUtinyint:
    case DuckType::kUsmallint:
    case DuckType::kUinteger:
    case DuckType::kUbigint:
    case DuckType::kFloat:
    case DuckType::kDouble:
    case DuckType::kHugeint:
    case DuckType::kUhugeint:
    case DuckType::kVarchar:
    case DuckType::kDecimal:
    case DuckType::kEnum:
    case DuckType::kSqlNull: return true;
  }
  return false;
}

// Returns the first line of the error, or nothing.
std::string OpenFile(const std::string& path, OpenMode mode, DuckHandle* database) {
  const EngineApi& engine = Engine();
  DuckHandle config = nullptr;
  engine.create_config(&config);
  bool is_set = true;
  const auto set = [&](const char* name, const char* value) {
    is_set = engine.set_config(config, name, value) == kDuckSuccess && is_set;
  };
  set("memory_limit", mode == OpenMode::kCreates ? kIngestMemoryLimit : kMemoryLimit);
  // Leaves a processor to the ingest's thread that recovers binaries, because a statement's thread spins while the
  // engine's others work.
  if (mode == OpenMode::kCreates)
    set("threads", std::to_string(std::max(2u, std::thread::hardware_concurrency()) - 1).c_str());
  set("preserve_insertion_order",
      mode == OpenMode::kExportsMemory ? "true" : "false");  // which takes memory; every query orders its rows
  set("autoinstall_known_extensions", "false");
  set("autoload_known_extensions", "false");
  set("storage_compatibility_version", "v1.5.0");  // the newer formats compress better
  if (mode == OpenMode::kReads || mode == OpenMode::kExports) set("access_mode", "READ_ONLY");
  if (mode == OpenMode::kReads || mode == OpenMode::kInMemory) set("enable_external_access", "false");
  char* error = nullptr;
  const bool is_open = is_set && engine.open_ext(path.c_str(), database, config, &error) == kDuckSuccess;
  engine.destroy_config(&config);
  if (is_open) return "";
  const std::string text = error != nullptr ? error : "the engine does not know a setting; run `softlbr db setup`";
  if (error != nullptr) engine.free(error);
  return EngineCause(text);
}

// Removes what MakeFile of a killed process left beside the path.
void RemoveLeftovers(const std::string& path) {
  const std::filesystem::path of(path);
  const std::string start = of.filename().string() + kNewSuffix;
  std::error_code error;
  const std::filesystem::path folder = of.has_parent_path() ? of.parent_path() : std::filesystem::path(".");
  std::vector<std::filesystem::path> left;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(start)) continue;
    int process = 0;
    const char* number_end = name.data() + name.size();
    const auto [rest, failure] = std::from_chars(name.data() + start.size(), number_end, process);
    const bool is_ours =
        failure == std::errc() && process > 0 && (rest == number_end || std::string_view(rest) == ".wal");
    if (is_ours && kill(process, 0) != 0 && errno == ESRCH) left.push_back(it->path());
  }
  for (const std::filesystem::path& file : left) std::filesystem::remove(file, error);
}

// Makes an empty database. The engine writes the file's headers one by one, and cannot open a file that has only some
// of them, as after a kill. So the file is made beside the path, and linked there when it is complete.
void MakeFile(const std::string& path) {
  const std::string made = path + kNewSuffix + std::to_string(getpid());
  unlink(made.c_str());
  DuckHandle database = nullptr;
  const std::string error = OpenFile(made, OpenMode::kCreates, &database);
  if (!error.empty())
    throw StatedFailure("db: " + SafeText(path) + ": " + error + "; name a file in a folder that can be written to");
  Engine().close(&database);
  // Not over a database that another process made meanwhile. Some file systems have no links.
  if (link(made.c_str(), path.c_str()) == 0 || errno == EEXIST || rename(made.c_str(), path.c_str()) != 0)
    unlink(made.c_str());
}

}  // namespace

void UseAllProcessors(const Connection& connection) {
  connection.Run("SET threads = " + std::to_string(std::max(1u, std::thread::hardware_concurrency())));
}

std::vector<std::string> EnumTexts(DuckHandle type) {
  std::vector<std::string> texts;
  const uint32_t size = Engine().enum_dictionary_size(type);
  for (uint32_t i = 0; i < size; ++i) {
    char* text = Engine().enum_dictionary_value(type, i);
    texts.emplace_back(text);
    Engine().free(text);
  }
  return texts;
}

Rows::Rows(const DuckResult& result) : result_(result) {
  const uint64_t columns = Engine().column_count(&result_);
  for (uint64_t i = 0; i < columns; ++i) {
    types_.push_back(Engine().column_type(&result_, i));
    scales_.push_back(0);
    stored_.push_back(types_.back());
    texts_.emplace_back();
    if (types_.back() != DuckType::kDecimal && types_.back() != DuckType::kEnum) continue;
    DuckHandle type = Engine().column_logical_type(&result_, i);
    if (types_.back() == DuckType::kDecimal) {
      scales_.back() = Engine().decimal_scale(type);
      stored_.back() = Engine().decimal_internal_type(type);
    } else {
      stored_.back() = Engine().enum_internal_type(type);
      texts_.back() = EnumTexts(type);
    }
    Engine().destroy_logical_type(&type);
  }
  data_.resize(columns);
  validity_.resize(columns);
}

Rows::Rows(Rows&& other) noexcept
    : result_(other.result_),
      types_(std::move(other.types_)),
      scales_(std::move(other.scales_)),
      stored_(std::move(other.stored_)),
      texts_(std::move(other.texts_)),
      chunk_(other.chunk_),
      row_(other.row_),
      rows_(other.rows_),
      data_(std::move(other.data_)),
      validity_(std::move(other.validity_)) {
  other.is_owner_ = false;
}

Rows::~Rows() {
  if (!is_owner_) return;
  if (chunk_ != nullptr) Engine().destroy_data_chunk(&chunk_);
  Engine().destroy_result(&result_);
}

std::string Rows::ColumnName(size_t column) const {
  const char* name = Engine().column_name(&result_, column);
  return name != nullptr ? name : "";
}

void Rows::CheckTypes() const {
  for (size_t i = 0; i < types_.size(); ++i) {
    if (IsKnown(types_[i])) continue;
    throw StatedFailure("db: column " + SafeText(ColumnName(i)) +
                        " has a type that is not printed; write CAST(... AS VARCHAR) in the query");
  }
}

bool Rows::Next() {
  if (chunk_ != nullptr && ++row_ < rows_) return true;
  do {
    if (chunk_ != nullptr) Engine().destroy_data_chunk(&chunk_);
    chunk_ = Engine().fetch_chunk(result_);
    if (chunk_ == nullptr) {
      if (const char* error = Engine().result_error(&result_); error != nullptr && error[0] != '\0') FailAs(error);
      return false;
    }
    rows_ = Engine().data_chunk_get_size(chunk_);
  } while (rows_ == 0);
  row_ = 0;
  for (size_t i = 0; i < data_.size(); ++i) {
    DuckHandle vector = Engine().data_chunk_get_vector(chunk_, i);
    data_[i] = Engine().vector_get_data(vector);
    validity_[i] = Engine().vector_get_validity(vector);
  }
  return true;
}

bool Rows::IsNull(size_t column) const {
  if (types_[column] == DuckType::kSqlNull) return true;
  return validity_[column] != nullptr && (validity_[column][row_ / 64] >> (row_ % 64) & 1) == 0;
}

uint64_t Rows::Count(size_t column) const {
  if (IsNull(column)) return 0;
  switch (stored_[column]) {
    case DuckType::kBoolean:
    case DuckType::kUtinyint: return At<uint8_t>(column);
    case DuckType::kUsmallint: return At<uint16_t>(column);
    case DuckType::kUinteger: return At<uint32_t>(column);
    case DuckType::kUbigint: return At<uint64_t>(column);
    default:
      throw StatedFailure("db: a column has another type than this command wrote; is the database another program's?");
  }
}

std::string_view Rows::Text(size_t column) const {
  if (IsNull(column)) return {};
  if (types_[column] == DuckType::kEnum) return texts_[column].at(Count(column));
  const DuckText& text = static_cast<const DuckText*>(data_[column])[row_];
  return {text.bytes <= DuckText::kInsideBytes ? text.inside : text.elsewhere, text.bytes};
}

Value Rows::Get(size_t column) const {
  if (IsNull(column)) return {};
  if (types_[column] == DuckType::kEnum) return std::string(Text(column));
  const DuckType stored = stored_[column];
  Value value;
  switch (stored) {
    case DuckType::kBoolean: return At<uint8_t>(column) != 0;
    case DuckType::kTinyint: value = int64_t{At<int8_t>(column)}; break;
    case DuckType::kSmallint: value = int64_t{At<int16_t>(column)}; break;
    case DuckType::kInteger: value = int64_t{At<int32_t>(column)}; break;
    case DuckType::kBigint: value = At<int64_t>(column); break;
    case DuckType::kUtinyint:
    case DuckType::kUsmallint:
    case DuckType::kUinteger:
    case DuckType::kUbigint: return Count(column);
    case DuckType::kFloat: return static_cast<double>(At<float>(column));
    case DuckType::kDouble: return At<double>(column);
    case DuckType::kHugeint:
    case DuckType::kUhugeint: {
      const auto huge = At<DuckHugeint>(column);
      const auto bits = static_cast<Uint128>(static_cast<uint64_t>(huge.upper)) << 64 | huge.lower;
      value = Digits{stored == DuckType::kUhugeint ? UnsignedDigits(bits) : SignedDigits(bits)};
      break;
    }
    case DuckType::kVarchar: return std::string(Text(column));
    default: CheckTypes(); return {};
  }
  if (types_[column] != DuckType::kDecimal) return value;
  const std::string digits =
      std::holds_alternative<Digits>(value) ? std::get<Digits>(value).text : std::to_string(std::get<int64_t>(value));
  return Digits{WithPoint(digits, scales_[column])};
}

Statement::Statement(const Connection& connection, const std::string& sql) {
  if (Engine().prepare(connection.handle(), sql.c_str(), &statement_) == kDuckSuccess) return;
  const char* error = Engine().prepare_error(statement_);
  const std::string text = error != nullptr ? error : "";
  Engine().destroy_prepare(&statement_);
  FailAs(text.c_str());
}

Statement::~Statement() {
  if (statement_ != nullptr) Engine().destroy_prepare(&statement_);
}

Statement& Statement::Bind(uint64_t value) {
  if (Engine().bind_uint64(statement_, ++bound_, value) != kDuckSuccess) FailAs(Engine().prepare_error(statement_));
  return *this;
}

Statement& Statement::Bind(std::string_view text) {
  if (Engine().bind_varchar_length(statement_, ++bound_, text.data(), text.size()) != kDuckSuccess) {
    FailAs(Engine().prepare_error(statement_));
  }
  return *this;
}

Rows Statement::Execute() {
  bound_ = 0;
  DuckResult result{};
  if (Engine().execute_prepared(statement_, &result) != kDuckSuccess) {
    const char* error = Engine().result_error(&result);
    const std::string text = error != nullptr ? error : "";
    Engine().destroy_result(&result);
    FailAs(text.c_str());
  }
  return Rows(result);
}

Database::Database(const std::string& path, OpenMode mode) {
  const bool is_file = mode != OpenMode::kInMemory && mode != OpenMode::kExportsMemory;
  if (is_file && mode != OpenMode::kCreates && access(path.c_str(), R_OK) != 0) {
    throw StatedFailure("db: " + SafeText(path) +
                        " is not there or cannot be read; `softlbr db ingest` makes a database");
  }
  if (mode == OpenMode::kCreates) RemoveLeftovers(path);
  if (is_file && access(path.c_str(), F_OK) != 0) MakeFile(path);
  const std::string error = OpenFile(is_file ? path : ":memory:", mode, &database_);
  if (error.empty()) return;
  throw StatedFailure("db: " + SafeText(path) + ": " + error +
                      "; name a database that `softlbr db ingest` made and no other command is writing");
}

Database::~Database() {
  if (database_ != nullptr) Engine().close(&database_);
}

Connection::Connection(const Database& database) {
  if (Engine().connect(database.handle(), &connection_) != kDuckSuccess) FailAs("no connection to the database");
}

Connection::~Connection() { Engine().disconnect(&connection_); }

void Connection::Run(const std::string& sql) const {
  DuckResult result{};
  const bool is_done = Engine().query(connection_, sql.c_str(), &result) == kDuckSuccess;
  const char* error = is_done ? nullptr : Engine().result_error(&result);
  const std::string text = error != nullptr ? error : "";
  Engine().destroy_result(&result);
  if (!is_done) FailAs(text.c_str());
}

Transaction::Transaction(const Connection& connection) : connection_(connection) {
  connection_.Run("BEGIN TRANSACTION");
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    connection_.Run("ROLLBACK");
  } catch (const StatedFailure&) {  // the engine has rolled back itself
  }
}

void Transaction::Commit() {
  is_open_ = false;
  connection_.Run("COMMIT");
}

}  // namespace softlbr::toolchain
