#include "toolchain/code/matched_builds.h"

#include <algorithm>

#include "toolchain/symbols/function_family.h"

namespace softlbr::toolchain {

MatchedBuilds::MatchedBuilds(const Profile& names, const std::vector<uint32_t>& build_of, Symbolizer* symbolizer)
    : build_of_(build_of), symbolizer_(*symbolizer), parts_(names.modules.size()) {
  std::map<uint32_t, int> builds;
  for (const uint32_t build : build_of) ++builds[build];
  for (const uint32_t build : build_of) has_builds_.push_back(builds[build] > 1);
}

CodePlace MatchedBuilds::Of(const Location& location) {
  if (location.module >= has_builds_.size()) return {};
  const FunctionSymbol* function = HasBuilds(location.module) ? symbolizer_.Function(location) : nullptr;
  if (function == nullptr) return {location.module, "", 0, location.address};
  const uint32_t build = build_of_[location.module];
  if (function->is_stub) return {build, function->name + "@plt", 0, location.address - function->start};
  std::string family(FunctionFamily(function->name));
  const Blocks& blocks = BlocksOfFamily(location.module, family);
  const size_t index = Find(blocks, location.address);
  if (index == kNoBlock) return {build, std::move(family), kNoBlock, location.address - function->start};
  const CodeBlock& block = blocks.blocks[index];
  const uint64_t offset =
      location.address == block.last && block.kind != SOFTLBR_END_FALLTHROUGH ? kAtEnd : location.address - block.start;
  return {build, std::move(family), blocks.numbers[index], offset};
}

CodePlace MatchedBuilds::BlockOf(const Location& location, uint64_t* start) {
  *start = location.address;
  if (location.module >= has_builds_.size()) return {};
  const FunctionSymbol* function = symbolizer_.Function(location);
  if (function == nullptr || function->is_stub) return Of(location);
  std::string family(FunctionFamily(function->name));
  const Blocks& blocks = BlocksOfFamily(location.module, family);
  const size_t index = Find(blocks, location.address);
  if (index == kNoBlock) return Of(location);
  *start = blocks.blocks[index].start;
  return {build_of_[location.module], std::move(family), blocks.numbers[index], 0};
}

const std::vector<AddressRange>& MatchedBuilds::Parts(uint32_t module, const std::string& family) {
  auto& families = parts_[module];
  if (families.empty()) {
    for (const FunctionSymbol& function : symbolizer_.Symbols(module).functions()) {
      if (!function.is_stub) families[std::string(FunctionFamily(function.name))].emplace_back(function.start, function.end);
    }
  }
  return families[family];
}

std::vector<CodeBlock> MatchedBuilds::Decode(uint32_t module, const std::string& family) {
  const ElfImagePtr& file = symbolizer_.File(module);
  if (file == nullptr) return {};
  auto [decoder, is_new] = decoders_.try_emplace(file->machine());
  if (is_new) decoder->second = Decoder::ForMachine(file->machine());
  return decoder->second != nullptr ? toolchain::BlocksOf(*file, *decoder->second, Parts(module, family))
                                    : std::vector<CodeBlock>();
}

const MatchedBuilds::Blocks& MatchedBuilds::BlocksOfFamily(uint32_t module, const std::string& family) {
  auto [it, is_new] = blocks_.try_emplace({module, family});
  Blocks& result = it->second;
  if (!is_new) return result;
  result.blocks = Decode(module, family);
  // Unmatched blocks have numbers that no other build's have.
  for (size_t i = 0; i < result.blocks.size(); ++i) result.numbers.push_back(uint64_t{module} << 32 | i);
  const uint32_t first = build_of_[module];
  if (first == module) return result;
  const std::vector<size_t> match = MatchBlocks(BlocksOfFamily(first, family).blocks, result.blocks);
  for (size_t i = 0; i < match.size(); ++i) {
    if (match[i] != kNoBlock) result.numbers[i] = uint64_t{first} << 32 | match[i];
  }
  return result;
}

size_t MatchedBuilds::Find(const Blocks& blocks, uint64_t address) {
  const auto after = std::upper_bound(blocks.blocks.begin(), blocks.blocks.end(), address,
                                      [](uint64_t value, const CodeBlock& block) { return value < block.start; });
  if (after == blocks.blocks.begin() || address >= (after - 1)->end) return kNoBlock;
  return static_cast<size_t>(after - 1 - blocks.blocks.begin());
}

}  // namespace softlbr::toolchain
