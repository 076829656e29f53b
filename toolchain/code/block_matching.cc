#include "toolchain/code/block_matching.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kHashStart = 0xcbf29ce484222325;

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// Inverting a conditional branch, or adding a jump to what is no longer next, leaves the block the same.
uint64_t EndClass(softlbr_terminator_kind kind) {
  switch (kind) {
    case SOFTLBR_END_FALLTHROUGH:
    case SOFTLBR_END_JUMP:
    case SOFTLBR_END_UNDECODABLE: return SOFTLBR_END_JUMP;
    default: return kind;
  }
}

struct Instruction {
  uint64_t bytes = 0;
  softlbr_terminator_kind end = SOFTLBR_END_FALLTHROUGH;
  std::optional<uint64_t> target;  // of a direct branch
  uint64_t exact = 0;
  uint64_t loose = 0;
};

// Instruction i of a lifted block, whose first micro-operation is `uop`.
Instruction Describe(const softlbr_block& block, uint32_t i, uint32_t uop) {
  Instruction instruction;
  instruction.bytes = block.length[i];
  const softlbr_terminator& end = block.end;
  const bool is_end =
      i + 1u == block.instruction_count && end.kind != SOFTLBR_END_FALLTHROUGH && end.kind != SOFTLBR_END_UNDECODABLE;
  if (is_end) {
    instruction.end = static_cast<softlbr_terminator_kind>(end.kind);
    const bool is_direct =
        end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_JUMP || end.kind == SOFTLBR_END_CALL;
    if (is_direct && end.base == SOFTLBR_REG_BLOCK && end.index == SOFTLBR_REG_ZERO && end.load_bytes == 0) {
      instruction.target = block.pc + static_cast<uint64_t>(end.disp);
    }
  }
  instruction.exact = instruction.loose = kHashStart;
  for (uint32_t k = uop; k < uop + block.uops_of[i] && k < block.uop_count; ++k) {
    const softlbr_uop& operation = block.uops[k];
    instruction.loose = Mix(instruction.loose, uint64_t{operation.op} << 8 | operation.width);
    // Addresses of other code and data change with every build.
    const bool is_address = operation.a == SOFTLBR_REG_BLOCK || operation.b == SOFTLBR_REG_BLOCK;
    instruction.exact =
        Mix(instruction.exact, uint64_t{operation.op} << 32 | uint64_t{operation.width} << 24 | operation.aux);
    instruction.exact =
        Mix(instruction.exact, uint64_t{operation.dst} << 32 | uint64_t{operation.a} << 16 | operation.b);
    instruction.exact = Mix(instruction.exact,
                            is_address ? operation.flags : uint64_t{operation.flags} << 32 ^ uint32_t(operation.imm));
  }
  return instruction;
}

void DecodePart(const ElfImage& image, const Decoder& decoder, const AddressRange& part,
                std::map<uint64_t, Instruction>* code) {
  const size_t window = size_t{SOFTLBR_BLOCK_MAX_INSTRUCTIONS} * decoder.plugin().max_instruction_bytes;
  softlbr_block block;
  for (uint64_t pc = part.first; pc < part.second;) {
    const std::span<const uint8_t> bytes = image.CodeAt(pc, std::min<uint64_t>(window, part.second - pc));
    if (bytes.empty() || !decoder.Lift(bytes, pc, &block) || block.instruction_count == 0) return;
    uint32_t uop = 0;
    for (uint32_t i = 0; i < block.instruction_count; ++i) {
      (*code)[pc] = Describe(block, i, uop);
      uop += block.uops_of[i];
      pc += block.length[i];
    }
  }
}

using Signature = std::vector<uint64_t>;

// Matches the blocks that are alone with a signature, or equally many in order of address.
template <typename Sign>
void MatchEqual(const std::vector<CodeBlock>& before, const std::vector<CodeBlock>& after, const Sign& sign_before,
                const Sign& sign_after, bool need_equal_numbers, std::vector<size_t>* match,
                std::vector<size_t>* back) {
  std::map<Signature, std::pair<std::vector<size_t>, std::vector<size_t>>> groups;
  for (size_t i = 0; i < before.size(); ++i) {
    if ((*back)[i] == kNoBlock) groups[sign_before(i)].first.push_back(i);
  }
  for (size_t i = 0; i < after.size(); ++i) {
    if ((*match)[i] == kNoBlock) groups[sign_after(i)].second.push_back(i);
  }
  for (const auto& [signature, group] : groups) {
    const auto& [first, second] = group;
    if (need_equal_numbers && first.size() != second.size()) continue;
    for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
      (*match)[second[i]] = first[i];
      (*back)[first[i]] = second[i];
    }
  }
}

// A block that so many branches lead to tells nothing about any of them; looking at all for each of them would take
// quadratic time.
constexpr size_t kMostNeighbors = 64;

// The only one of these blocks without a match; none if there are several.
std::optional<size_t> OnlyUnmatched(const std::vector<size_t>& blocks, const std::vector<size_t>& match) {
  std::optional<size_t> only;
  for (const size_t block : blocks) {
    if (match[block] != kNoBlock || only == block) continue;
    if (only.has_value()) return std::nullopt;
    only = block;
  }
  return only;
}

using Edges = std::vector<std::vector<size_t>>;

Edges Previous(const std::vector<CodeBlock>& blocks) {
  Edges previous(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (const size_t next : blocks[i].next) previous[next].push_back(i);
  }
  return previous;
}

}  // namespace

