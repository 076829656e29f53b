#include "toolchain/clickhouse/row_binary.h"

#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {

RowBinary& RowBinary::Put(std::string_view text) {
  const std::string valid = Utf8Text(text);
  uint64_t bytes = valid.size();
  for (; bytes >= 0x80; bytes >>= 7) Put(static_cast<uint8_t>(bytes | 0x80));
  Put(static_cast<uint8_t>(bytes));
  bytes_ += valid;
  return *this;
}

}  // namespace softlbr::toolchain
