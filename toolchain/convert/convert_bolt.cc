// Writes BOLT's pre-aggregated text, in the grammar that versions 19 and 22 share:
//   B FROM TO COUNT 0        a taken branch (0 mispredicted)
//   F FIRST LAST COUNT       a fall-through range entered from inside its function
//   f FIRST LAST COUNT       a fall-through range entered from outside its function
// No comments, no blank lines, single spaces, LF after every line. External addresses are exactly X:0: both versions ignore
// build-id prefixes, so an address in another module would count as one of this module.
//
// F or f matters: a range that starts at a return address is entered only from outside its function. It must be f, or BOLT loses
// the edge from the block of the call to its continuation.
//
// Ranges inside PLT stubs are left out: BOLT builds no flow graph of stubs and would count each as a mismatching trace.
#include <charconv>
#include <unordered_set>

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

// Branch targets that a branch of the same function reaches.
std::unordered_set<uint64_t> InternalTargets(const ConvertInput& input) {
  std::unordered_set<uint64_t> targets;
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.from.has_value() || !branch.to.has_value()) continue;
    const FunctionSymbol* function = input.functions.Find(*branch.to);
    // Without a symbol the function is unknown: every branch from inside the module counts as internal.
    if (function == nullptr || (*branch.from >= function->start && *branch.from < function->end)) {
      targets.insert(*branch.to);
    }
  }
  return targets;
}

}  // namespace

std::string ToBolt(const ConvertInput& input) {
  std::string text;
  for (const ConvertBranch& branch : input.branches) {
    text += "B ";
    AppendPlace(&text, branch.from);
    text += ' ';
    AppendPlace(&text, branch.to);
    text += ' ' + std::to_string(branch.count) + " 0\n";
  }
  const std::unordered_set<uint64_t> internal = InternalTargets(input);
  for (const ConvertRange& range : input.ranges) {
    const FunctionSymbol* function = input.functions.Find(range.first);
    if (function != nullptr && function->is_stub) continue;
    text += internal.contains(range.first) ? "F " : "f ";
    AppendHex(&text, range.first);
    text += ' ';
    AppendHex(&text, range.last);
    text += ' ' + std::to_string(range.count) + '\n';
  }
  return text;
}

}  // namespace softlbr::toolchain
