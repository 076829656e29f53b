#include "runtime/format/crc32c.h"

namespace softlbr {
namespace {

// One step for each half byte keeps the table small; frames are small too.
struct Table {
  uint32_t entries[16];
};

constexpr uint32_t kReflectedPolynomial = 0x82f63b78;

constexpr Table MakeTable() {
  Table table{};
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 4; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kReflectedPolynomial : 0);
    table.entries[i] = value;
  }
  return table;
}

constexpr Table kTable = MakeTable();

}  // namespace

uint32_t Crc32c(const void* bytes, uint64_t count) {
  const uint8_t* input = static_cast<const uint8_t*>(bytes);
  uint32_t crc = 0xffffffff;
  for (uint64_t i = 0; i < count; ++i) {
    crc ^= input[i];
    crc = (crc >> 4) ^ kTable.entries[crc & 15];
    crc = (crc >> 4) ^ kTable.entries[crc & 15];
  }
  return ~crc;
}

}  // namespace softlbr
