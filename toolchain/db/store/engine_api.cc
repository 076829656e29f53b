#include "toolchain/db/store/engine_api.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/install_layout.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr char kEngineFile[] = "libduckdb.so";

const char* SetVariable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

// The files to try, in order.
std::vector<std::string> EngineFiles() {
  if (const char* file = SetVariable("SOFTLBR_DUCKDB")) return {file};
  std::vector<std::string> files;
  for (const std::string& file : {FindLibrary(kEngineFile), EngineFolder() + "/" + kEngineFile}) {
    if (!file.empty() && access(file.c_str(), F_OK) == 0) files.push_back(file);
  }
  files.push_back(kEngineFile);
  return files;
}

// Finds the functions of an opened library by their names.
class FunctionFinder {
 public:
  FunctionFinder(void* library, std::string name) : library_(library), name_(std::move(name)) {}

  template <typename Function>
  void operator()(const char* name, Function* function) const {
    *function = reinterpret_cast<Function>(dlsym(library_, name));
    if (*function == nullptr) {
      throw StatedFailure("db: " + SafeText(name_) + " has no function " + name +
                          ", so it is not a DuckDB of this API; run `softlbr db setup`");
    }
  }

 private:
  void* library_;
  std::string name_;
};

EngineApi LoadEngine() {
  void* library = nullptr;
  std::string cause;
  std::string name;
  for (const std::string& file : EngineFiles()) {
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    name = file;
    if (library != nullptr) break;
    if (const char* error = dlerror(); cause.empty() && error != nullptr) cause = error;
  }
  if (library == nullptr) {
    throw StatedFailure(
        "db: the engine, DuckDB, cannot be loaded (" + SafeText(cause) +
        "); run `softlbr db setup`, which fetches it with npm, or name the file libduckdb.so in SOFTLBR_DUCKDB");
  }
  const FunctionFinder find(library, name);
  EngineApi api{};
#define SOFTLBR_FIND(function) find("duckdb_" #function, &api.function)
  SOFTLBR_FIND(library_version);
  SOFTLBR_FIND(free);
  SOFTLBR_FIND(create_config);
  SOFTLBR_FIND(set_config);
  SOFTLBR_FIND(destroy_config);
  SOFTLBR_FIND(open_ext);
  SOFTLBR_FIND(close);
  SOFTLBR_FIND(connect);
  SOFTLBR_FIND(disconnect);
  SOFTLBR_FIND(query);
  SOFTLBR_FIND(prepare);
  SOFTLBR_FIND(prepare_error);
  SOFTLBR_FIND(destroy_prepare);
  SOFTLBR_FIND(bind_uint64);
  SOFTLBR_FIND(bind_varchar_length);
  SOFTLBR_FIND(execute_prepared);
  SOFTLBR_FIND(result_error);
  SOFTLBR_FIND(destroy_result);
  SOFTLBR_FIND(column_count);
  SOFTLBR_FIND(column_name);
  SOFTLBR_FIND(column_type);
  SOFTLBR_FIND(column_logical_type);
  SOFTLBR_FIND(decimal_scale);
  SOFTLBR_FIND(decimal_internal_type);
  SOFTLBR_FIND(enum_internal_type);
  SOFTLBR_FIND(enum_dictionary_size);
  SOFTLBR_FIND(enum_dictionary_value);
  SOFTLBR_FIND(fetch_chunk);
  SOFTLBR_FIND(vector_size);
  SOFTLBR_FIND(destroy_logical_type);
  SOFTLBR_FIND(create_data_chunk);
  SOFTLBR_FIND(data_chunk_reset);
  SOFTLBR_FIND(destroy_data_chunk);
  SOFTLBR_FIND(data_chunk_get_size);
  SOFTLBR_FIND(data_chunk_set_size);
  SOFTLBR_FIND(data_chunk_get_vector);
  SOFTLBR_FIND(vector_get_data);
  SOFTLBR_FIND(vector_get_validity);
  SOFTLBR_FIND(vector_ensure_validity_writable);
  SOFTLBR_FIND(vector_assign_string_element_len);
  SOFTLBR_FIND(create_logical_type);
  SOFTLBR_FIND(create_table_function);
  SOFTLBR_FIND(destroy_table_function);
  SOFTLBR_FIND(table_function_set_name);
  SOFTLBR_FIND(table_function_set_extra_info);
  SOFTLBR_FIND(table_function_set_bind);
  SOFTLBR_FIND(table_function_set_init);
  SOFTLBR_FIND(table_function_set_function);
  SOFTLBR_FIND(register_table_function);
  SOFTLBR_FIND(bind_get_extra_info);
  SOFTLBR_FIND(bind_add_result_column);
  SOFTLBR_FIND(init_set_max_threads);
  SOFTLBR_FIND(function_get_extra_info);
  SOFTLBR_FIND(function_set_error);
  SOFTLBR_FIND(appender_create);
  SOFTLBR_FIND(appender_column_type);
  SOFTLBR_FIND(appender_error);
  SOFTLBR_FIND(append_data_chunk);
  SOFTLBR_FIND(appender_close);
  SOFTLBR_FIND(appender_destroy);
#undef SOFTLBR_FIND
  return api;
}

}  // namespace

std::string EngineFolder() {
  if (const char* data = SetVariable("XDG_DATA_HOME")) return std::string(data) + "/softlbr";
  const char* home = SetVariable("HOME");
  return home != nullptr ? std::string(home) + "/.local/share/softlbr" : "";
}

const EngineApi& Engine() {
  static const EngineApi api = LoadEngine();
  return api;
}

}  // namespace softlbr::toolchain
