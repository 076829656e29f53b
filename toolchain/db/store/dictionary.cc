#include "toolchain/db/store/dictionary.h"

#include "toolchain/db/store/schema.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {

Dictionary::Dictionary(const Connection& connection, std::string table, size_t texts) {
  next_ = NextId(connection, table);
  Rows rows = connection.Query("FROM " + table);
  while (rows.Next()) {
    std::vector<std::string> key;
    for (size_t i = 1; i <= texts; ++i) key.emplace_back(rows.Text(i));
    ids_.emplace(std::move(key), static_cast<uint32_t>(rows.Count(0)));
  }
}

uint32_t Dictionary::Of(std::vector<std::string> key) {
  for (std::string& text : key) text = Utf8Text(text);  // as it is read again
  const auto [it, is_new] = ids_.try_emplace(std::move(key), next_);
  if (is_new) added_.emplace_back(next_++, it->first);
  return it->second;
}

void WriteEntries(const Connection& connection, const std::string& table,
                  const std::vector<Dictionary::Entry>& entries) {
  TableWriter writer(connection, table, ColumnsOf(table));
  for (const auto& [id, texts] : entries) {
    writer.Put(id);
    for (const std::string& text : texts) writer.Put(std::string_view(text));
    writer.EndRow();
  }
  writer.Close();
}

}  // namespace softlbr::toolchain
