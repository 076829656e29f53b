#include "toolchain/db/store/row_source.h"

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {

MadeRow::MadeRow(DuckHandle chunk, size_t columns) : chunk_(chunk), capacity_(Engine().vector_size()) {
  for (size_t i = 0; i < columns; ++i) {
    vectors_.push_back(Engine().data_chunk_get_vector(chunk, i));
    data_.push_back(Engine().vector_get_data(vectors_.back()));
  }
}

void MadeRow::Put(std::string_view text) {
  Engine().vector_assign_string_element_len(vectors_[column_++], row_, text.data(), text.size());
}

void MadeRow::PutNull() {
  DuckHandle vector = vectors_[column_++];
  Engine().vector_ensure_validity_writable(vector);
  Engine().vector_get_validity(vector)[row_ / 64] &= ~(uint64_t{1} << (row_ % 64));
}

void MadeRow::End() {
  column_ = 0;
  ++row_;
}

void MadeRow::Close() const { Engine().data_chunk_set_size(chunk_, row_); }

RegisteredRows::RegisteredRows(const Connection& connection, const char* name, RowSource* source)
    : source_(source), columns_(source->Columns()) {
  DuckHandle function = Engine().create_table_function();
  Engine().table_function_set_name(function, name);
  Engine().table_function_set_extra_info(function, this, nullptr);
  Engine().table_function_set_bind(function, Bind);
  Engine().table_function_set_init(function, Begin);
  Engine().table_function_set_function(function, Fill);
  const DuckState state = Engine().register_table_function(connection.handle(), function);
  Engine().destroy_table_function(&function);
  if (state != kDuckSuccess)
    throw StatedFailure("db: the engine takes no rows of this command; run `softlbr db setup`");
}

void RegisteredRows::Bind(DuckHandle info) {
  const auto* self = static_cast<const RegisteredRows*>(Engine().bind_get_extra_info(info));
  for (const RowSource::Column& column : self->columns_) {
    DuckHandle type = Engine().create_logical_type(column.type);
    Engine().bind_add_result_column(info, column.name, type);
    Engine().destroy_logical_type(&type);
  }
}

void RegisteredRows::Begin(DuckHandle info) { Engine().init_set_max_threads(info, 1); }

// Exceptions must not pass through the engine.
void RegisteredRows::Fill(DuckHandle info, DuckHandle chunk) {
  auto* self = static_cast<RegisteredRows*>(Engine().function_get_extra_info(info));
  try {
    MadeRow row(chunk, self->columns_.size());
    while (!row.IsFull() && self->source_->Make(&row)) row.End();
    row.Close();
  } catch (...) {
    self->failure_ = std::current_exception();
    Engine().function_set_error(info, "its rows cannot be made");
  }
}

}  // namespace softlbr::toolchain
