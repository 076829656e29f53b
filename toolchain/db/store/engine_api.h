// The functions of DuckDB's C API that softlbr calls, loaded with the first use.
//
// The engine is no package of distributions: `softlbr db setup` fetches it. The declarations are written from the
// documented API, which is stable since DuckDB 1.0, so no header of the engine is needed to build. Names are the
// engine's without their prefix "duckdb_".
//
// Where it is looked for: the file $SOFTLBR_DUCKDB, and nowhere else if that is set; libduckdb.so in the command's
// library folders (toolchain/base/install_layout.h); in EngineFolder(); where the dynamic loader looks.
#ifndef SOFTLBR_TOOLCHAIN_DB_STORE_ENGINE_API_H_
#define SOFTLBR_TOOLCHAIN_DB_STORE_ENGINE_API_H_

#include <cstdint>
#include <string>

namespace softlbr::toolchain {

using DuckHandle =
    void*;  // database, connection, prepared statement, appender, chunk, vector, type, configuration: opaque pointers

// Result of most functions.
enum DuckState : int { kDuckSuccess = 0, kDuckError = 1 };

// Types of columns, by the API's numbers.
enum class DuckType : int {
  kBoolean = 1,
  kTinyint = 2,
  kSmallint = 3,
  kInteger = 4,
  kBigint = 5,
  kUtinyint = 6,
  kUsmallint = 7,
  kUinteger = 8,
  kUbigint = 9,
  kFloat = 10,
  kDouble = 11,
  kHugeint = 16,
  kVarchar = 17,
  kDecimal = 19,
  kEnum = 23,
  kUhugeint = 32,
  kSqlNull = 36,
};

// The caller's memory of a result. Only the engine reads and writes it.
struct DuckResult {
  uint64_t counts[3];
  void* pointers[3];
};
static_assert(sizeof(DuckResult) == 48, "the API's struct: the engine writes all of it");

// A text in a vector: up to 12 bytes are inside, longer ones elsewhere.
struct DuckText {
  static constexpr uint32_t kInsideBytes = 12;
  uint32_t bytes;
  char inside[4];  // the first of kInsideBytes; the rest overlaps `elsewhere`
  const char* elsewhere;
};
static_assert(sizeof(DuckText) == 16, "the API's struct: an array of it is a vector of texts");

struct DuckHugeint {
  uint64_t lower;
  int64_t upper;
};
static_assert(sizeof(DuckHugeint) == 16, "the API's struct: an array of it is a vector of 128-bit integers");

struct EngineApi {
  const char* (*library_version)();
  void (*free)(void* memory);
  // Databases and connections.
  DuckState (*create_config)(DuckHandle* config);
  DuckState (*set_config)(DuckHandle config, const char* name, const char* value);
  void (*destroy_config)(DuckHandle* config);
  DuckState (*open_ext)(const char* path, DuckHandle* database, DuckHandle config, char** error);  // error: for free()
  void (*close)(DuckHandle* database);
  DuckState (*connect)(DuckHandle database, DuckHandle* connection);
  void (*disconnect)(DuckHandle* connection);
  // Statements. A result and a statement must be destroyed after a failure, too.
  DuckState (*query)(DuckHandle connection, const char* sql, DuckResult* result);
  DuckState (*prepare)(DuckHandle connection, const char* sql, DuckHandle* statement);
  const char* (*prepare_error)(DuckHandle statement);
  void (*destroy_prepare)(DuckHandle* statement);
  DuckState (*bind_uint64)(DuckHandle statement, uint64_t parameter, uint64_t value);  // parameters count from 1
  DuckState (*bind_varchar_length)(DuckHandle statement, uint64_t parameter, const char* text, uint64_t bytes);
  DuckState (*execute_prepared)(DuckHandle statement, DuckResult* result);
  // Results.
  const char* (*result_error)(DuckResult* result);
  void (*destroy_result)(DuckResult* result);
  uint64_t (*column_count)(DuckResult* result);
  const char* (*column_name)(DuckResult* result, uint64_t column);
  DuckType (*column_type)(DuckResult* result, uint64_t column);
  DuckHandle (*column_logical_type)(DuckResult* result, uint64_t column);
  uint8_t (*decimal_scale)(DuckHandle type);
  DuckType (*decimal_internal_type)(DuckHandle type);
  // Enumerations have a number of kUtinyint, kUsmallint or kUinteger in each row, and texts of these numbers.
  DuckType (*enum_internal_type)(DuckHandle type);
  uint32_t (*enum_dictionary_size)(DuckHandle type);
  char* (*enum_dictionary_value)(DuckHandle type, uint64_t number);  // for free()
  DuckHandle (*fetch_chunk)(DuckResult result);                      // null at the end
  // Chunks: vectors of up to vector_size() rows. A validity mask is null if no row is NULL.
  uint64_t (*vector_size)();
  void (*destroy_logical_type)(DuckHandle* type);
  DuckHandle (*create_data_chunk)(DuckHandle* types, uint64_t columns);
  void (*data_chunk_reset)(DuckHandle chunk);
  void (*destroy_data_chunk)(DuckHandle* chunk);
  uint64_t (*data_chunk_get_size)(DuckHandle chunk);
  void (*data_chunk_set_size)(DuckHandle chunk, uint64_t rows);
  DuckHandle (*data_chunk_get_vector)(DuckHandle chunk, uint64_t column);
  void* (*vector_get_data)(DuckHandle vector);
  uint64_t* (*vector_get_validity)(DuckHandle vector);
  void (*vector_ensure_validity_writable)(DuckHandle vector);
  void (*vector_assign_string_element_len)(DuckHandle vector, uint64_t row, const char* text, uint64_t bytes);
  // Table functions, whose rows the caller makes. An empty chunk ends them.
  DuckHandle (*create_logical_type)(DuckType type);
  DuckHandle (*create_table_function)();
  void (*destroy_table_function)(DuckHandle* function);
  void (*table_function_set_name)(DuckHandle function, const char* name);
  void (*table_function_set_extra_info)(DuckHandle function, void* extra, void (*destroy)(void* extra));
  void (*table_function_set_bind)(DuckHandle function, void (*bind)(DuckHandle info));
  void (*table_function_set_init)(DuckHandle function, void (*init)(DuckHandle info));
  void (*table_function_set_function)(DuckHandle function, void (*fill)(DuckHandle info, DuckHandle chunk));
  DuckState (*register_table_function)(DuckHandle connection, DuckHandle function);
  void* (*bind_get_extra_info)(DuckHandle info);
  void (*bind_add_result_column)(DuckHandle info, const char* name, DuckHandle type);
  void (*init_set_max_threads)(DuckHandle info, uint64_t threads);
  void* (*function_get_extra_info)(DuckHandle info);
  void (*function_set_error)(DuckHandle info, const char* error);
  // Appenders.
  DuckState (*appender_create)(DuckHandle connection, const char* schema, const char* table, DuckHandle* appender);
  DuckHandle (*appender_column_type)(DuckHandle appender, uint64_t column);  // for destroy_logical_type()
  const char* (*appender_error)(DuckHandle appender);
  DuckState (*append_data_chunk)(DuckHandle appender, DuckHandle chunk);
  DuckState (*appender_close)(DuckHandle appender);
  DuckState (*appender_destroy)(DuckHandle* appender);
};

// StatedFailure with the remedy if it cannot be loaded.
const EngineApi& Engine();

// Where `softlbr db setup` puts the engine: $XDG_DATA_HOME/softlbr, ~/.local/share/softlbr by default. Empty if there
// is no home folder.
std::string EngineFolder();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_STORE_ENGINE_API_H_
