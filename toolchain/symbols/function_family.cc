#include "toolchain/symbols/function_family.h"

#include <algorithm>
#include <array>

namespace softlbr::toolchain {
namespace {

constexpr std::array<std::string_view, 8> kKinds = {"cold", "part", "isra", "constprop", "llvm", "lto_priv", "unlikely", "__uniq"};

bool IsNumber(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

// The part of `name` before its last suffix, ".KIND" or ".KIND.NUMBER"; `name` itself if it has none.
std::string_view WithoutSuffix(std::string_view name) {
  std::string_view rest = name;
  size_t dot = rest.rfind('.');
  if (dot != std::string_view::npos && IsNumber(rest.substr(dot + 1))) {
    rest = rest.substr(0, dot);
    dot = rest.rfind('.');
  }
  if (dot == std::string_view::npos || dot == 0) return name;
  const std::string_view word = rest.substr(dot + 1);
  if (std::find(kKinds.begin(), kKinds.end(), word) == kKinds.end()) return name;
  return rest.substr(0, dot);
}

}  // namespace

std::string_view FunctionFamily(std::string_view name) {
  for (std::string_view rest = WithoutSuffix(name); rest.size() != name.size(); rest = WithoutSuffix(name)) name = rest;
  return name;
}

}  // namespace softlbr::toolchain
