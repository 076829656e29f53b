// Writes BOLT's own profile, fdata: what perf2bolt makes of the pre-aggregated text, and llvm-bolt and merge-fdata
// read. A line:
//   1 FUNCTION OFFSET 1 FUNCTION OFFSET MISPREDICTED COUNT      offsets in hexadecimal; 0 [unknown] 0 for a place
//                                                               outside
//
// Lines are the taken branches, without returns (perf2bolt ignores them), and the edges of fall-through ranges from one
// basic block to the next (bolt_blocks.h).
//
// A profile of a result of llvm-bolt is told in terms of the program before, by its address translation table
// (bolt_translation.h), and begins with the line boltedcollection.
//
// Names are BOLT's: a local symbol is NAME/n, the n-th local symbol of this name by address. Spaces and backslashes are
// escaped.
#include <elf.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/bolt_translation.h"
#include "toolchain/convert/bolt_blocks.h"
#include "toolchain/convert/consumer_check.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

// How SymbolTable names the stub of a function of another module. A stub of no function is "[SECTION]".
constexpr std::string_view kStubSuffix = "@plt";

std::string StubSection(const FunctionSymbol& stub) { return stub.name.substr(1, stub.name.size() - 2); }

// BOLT's name of a function is that of the first symbol at its address in the symbol table.
class BoltNames {
 public:
  // with_files: in a result of llvm-bolt a local symbol is NAME/FILE/n, where its file is known.
  BoltNames(const ElfImage& image, bool with_files) {
    struct Named {
      ElfSymbol symbol;
      std::string_view file;
    };
    std::vector<Named> symbols;
    std::string_view file;
    for (const ElfSymbol& symbol : image.Symbols(false)) {
      if (symbol.type == STT_FILE) file = symbol.name;
      symbols.push_back({symbol, symbol.binding == STB_LOCAL ? file : ""});
    }
    std::stable_sort(symbols.begin(), symbols.end(),
                     [](const Named& a, const Named& b) { return a.symbol.value < b.symbol.value; });
    std::map<std::string, uint64_t> numbers;
    for (const auto& [symbol, of_file] : symbols) {
      const bool is_named = symbol.type != STT_SECTION && symbol.type != STT_FILE && !symbol.name.empty();
      if (!is_named || symbol.section == SHN_UNDEF || symbol.section == SHN_ABS) continue;
      std::string name(symbol.name);
      const bool has_file = with_files && !of_file.empty();
      if (has_file) name += '/' + std::string(of_file);
      if (symbol.binding == STB_LOCAL) name += '/' + std::to_string(++numbers[name]);
      const bool is_function = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
      const int rank = (is_function ? 1 : 0) + (has_file ? 2 : 0);
      const auto [it, is_new] = names_.try_emplace(symbol.value, name, rank);
      if (!is_new && rank > it->second.second) it->second = {name, rank};
    }
  }

  // Empty if the symbol is not in the symbol table.
  std::string Name(const FunctionSymbol& function) const {
    std::string name;
    if (function.is_stub) {
      const size_t at = function.name.rfind(kStubSuffix);
      name = at != std::string::npos ? function.name.substr(0, at) + "@PLT" : "__BOLT_PSEUDO_" + StubSection(function);
    } else if (const auto it = names_.find(function.start); it != names_.end()) {
      name = it->second.first;
    }
    std::string escaped;
    for (const char c : name) {
      if (c == ' ' || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  }

 private:
  std::map<uint64_t, std::pair<std::string, int>> names_;  // by address, with a rank
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
  const std::optional<BoltTranslation> translation = BoltTranslation::Read(*input.image);
  if (!translation.has_value() && HasAddressTranslation(*input.image)) {
    throw StatedFailure(SafeText(input.image->path()) +
                        ": the table of where its code came from cannot be read; leave --format fdata out, and let "
                        "perf2bolt translate");
  }
  const BoltNames names(*input.image, translation.has_value());
  // In a result of llvm-bolt: the place in the program before.
  const auto place = [&](const std::optional<uint64_t>& address, bool is_source) -> std::string {
    const FunctionSymbol* function = address.has_value() ? input.functions.Find(*address) : nullptr;
    if (function == nullptr) return "0 [unknown] 0";
    uint64_t offset = *address - function->start;
    if (translation.has_value()) {
      offset = translation->Translate(function->start, offset, is_source);
      const FunctionSymbol* parent = input.functions.Find(translation->ParentOf(function->start));
      if (parent != nullptr) function = parent;
    }
    const std::string name = names.Name(*function);
    if (name.empty()) return "0 [unknown] 0";
    const ElfSection* stubs = function->is_stub && !function->name.ends_with(kStubSuffix)
                                  ? input.image->FindSection(StubSection(*function))
                                  : nullptr;
    if (stubs != nullptr) offset = *address - stubs->vaddr;
    return "1 " + name + ' ' + HexDigits(offset);
  };
  std::map<std::pair<std::string, std::string>, uint64_t> edges;
  const auto add = [&](const std::optional<uint64_t>& from, const std::optional<uint64_t>& to, uint64_t count) {
    std::pair<std::string, std::string> edge{place(from, true), place(to, false)};
    if (edge.first[0] == '0' && edge.second[0] == '0') return;
    uint64_t& sum = edges[std::move(edge)];
    sum = SaturatingAdd(sum, count);
  };
  for (const ConvertBranch& branch : input.branches) {
    if (branch.from.has_value() && input.walker->KindAt(*branch.from) == SOFTLBR_END_RETURN) continue;
    add(branch.from, branch.to, branch.count);
  }
  BoltBlocks blocks(input);
  for (const BoltRange& range : BoltRanges(input)) {
    const FunctionSymbol* function = input.functions.Find(range.first);
    if (function == nullptr) continue;
    const uint64_t start = translation.has_value() ? function->start : 0;
    for (const auto& [from, to] : translation.has_value()
                                      ? translation->Edges(start, range.first - start, range.last - start)
                                      : blocks.Edges(*function, range)) {
      add(start + from, start + to, range.count);
    }
  }
  std::string text = translation.has_value() ? "boltedcollection\n" : "";
  for (const auto& [edge, count] : edges)
    text += edge.first + ' ' + edge.second + " 0 " + std::to_string(std::min(count, kMaxBoltCount)) + '\n';
  return text;
}

}  // namespace softlbr::toolchain
