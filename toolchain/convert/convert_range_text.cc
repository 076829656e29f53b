// Writes llvm-profgen's unsymbolized profile and AutoFDO's text. Both are blocks of lines, each block preceded by its
// line count:
//   FIRST-LAST:COUNT    ranges
//   ADDRESS:COUNT       AutoFDO only; always empty here
//   FROM->TO:COUNT      branches
// They also differ in the kind of address and in the number for external addresses.

#include <vector>

#include "toolchain/base/text.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

// llvm-profgen's address for code outside the binary (ExternalAddr).
constexpr uint64_t kLlvmExternal = 1;
// The target outside the binary, as simpleperf writes it.
constexpr uint64_t kAutofdoExternal = 0;

std::string RangeLine(uint64_t first, uint64_t last, uint64_t count) {
  return HexDigits(first) + '-' + HexDigits(last) + ':' + std::to_string(count) + '\n';
}

std::string BranchLine(uint64_t from, uint64_t to, uint64_t count) {
  return HexDigits(from) + "->" + HexDigits(to) + ':' + std::to_string(count) + '\n';
}

std::string CountedBlock(const std::vector<std::string>& lines) {
  std::string text = std::to_string(lines.size()) + '\n';
  for (const std::string& line : lines) text += line;
  return text;
}

// The file offset of a link-time address; nothing if no executable segment maps file bytes there.
std::optional<uint64_t> FileOffset(const ConvertInput& input, uint64_t address) {
  const Segment* segment = FindExecutableSegment(input.segments, address);
  if (segment == nullptr || address - segment->vaddr >= segment->file_bytes) return std::nullopt;
  return address - segment->vaddr + segment->file_offset;
}

}  // namespace

std::string ToLlvm(const ConvertInput& input) {
  if (input.branches.empty() && input.ranges.empty()) return "";
  std::vector<std::string> ranges;
  for (const ConvertRange& range : input.ranges) ranges.push_back(RangeLine(range.first, range.last, range.count));
  std::vector<std::string> branches;
  for (const ConvertBranch& branch : input.branches) {
    branches.push_back(
        BranchLine(branch.from.value_or(kLlvmExternal), branch.to.value_or(kLlvmExternal), branch.count));
  }
  return CountedBlock(ranges) + CountedBlock(branches);
}

std::string ToAutofdo(const ConvertInput& input) {
  std::vector<std::string> ranges;
  for (const ConvertRange& range : input.ranges) {
    const auto first = FileOffset(input, range.first);
    const auto last = FileOffset(input, range.last);
    if (first.has_value() && last.has_value()) ranges.push_back(RangeLine(*first, *last, range.count));
  }
  std::vector<std::string> branches;
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.from.has_value()) continue;  // the format cannot express an external source
    const auto from = FileOffset(input, *branch.from);
    const auto to = branch.to.has_value() ? FileOffset(input, *branch.to) : std::optional<uint64_t>(kAutofdoExternal);
    if (from.has_value() && to.has_value()) branches.push_back(BranchLine(*from, *to, branch.count));
  }
  if (ranges.empty() && branches.empty()) return "";
  return CountedBlock(ranges) + "0\n" + CountedBlock(branches);
}

}  // namespace softlbr::toolchain
