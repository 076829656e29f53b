// Names of segments and spool files: session ids and frame numbers as text, both ways.
//
// Grammar: session = 16 lower-case hexadecimal digits; range = number "-" number, both decimal without leading zeros,
// below 2^32, the first not above the second. Each value has exactly one spelling, so names can be compared as text.
// Input: hostile (the path of a request). Nothing but digits, a-f, '-' and '/' is accepted, so a name needs no escaping
// anywhere.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_SEGMENT_NAME_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_SEGMENT_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

// Frames first .. last of a session, none missing.
struct SegmentName {
  uint64_t session = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  auto operator<=>(const SegmentName&) const = default;
};

// A finished session in a spool: "<session>.slbr", or "<session>.truncated.slbr" if the app ended before it was
// complete.
struct SpoolName {
  uint64_t session = 0;
  bool is_truncated = false;
};

std::string SessionText(uint64_t session);         // 00000000000000ff
std::string RangeText(const SegmentName& name);    // 0-17
std::string SegmentPath(const SegmentName& name);  // 00000000000000ff/0-17

std::optional<uint64_t> ParseSession(std::string_view text);
// The range alone; its session is 0.
std::optional<SegmentName> ParseRange(std::string_view text);
std::optional<SegmentName> ParseSegmentPath(std::string_view text);
std::optional<SpoolName> ParseSpoolName(std::string_view text);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_SEGMENT_NAME_H_
