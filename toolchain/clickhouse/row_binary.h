// Rows in ClickHouse's format RowBinary, as an INSERT takes them.
//
// Numbers are little-endian, texts have their length in front; a nullable column has a byte in front, 1 for NULL. Names
// come here and nowhere into statements, so their bytes mean nothing to the server.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_ROW_BINARY_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_ROW_BINARY_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

class RowBinary {
 public:
  template <std::integral T>
  RowBinary& Put(T value) {
    auto bits = static_cast<uint64_t>(value);
    for (size_t i = 0; i < sizeof(T); ++i, bits >>= 8) bytes_ += static_cast<char>(bits & 0xff);
    return *this;
  }
  // The text as Utf8Text has it, like the texts of a database file.
  RowBinary& Put(std::string_view text);
  // Of a nullable column: in front of the value, or in place of it.
  RowBinary& PutPresent() { return Put(uint8_t{0}); }
  RowBinary& PutNull() { return Put(uint8_t{1}); }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  void Clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_ROW_BINARY_H_
