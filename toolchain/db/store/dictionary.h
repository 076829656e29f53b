// Numbers for texts that many rows share, kept in a table.
#ifndef SOFTLBR_TOOLCHAIN_DB_STORE_DICTIONARY_H_
#define SOFTLBR_TOOLCHAIN_DB_STORE_DICTIONARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

class Dictionary {
 public:
  using Entry = std::pair<uint32_t, std::vector<std::string>>;

  Dictionary() = default;  // empty
  // texts: number of the table's columns behind `id`.
  Dictionary(const Connection& connection, std::string table, size_t texts);

  // The number of the row with these texts. A new one is to be written before the rows that use it, in their
  // transaction or an earlier one: TakeAdded, WriteEntries.
  uint32_t Of(std::vector<std::string> key);
  std::vector<Entry> TakeAdded() { return std::exchange(added_, {}); }

 private:
  std::map<std::vector<std::string>, uint32_t> ids_;
  std::vector<Entry> added_;
  uint32_t next_ = 1;
};

void WriteEntries(const Connection& connection, const std::string& table,
                  const std::vector<Dictionary::Entry>& entries);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_STORE_DICTIONARY_H_
