// BOLT's pre-aggregated text. Grammar that versions 19 and 22 share: no comments, no blank lines, single spaces, LF at
// every end. Build-id prefixes are ignored by both versions (another module's address would count as this one's), so
// external is exactly X:0.
//
// F or f: BOLT takes the origin of a fall-through into account. A run that begins where a call returned to (reached
// only from outside its function) must be f, or the edge from the block of the call to its continuation is lost.
//
// Runs inside PLT stubs are left out: BOLT has no flow graph of stubs, learns nothing from them and would count each as
// a trace that mismatches the code.
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

// Range starts that some branch of the same function reaches.
std::unordered_set<uint64_t> InternalTargets(const ConvertInput& input) {
  std::unordered_set<uint64_t> targets;
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.from.has_value() || !branch.to.has_value()) continue;
    const FunctionSymbol* function = input.symbols.Find(*branch.to);
    // Without symbols nothing is known of functions: every branch inside the module counts as internal.
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
    const FunctionSymbol* function = input.symbols.Find(range.first);
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