std::vector<CodeBlock> BlocksOf(const ElfImage& image, const Decoder& decoder, const std::vector<AddressRange>& parts) {
  std::map<uint64_t, Instruction> code;
  std::set<uint64_t> starts;
  for (const AddressRange& part : parts) {
    DecodePart(image, decoder, part, &code);
    starts.insert(part.first);
  }
  for (const auto& [address, instruction] : code) {
    if (instruction.target.has_value() && instruction.end != SOFTLBR_END_CALL) starts.insert(*instruction.target);
  }
  std::vector<CodeBlock> blocks;
  std::map<uint64_t, size_t> block_at;
  std::vector<std::optional<uint64_t>> targets;
  for (const auto& [address, instruction] : code) {
    const bool continues = !blocks.empty() && blocks.back().end == address &&
                           blocks.back().kind == SOFTLBR_END_FALLTHROUGH && !starts.contains(address);
    if (!continues) {
      block_at[address] = blocks.size();
      blocks.push_back({.start = address, .exact = kHashStart, .loose = kHashStart, .next = {}});
      targets.emplace_back();
    }
    CodeBlock& block = blocks.back();
    block.last = address;
    block.end = address + instruction.bytes;
    block.kind = instruction.end;
    ++block.instructions;
    if (instruction.end == SOFTLBR_END_CONDITIONAL || instruction.end == SOFTLBR_END_JUMP)
      targets.back() = instruction.target;
    if (instruction.end == SOFTLBR_END_JUMP) continue;
    block.exact = Mix(block.exact, instruction.exact);
    block.loose = Mix(block.loose, instruction.loose);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    CodeBlock& block = blocks[i];
    const bool falls = block.kind != SOFTLBR_END_JUMP && block.kind != SOFTLBR_END_RETURN &&
                       block.kind != SOFTLBR_END_INDIRECT_JUMP && block.kind != SOFTLBR_END_TRAP &&
                       block.kind != SOFTLBR_END_FAR;
    if (const auto it = block_at.find(block.end); falls && it != block_at.end()) block.next.push_back(it->second);
    if (!targets[i].has_value()) continue;
    if (const auto it = block_at.find(*targets[i]); it != block_at.end()) block.next.push_back(it->second);
  }
  return blocks;
}

std::vector<size_t> MatchBlocks(const std::vector<CodeBlock>& before, const std::vector<CodeBlock>& after) {
  std::vector<size_t> match(after.size(), kNoBlock);
  std::vector<size_t> back(before.size(), kNoBlock);
  const Edges before_previous = Previous(before);
  const Edges after_previous = Previous(after);
  // Neighbors are a set: the order of two successors changes when a branch is inverted.
  const auto sign = [](const std::vector<CodeBlock>& blocks, const Edges& previous, uint64_t CodeBlock::*hash,
                       bool with_neighbors) {
    return [&blocks, &previous, hash, with_neighbors](size_t i) {
      Signature signature = {blocks[i].*hash, EndClass(blocks[i].kind)};
      if (!with_neighbors) return signature;
      for (const std::vector<size_t>* neighbors : {&blocks[i].next, &previous[i]}) {
        Signature hashes;
        for (const size_t neighbor : *neighbors) hashes.push_back(blocks[neighbor].*hash);
        std::sort(hashes.begin(), hashes.end());
        signature.push_back(hashes.size());
        signature.insert(signature.end(), hashes.begin(), hashes.end());
      }
      return signature;
    };
  };
  const auto level = [&](uint64_t CodeBlock::*hash, bool with_neighbors, bool need_equal_numbers) {
    MatchEqual(before, after, sign(before, before_previous, hash, with_neighbors),
               sign(after, after_previous, hash, with_neighbors), need_equal_numbers, &match, &back);
  };
  // Along edges: an unmatched neighbor whose end is of the same kind, if there is only one on either side.
  const auto spread = [&] {
    std::vector<size_t> pending;
    for (size_t i = after.size(); i-- != 0;) {
      if (match[i] != kNoBlock) pending.push_back(i);
    }
    while (!pending.empty()) {
      const size_t i = pending.back();
      pending.pop_back();
      const std::pair<const std::vector<size_t>*, const std::vector<size_t>*> sides[] = {
          {&before[match[i]].next, &after[i].next}, {&before_previous[match[i]], &after_previous[i]}};
      for (const auto& [first, second] : sides) {
        if (std::max(first->size(), second->size()) > kMostNeighbors) continue;
        const std::optional<size_t> a = OnlyUnmatched(*first, back);
        const std::optional<size_t> b = OnlyUnmatched(*second, match);
        if (!a.has_value() || !b.has_value() || EndClass(before[*a].kind) != EndClass(after[*b].kind)) continue;
        match[*b] = *a;
        back[*a] = *b;
        pending.push_back(*b);
        for (const std::vector<size_t>* neighbors : {&after[*b].next, &after_previous[*b]}) {
          for (const size_t neighbor : *neighbors) {
            if (match[neighbor] != kNoBlock) pending.push_back(neighbor);
          }
        }
      }
    }
  };
  level(&CodeBlock::exact, true, true);
  level(&CodeBlock::exact, false, true);
  level(&CodeBlock::loose, true, true);
  spread();
  level(&CodeBlock::loose, false, true);
  level(&CodeBlock::exact, false, false);
  spread();
  return match;
}

}  // namespace softlbr::toolchain
