// Formats JSON for output: two-space indent, keys in the documented order, invalid UTF-8 in names replaced.
#ifndef SOFTLBR_TOOLCHAIN_BASE_JSON_TEXT_H_
#define SOFTLBR_TOOLCHAIN_BASE_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace softlbr::toolchain {

inline std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_JSON_TEXT_H_
