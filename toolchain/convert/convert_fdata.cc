// Writes BOLT's own profile, fdata: what perf2bolt makes of the pre-aggregated text, and llvm-bolt and merge-fdata read. A line:
//   1 FUNCTION OFFSET 1 FUNCTION OFFSET MISPREDICTED COUNT      offsets in hexadecimal; 0 [unknown] 0 for a place outside
//
// Lines are the taken branches, without returns (perf2bolt ignores them), and for each conditional branch inside a fall-through
// range the edge to its successor. Edges into blocks that no branch ends are not written; llvm-bolt infers their counts.
//
// Names are BOLT's: a local symbol is NAME/n, the n-th local symbol of this name by address. Spaces and backslashes are escaped.
#include <elf.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "toolchain/convert/converters.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/names.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

// Of the symbols that cover an address, BOLT's name of the one that SymbolTable prefers.
class BoltNames {
 public:
  explicit BoltNames(const ElfImage& image) {
    std::vector<ElfSymbol> symbols = image.Symbols(false);
    std::stable_sort(symbols.begin(), symbols.end(), [](const ElfSymbol& a, const ElfSymbol& b) { return a.value < b.value; });
    std::map<std::string, uint64_t> numbers;
    for (const ElfSymbol& symbol : symbols) {
      const bool is_named = symbol.type != STT_SECTION && symbol.type != STT_FILE && !symbol.name.empty();
      if (!is_named || symbol.section == SHN_UNDEF || symbol.section == SHN_ABS) continue;
      const std::string name(symbol.name);
      if (symbol.binding == STB_LOCAL) {
        locals_.try_emplace({name, symbol.value}, ++numbers[name]);
      } else {
        globals_.insert({name, symbol.value});
      }
    }
  }

  // Empty if the symbol is not in the symbol table (a PLT stub).
  std::string Name(const FunctionSymbol& function) const {
    const std::pair<std::string, uint64_t> key{function.name, function.start};
    std::string name;
    if (globals_.contains(key)) {
      name = function.name;
    } else if (const auto it = locals_.find(key); it != locals_.end()) {
      name = function.name + '/' + std::to_string(it->second);
    }
    std::string escaped;
    for (const char c : name) {
      if (c == ' ' || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  }

 private:
  std::map<std::pair<std::string, uint64_t>, uint64_t> locals_;
  std::set<std::pair<std::string, uint64_t>> globals_;
};

}  // namespace

std::string ToFdata(const ConvertInput& input) {
  if (input.image == nullptr) {
    throw StatedFailure("fdata: the program's file is needed for the names of its functions; name it with -b");
  }
  if (input.walker == nullptr) {
    throw StatedFailure("fdata: no decoder plugin for " + MachineName(input.image->machine()) +
                        "; it is needed to find branches not taken (install its libsoftlbr_decoder_*.so)");
  }
  const BoltNames names(*input.image);
  const auto place = [&](const std::optional<uint64_t>& address) -> std::string {
    const FunctionSymbol* function = address.has_value() ? input.symbols.Find(*address) : nullptr;
    const std::string name = function != nullptr ? names.Name(*function) : "";
    if (name.empty()) return "0 [unknown] 0";
    return "1 " + name + ' ' + HexDigits(*address - function->start);
  };
  std::map<std::pair<std::string, std::string>, uint64_t> edges;
  const auto add = [&](const std::optional<uint64_t>& from, const std::optional<uint64_t>& to, uint64_t count) {
    std::pair<std::string, std::string> edge{place(from), place(to)};
    if (edge.first[0] == '0' && edge.second[0] == '0') return;
    uint64_t& sum = edges[std::move(edge)];
    sum = SaturatingAdd(sum, count);
  };
  for (const ConvertBranch& branch : input.branches) {
    if (branch.from.has_value() && input.walker->KindAt(*branch.from) == SOFTLBR_END_RETURN) continue;
    add(branch.from, branch.to, branch.count);
  }
  std::map<uint64_t, uint64_t> not_taken;
  for (const ConvertRange& range : input.ranges) {
    for (const uint64_t address : input.walker->Walk(range.first, range.last).not_taken) {
      not_taken[address] = SaturatingAdd(not_taken[address], range.count);
    }
  }
  for (const auto& [address, count] : not_taken) {
    const FunctionSymbol* function = input.symbols.Find(address);
    const uint64_t next = address + input.walker->Walk(address, address).bytes;
    if (function != nullptr && next < function->end) add(address, next, count);
  }
  std::string text;
  for (const auto& [edge, count] : edges) text += edge.first + ' ' + edge.second + " 0 " + std::to_string(count) + '\n';
  return text;
}

}  // namespace softlbr::toolchain
