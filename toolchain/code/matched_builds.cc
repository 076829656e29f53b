#include "toolchain/code/matched_builds.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "toolchain/symbols/function_family.h"

namespace softlbr::toolchain {
namespace {

// Functions of one name whose files do not tell which is which are the same if so much of their code is.
constexpr double kMostlySame = 0.5;
// Comparing more functions of one name by their code, each with each, would take too long.
constexpr size_t kMostCompared = 64;

// The part of the instructions of the longer function that are in equal blocks, operands included, of both.
double SameCode(const std::vector<CodeBlock>& before, const std::vector<CodeBlock>& after) {
  uint64_t sizes[2] = {};
  std::multiset<uint64_t> blocks;
  for (const CodeBlock& block : before) {
    sizes[0] += block.instructions;
    blocks.insert(block.exact);
  }
  uint64_t same = 0;
  for (const CodeBlock& block : after) {
    sizes[1] += block.instructions;
    const auto it = blocks.find(block.exact);
    if (it == blocks.end()) continue;
    same += block.instructions;
    blocks.erase(it);
  }
  const uint64_t larger = std::max(sizes[0], sizes[1]);
  return larger != 0 ? std::min(1.0, static_cast<double>(same) / static_cast<double>(larger)) : 0;
}

// Linkers and link-time optimizers name files that have no source: "ccVYGqfe.o", "<artificial>".
bool IsSource(std::string_view file) { return !file.empty() && file[0] != '<' && !file.ends_with(".o"); }

}  // namespace

MatchedBuilds::MatchedBuilds(const Profile& names, const std::vector<uint32_t>& build_of, Symbolizer* symbolizer)
    : build_of_(build_of), symbolizer_(*symbolizer), families_(names.modules.size()) {
  std::map<uint32_t, int> builds;
  for (const uint32_t build : build_of) ++builds[build];
  for (const uint32_t build : build_of) has_builds_.push_back(builds[build] > 1);
}

CodePlace MatchedBuilds::Of(const Location& location) {
  if (location.module >= has_builds_.size()) return {};
  const FunctionSymbol* symbol = HasBuilds(location.module) ? symbolizer_.Function(location) : nullptr;
  if (symbol == nullptr) return {location.module, "", 0, 0, location.address};
  const uint32_t build = build_of_[location.module];
  if (symbol->is_stub) return {build, symbol->name + "@plt", 0, 0, location.address - symbol->start};
  std::string family(FunctionFamily(symbol->name));
  const Function& function = Matched(location.module, family, *symbol);
  const size_t index = Find(function.blocks, location.address);
  if (index == kNoBlock) return {build, std::move(family), function.number, kNoBlock, location.address - symbol->start};
  const CodeBlock& block = function.blocks[index];
  const uint64_t offset =
      location.address == block.last && block.kind != SOFTLBR_END_FALLTHROUGH ? kAtEnd : location.address - block.start;
  return {build, std::move(family), function.number, function.numbers[index], offset};
}

CodePlace MatchedBuilds::BlockOf(const Location& location, uint64_t* start) {
  *start = location.address;
  if (location.module >= has_builds_.size()) return {};
  const FunctionSymbol* symbol = symbolizer_.Function(location);
  if (symbol == nullptr || symbol->is_stub) return Of(location);
  std::string family(FunctionFamily(symbol->name));
  const Function& function = Matched(location.module, family, *symbol);
  const size_t index = Find(function.blocks, location.address);
  if (index == kNoBlock) return Of(location);
  *start = function.blocks[index].start;
  return {build_of_[location.module], std::move(family), function.number, function.numbers[index], 0};
}

bool MatchedBuilds::IsOneOfSeveral(const Location& location) {
  if (location.module >= has_builds_.size()) return false;
  const FunctionSymbol* symbol = symbolizer_.Function(location);
  if (symbol == nullptr || symbol->is_stub) return false;
  const auto& families = FamiliesOf(location.module);
  const auto it = families.find(std::string(FunctionFamily(symbol->name)));
  return it != families.end() && it->second.functions.size() > 1;
}

// A part is of the function of its file. The part of a global function is a local symbol, too: without a function of
// that name in its file it is the global one's.
std::map<std::string, MatchedBuilds::Family>& MatchedBuilds::FamiliesOf(uint32_t module) {
  auto& families = families_[module];
  if (!families.empty()) return families;
  using Key = std::tuple<std::string, uint32_t, std::string>;  // family, file, identity
  const std::vector<FunctionSymbol>& symbols = symbolizer_.Symbols(module).functions();
  std::set<Key> whole;
  for (const FunctionSymbol& symbol : symbols) {
    const std::string_view identity = FunctionIdentity(symbol.name);
    if (!symbol.is_stub && identity == symbol.name) {
      whole.emplace(FunctionFamily(symbol.name), symbol.file, identity);
    }
  }
  for (const FunctionSymbol& symbol : symbols) {
    if (symbol.is_stub) continue;
    Key key{FunctionFamily(symbol.name), symbol.file, FunctionIdentity(symbol.name)};
    if (!whole.contains(key)) {
      const Key global{std::get<0>(key), 0, std::get<2>(key)};
      if (whole.contains(global)) key = global;
    }
    auto& [functions, index] = families[std::get<0>(key)];
    const auto [it, is_new] = index.try_emplace({std::get<1>(key), std::get<2>(key)}, functions.size());
    if (is_new) {
      functions.emplace_back();
      functions.back().file = std::get<1>(key);
      functions.back().identity = std::get<2>(key);
    }
    functions[it->second].parts.emplace_back(symbol.start, symbol.end);
  }
  return families;
}

MatchedBuilds::Function& MatchedBuilds::Find(Family& family, const FunctionSymbol& symbol) {
  const std::string identity(FunctionIdentity(symbol.name));
  for (const uint32_t file : {symbol.file, 0u}) {
    const auto it = family.index.find({file, identity});
    if (it != family.index.end()) return family.functions[it->second];
  }
  // A function that only the unwind table has: its name is its address, so it is alone with it.
  if (family.functions.empty()) family.functions.push_back({0, identity, {}, false, {}, 0, {}});
  return family.functions.front();
}

const std::vector<CodeBlock>& MatchedBuilds::BlocksOf(uint32_t module, Function* function) {
  if (function->is_decoded) return function->blocks;
  function->is_decoded = true;
  const ElfImagePtr& file = symbolizer_.File(module);
  if (file == nullptr) return function->blocks;
  auto [decoder, is_new] = decoders_.try_emplace(file->machine());
  if (is_new) decoder->second = Decoder::ForMachine(file->machine());
  if (decoder->second != nullptr) function->blocks = toolchain::BlocksOf(*file, *decoder->second, function->parts);
  return function->blocks;
}

std::vector<size_t> MatchedBuilds::MatchFunctions(uint32_t module, Functions* before, Functions* after) {
  const uint32_t first = build_of_[module];
  std::vector<size_t> match(after->size(), kNoBlock);
  std::vector<bool> is_taken(before->size());
  const auto name = [&](uint32_t build, const Function& function) -> const std::string& {
    return symbolizer_.Symbols(build).FileName(function.file);
  };
  const auto join = [&](size_t i, size_t k) {
    match[k] = i;
    is_taken[i] = true;
  };
  // The most alike first, and among equals in the order of the link.
  const auto match_by_code = [&](const std::vector<size_t>& of_before, const std::vector<size_t>& of_after,
                                 double least) {
    if (of_before.size() > kMostCompared || of_after.size() > kMostCompared) return;
    std::vector<std::tuple<double, size_t, size_t>> pairs;
    for (const size_t i : of_before) {
      for (const size_t k : of_after) {
        const double same = SameCode(BlocksOf(first, &(*before)[i]), BlocksOf(module, &(*after)[k]));
        if (same > 0 && same >= least) pairs.emplace_back(-same, i, k);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [same, i, k] : pairs) {
      if (!is_taken[i] && match[k] == kNoBlock) join(i, k);
    }
  };
  using Key = std::pair<std::string, std::string>;  // file, identity
  std::map<Key, std::pair<std::vector<size_t>, std::vector<size_t>>> by_name;
  for (size_t i = 0; i < before->size(); ++i)
    by_name[{name(first, (*before)[i]), (*before)[i].identity}].first.push_back(i);
  for (size_t k = 0; k < after->size(); ++k)
    by_name[{name(module, (*after)[k]), (*after)[k].identity}].second.push_back(k);
  for (const auto& [key, same_name] : by_name) {
    const auto& [of_before, of_after] = same_name;
    if (of_before.size() == 1 && of_after.size() == 1) {
      join(of_before[0], of_after[0]);
    } else {
      match_by_code(of_before, of_after, 0);
    }
  }
  std::vector<size_t> rest_before, rest_after;
  for (size_t i = 0; i < before->size(); ++i) {
    if (!is_taken[i]) rest_before.push_back(i);
  }
  for (size_t k = 0; k < after->size(); ++k) {
    if (match[k] == kNoBlock) rest_after.push_back(k);
  }
  // The last ones are the same, unless both files are known: then the function of one file may be gone, and the other's
  // be new.
  if (rest_before.size() == 1 && rest_after.size() == 1 &&
      !(IsSource(name(first, (*before)[rest_before[0]])) && IsSource(name(module, (*after)[rest_after[0]])))) {
    join(rest_before[0], rest_after[0]);
  } else {
    match_by_code(rest_before, rest_after, kMostlySame);
  }
  return match;
}

void MatchedBuilds::MatchFamily(uint32_t module, const std::string& family) {
  if (!matched_.emplace(module, family).second) return;
  Functions& functions = FamilyOf(module, family).functions;
  // Unmatched functions and blocks have numbers that no other build's have.
  const auto unmatched = [module](size_t i) { return uint64_t{module} << 32 | i; };
  for (size_t i = 0; i < functions.size(); ++i) {
    Function& function = functions[i];
    function.number = unmatched(i);
    BlocksOf(module, &function);
    for (size_t k = 0; k < function.blocks.size(); ++k) function.numbers.push_back(unmatched(k));
  }
  const uint32_t first = build_of_[module];
  if (first == module) return;
  MatchFamily(first, family);
  Functions& before = FamilyOf(first, family).functions;
  const std::vector<size_t> same = MatchFunctions(module, &before, &functions);
  for (size_t i = 0; i < functions.size(); ++i) {
    if (same[i] == kNoBlock) continue;
    const Function& function = before[same[i]];
    functions[i].number = function.number;
    const std::vector<size_t> match = MatchBlocks(function.blocks, functions[i].blocks);
    for (size_t k = 0; k < match.size(); ++k) {
      if (match[k] != kNoBlock) functions[i].numbers[k] = function.numbers[match[k]];
    }
  }
}

const MatchedBuilds::Function& MatchedBuilds::Matched(uint32_t module, const std::string& family,
                                                      const FunctionSymbol& symbol) {
  Family& functions = FamilyOf(module, family);
  Find(functions, symbol);  // adds one that is not in the symbol table
  MatchFamily(module, family);
  return Find(functions, symbol);
}

size_t MatchedBuilds::Find(const std::vector<CodeBlock>& blocks, uint64_t address) {
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), address,
                                      [](uint64_t value, const CodeBlock& block) { return value < block.start; });
  if (after == blocks.begin() || address >= (after - 1)->end) return kNoBlock;
  return static_cast<size_t>(after - 1 - blocks.begin());
}

}  // namespace softlbr::toolchain
