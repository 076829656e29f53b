// Writes BOLT's pre-aggregated text, in the grammar that versions 19 and 22 share:
//   B FROM TO COUNT 0        a taken branch (0 mispredicted)
//   F FIRST LAST COUNT       a fall-through range entered from inside its function
//   f FIRST LAST COUNT       a fall-through range entered from outside its function
// No comments, no blank lines, single spaces, LF after every line. External addresses are exactly X:0: both versions ignore
// build-id prefixes, so an address in another module would count as one of this module.
//
// Ranges inside PLT stubs are left out: BOLT builds no flow graph of stubs and would count each as a mismatching trace.
#include <algorithm>
#include <charconv>

#include "toolchain/convert/bolt_blocks.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

void AppendHex(std::string* text, uint64_t value) {
  char buffer[20];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  text->append(buffer, end);
}

void AppendPlace(std::string* text, const std::optional<uint64_t>& place) {
  if (place.has_value()) {
    AppendHex(text, *place);
  } else {
    *text += "X:0";
  }
}

}  // namespace

std::string ToBolt(const ConvertInput& input) {
  std::string text;
  for (const ConvertBranch& branch : input.branches) {
    text += "B ";
    AppendPlace(&text, branch.from);
    text += ' ';
    AppendPlace(&text, branch.to);
    text += ' ' + std::to_string(std::min(branch.count, kMaxBoltCount)) + " 0\n";
  }
  for (const BoltRange& range : BoltRanges(input)) {
    text += range.is_internal ? "F " : "f ";
    AppendHex(&text, range.first);
    text += ' ';
    AppendHex(&text, range.last);
    text += ' ' + std::to_string(std::min(range.count, kMaxBoltCount)) + '\n';
  }
  return text;
}

}  // namespace softlbr::toolchain
