// Writes BOLT's pre-aggregated text. In ToBolt the grammar that versions 19 and 22 share:
//   B FROM TO COUNT 0        a taken branch (0 mispredicted)
//   F FIRST LAST COUNT       a fall-through range entered from inside its function
//   f FIRST LAST COUNT       a fall-through range entered from outside its function
// and, in ToBoltTraces, the form of version 22, which joins a branch and the range behind it:
//   T FROM TO LAST COUNT     LAST is ffffffffffffffff if no range is known
//   R FROM TO LAST COUNT     the same, the branch is a return
//   r FIRST LAST COUNT       a range behind a return from outside
// No comments, no blank lines, single spaces, LF after every line. External addresses are exactly X:0: both versions
// ignore build-id prefixes, so an address in another module would count as one of this module.
//
// Ranges inside PLT stubs are left out: BOLT builds no flow graph of stubs and would count each as a mismatching trace.
#include <algorithm>
#include <charconv>

#include "toolchain/convert/bolt_blocks.h"
#include "toolchain/convert/branch_supply.h"
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

void AppendRange(std::string* text, const char* kind, const BoltRange& range, uint64_t count) {
  *text += kind;
  AppendHex(text, range.first);
  *text += ' ';
  AppendHex(text, range.last);
  *text += ' ' + std::to_string(std::min(count, kMaxBoltCount)) + '\n';
}

// For "no range known behind the branch".
constexpr uint64_t kNoRange = ~uint64_t{0};

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
  for (const BoltRange& range : BoltRanges(input))
    AppendRange(&text, range.is_internal ? "F " : "f ", range, range.count);
  return text;
}

// Each branch with the range behind it. A range that no recorded branch leads to begins a trace.
std::string ToBoltTraces(const ConvertInput& input) {
  std::string text;
  const auto add = [&](const char* kind, const ConvertBranch& branch, std::optional<uint64_t> last, uint64_t count) {
    text += kind;
    AppendPlace(&text, branch.from);
    text += ' ';
    AppendPlace(&text, branch.to);
    text += ' ';
    AppendHex(&text, last.value_or(kNoRange));
    text += ' ' + std::to_string(std::min(count, kMaxBoltCount)) + '\n';
  };
  BranchSupply into;
  std::vector<uint64_t> left;
  for (const ConvertBranch& branch : input.branches) {
    if (branch.to.has_value()) into.Add(*branch.to, left.size(), branch.count);
    left.push_back(branch.count);
  }
  const auto kind_of = [&input](const ConvertBranch& branch) {
    const bool is_return =
        input.walker != nullptr && branch.from.has_value() && input.walker->KindAt(*branch.from) == SOFTLBR_END_RETURN;
    return is_return ? "R " : "T ";
  };
  for (const BoltRange& range : BoltRanges(input)) {
    uint64_t wanted = range.count;
    while (wanted != 0) {
      size_t branch = 0;
      uint64_t taken = 0;
      if (!into.Take(range.first, wanted, &branch, &taken)) break;
      const ConvertBranch& before = input.branches[branch];
      // T from outside into a function would be taken for a call there: r is a range behind a return to it.
      const FunctionSymbol* function = input.functions.Find(range.first);
      const bool is_entry = function != nullptr && function->start == range.first;
      if (before.from.has_value() || is_entry) {
        add(kind_of(before), before, range.last, taken);
      } else {
        AppendRange(&text, "r ", range, taken);
      }
      left[branch] -= taken;
      wanted -= taken;
    }
    if (wanted != 0) AppendRange(&text, range.is_internal ? "F " : "f ", range, wanted);
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] != 0) add(kind_of(input.branches[i]), input.branches[i], std::nullopt, left[i]);
  }
  return text;
}

}  // namespace softlbr::toolchain
