#include "toolchain/upload/segment_name.h"

#include <charconv>
#include <cstdio>

namespace softlbr::toolchain {
namespace {

constexpr size_t kSessionDigits = 16;

std::optional<uint32_t> ParseFrameNumber(std::string_view text) {
  uint32_t number = 0;
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

std::string SessionText(uint64_t session) {
  char text[kSessionDigits + 1];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(session));
  return text;
}

std::string RangeText(const SegmentName& name) { return std::to_string(name.first) + "-" + std::to_string(name.last); }

std::string SegmentPath(const SegmentName& name) { return SessionText(name.session) + "/" + RangeText(name); }

std::optional<uint64_t> ParseSession(std::string_view text) {
  if (text.size() != kSessionDigits || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  uint64_t session = 0;
  std::from_chars(text.data(), text.data() + text.size(), session, 16);
  return session;
}

std::optional<SegmentName> ParseRange(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const std::optional<uint32_t> first = ParseFrameNumber(text.substr(0, dash));
  const std::optional<uint32_t> last = ParseFrameNumber(text.substr(dash + 1));
  if (!first || !last || *first > *last) return {};
  return SegmentName{0, *first, *last};
}

std::optional<SegmentName> ParseSegmentPath(std::string_view text) {
  if (text.size() <= kSessionDigits || text[kSessionDigits] != '/') return {};
  const std::optional<uint64_t> session = ParseSession(text.substr(0, kSessionDigits));
  std::optional<SegmentName> name = ParseRange(text.substr(kSessionDigits + 1));
  if (!session || !name) return {};
  name->session = *session;
  return name;
}

std::optional<SpoolName> ParseSpoolName(std::string_view text) {
  if (text.size() < kSessionDigits) return {};
  const std::optional<uint64_t> session = ParseSession(text.substr(0, kSessionDigits));
  const std::string_view rest = text.substr(kSessionDigits);
  if (!session || (rest != ".slbr" && rest != ".truncated.slbr")) return {};
  return SpoolName{*session, rest != ".slbr"};
}

}  // namespace softlbr::toolchain
