// Decodes messages of protocol buffers: numbers and nested messages.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_CONVERT_PROTO_FIELDS_H_
#define SOFTLBR_TESTS_TOOLCHAIN_CONVERT_PROTO_FIELDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace softlbr::testing {

// The fields of a message, by number; nested messages are kept as bytes.
struct Fields {
  std::multimap<uint64_t, uint64_t> numbers;
  std::multimap<uint64_t, std::string> messages;
  bool is_well_formed = true;
};

inline std::optional<uint64_t> TakeVarint(std::string* bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->erase(0, 1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

inline Fields Decode(std::string bytes) {
  Fields fields;
  while (!bytes.empty()) {
    const auto tag = TakeVarint(&bytes);
    const auto value = TakeVarint(&bytes);
    if (!tag.has_value() || !value.has_value()) {
      fields.is_well_formed = false;
      break;
    }
    if ((*tag & 7) == 0) {
      fields.numbers.emplace(*tag >> 3, *value);
    } else if ((*tag & 7) == 2 && *value <= bytes.size()) {
      fields.messages.emplace(*tag >> 3, bytes.substr(0, *value));
      bytes.erase(0, *value);
    } else {
      fields.is_well_formed = false;
      break;
    }
  }
  return fields;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_CONVERT_PROTO_FIELDS_H_
