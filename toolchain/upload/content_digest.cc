#include "toolchain/upload/content_digest.h"

#include <algorithm>
#include <cctype>

#include "toolchain/base/sha256.h"

namespace softlbr::toolchain {
namespace {

constexpr std::string_view kName = "sha-256=";

std::string Base64(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[at + i] : 0u);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[group >> (18 - 6 * i) & 0x3f] : '=';
  }
  return text;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

bool HasName(std::string_view member) {
  return member.size() >= kName.size() &&
         std::equal(kName.begin(), kName.end(), member.begin(),
                    [](char name, char given) { return name == std::tolower(static_cast<unsigned char>(given)); });
}

}  // namespace

std::string ContentDigest(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.Add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return std::string(kName) + ":" + Base64(hash.Digest()) + ":";
}

DigestMatch CompareDigest(std::string_view field, std::string_view digest) {
  DigestMatch match = DigestMatch::kNone;
  while (!field.empty()) {
    const size_t comma = field.find(',');
    const std::string_view whole = field.substr(0, comma);
    field.remove_prefix(comma == std::string_view::npos ? field.size() : comma + 1);
    const std::string_view member = Trimmed(whole.substr(0, whole.find(';')));
    if (!HasName(member)) continue;
    if (member.substr(kName.size()) != digest.substr(kName.size())) return DigestMatch::kOther;
    match = DigestMatch::kSame;
  }
  return match;
}

}  // namespace softlbr::toolchain
