#include "toolchain/symbols/function_family.h"

#include <algorithm>
#include <array>

namespace softlbr::toolchain {
namespace {

constexpr std::array<std::string_view, 8> kKinds = {"cold", "part",     "isra",     "constprop",
                                                    "llvm", "lto_priv", "unlikely", "__uniq"};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

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

std::string_view FunctionIdentity(std::string_view name) {
  constexpr std::array<std::string_view, 3> kUnique = {"llvm", "lto_priv", "__uniq"};
  const std::string_view family = FunctionFamily(name);
  if (family.size() == name.size()) return family;
  const std::string_view suffix = name.substr(family.size() + 1);
  const size_t end = suffix.find('.');
  if (std::find(kUnique.begin(), kUnique.end(), suffix.substr(0, end)) == kUnique.end()) return family;
  size_t length = std::min(end, suffix.size());
  if (end != std::string_view::npos) {
    const size_t next = std::min(suffix.find('.', end + 1), suffix.size());
    if (IsNumber(suffix.substr(end + 1, next - end - 1))) length = next;
  }
  return name.substr(0, family.size() + 1 + length);
}

}  // namespace softlbr::toolchain
