#include "runtime/format/crc32c.h"

namespace softlbr {
namespace {

struct Table {
  uint32_t entries[256];
};

constexpr uint32_t kReflectedPolynomial = 0x82f63b78;

constexpr Table MakeTable() {
  Table table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kReflectedPolynomial : 0);
    table.entries[i] = value;
  }
  return table;
}

constexpr Table kTable = MakeTable();

}  // namespace

uint32_t Crc32c(const void* bytes, uint64_t count) {
  const uint8_t* input = static_cast<const uint8_t*>(bytes);
  uint32_t crc = 0xffffffff;
  for (uint64_t i = 0; i < count; ++i) crc = (crc >> 8) ^ kTable.entries[(crc ^ input[i]) & 0xff];
  return ~crc;
}

}  // namespace softlbr
