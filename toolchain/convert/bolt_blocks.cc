#include "toolchain/convert/bolt_blocks.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_set>

#include "toolchain/convert/consumer_check.h"

namespace softlbr::toolchain {
namespace {

// A table of a switch has an entry for each value of a range.
constexpr size_t kMaxTableEntries = 65536;

// Branch targets that a branch of the same function reaches.
std::unordered_set<uint64_t> InternalTargets(const ConvertInput& input) {
  std::unordered_set<uint64_t> targets;
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.from.has_value() || !branch.to.has_value()) continue;
    const FunctionSymbol* function = input.functions.Find(*branch.to);
    // Without a symbol the function is unknown: every branch from inside the module counts as internal.
    if (function == nullptr || (*branch.from >= function->start && *branch.from < function->end))
      targets.insert(*branch.to);
  }
  return targets;
}

bool IsBranch(softlbr_terminator_kind kind) {
  return kind == SOFTLBR_END_CONDITIONAL || kind == SOFTLBR_END_JUMP || kind == SOFTLBR_END_RETURN ||
         kind == SOFTLBR_END_INDIRECT_JUMP || kind == SOFTLBR_END_TRAP;
}

bool IsCall(softlbr_terminator_kind kind) { return kind == SOFTLBR_END_CALL || kind == SOFTLBR_END_INDIRECT_CALL; }

// File bytes of a place in any segment.
std::span<const uint8_t> DataAt(const ElfImage& image, uint64_t address) {
  for (const Segment& segment : image.segments()) {
    const uint64_t offset = address - segment.vaddr;
    if (address < segment.vaddr || offset >= segment.file_bytes || segment.file_offset >= image.bytes().size())
      continue;
    const std::span<const uint8_t> bytes = image.bytes().subspan(segment.file_offset);
    const size_t size = std::min<size_t>(bytes.size(), segment.file_bytes);
    return offset < size ? bytes.subspan(offset, size - offset) : std::span<const uint8_t>();
  }
  return {};
}

}  // namespace

std::vector<BoltRange> BoltRanges(const ConvertInput& input) {
  const std::unordered_set<uint64_t> internal = InternalTargets(input);
  std::vector<BoltRange> ranges;
  for (const ConvertRange& range : input.ranges) {
    const FunctionSymbol* function = input.functions.Find(range.first);
    if (function != nullptr && function->is_stub) continue;
    ranges.push_back({range.first, range.last, range.count, internal.contains(range.first)});
  }
  return ranges;
}

std::set<uint64_t> SplitFunctions(const ElfImage& image) {
  // By the file that a local symbol is of, and name; of others by name alone.
  std::map<std::pair<std::string_view, std::string_view>, uint64_t> functions;
  struct MovedPart {
    uint64_t start = 0;
    std::string_view file;
    std::string_view name;  // of the function
  };
  std::vector<MovedPart> parts;
  std::string_view file;
  for (const ElfSymbol& symbol : image.Symbols(false)) {
    if (symbol.type == STT_FILE) file = symbol.name;
    if (symbol.type != STT_FUNC || symbol.section == SHN_UNDEF) continue;
    constexpr std::string_view kMark = ".cold";
    const size_t mark = symbol.name.rfind(kMark);
    const std::string_view rest =
        mark == std::string_view::npos ? symbol.name : symbol.name.substr(mark + kMark.size());
    const bool is_part = mark != std::string_view::npos && (rest.empty() || rest[0] == '.');
    const std::string_view of_file = symbol.binding == STB_LOCAL ? file : "";
    if (is_part) {
      parts.push_back({symbol.value, of_file, symbol.name.substr(0, mark)});
    } else {
      functions.try_emplace({of_file, symbol.name}, symbol.value);
    }
  }
  std::set<uint64_t> starts;
  for (const MovedPart& part : parts) {
    auto whole = functions.find({part.file, part.name});
    if (whole == functions.end()) whole = functions.find({"", part.name});
    if (whole == functions.end()) continue;
    starts.insert(part.start);
    starts.insert(whole->second);
  }
  return starts;
}

BoltBlocks::BoltBlocks(const ConvertInput& input)
    : input_(input), decoder_(Decoder::ForMachine(input.image->machine())) {
  if (!HasCodeRelocations(*input.image)) left_alone_ = SplitFunctions(*input.image);
  const auto enter = [this](const FunctionSymbol* function, uint64_t address) {
    if (function != nullptr && function->start != address) entered_[function->start].push_back(address);
  };
  for (const FunctionSymbol& symbol : input.symbols.functions())
    enter(input.functions.Find(symbol.start), symbol.start);
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.to.has_value()) continue;
    const softlbr_terminator_kind kind =
        branch.from.has_value() ? input.walker->KindAt(*branch.from) : SOFTLBR_END_RETURN;
    // A return goes behind a call, where no block begins.
    if (kind == SOFTLBR_END_RETURN || kind == SOFTLBR_END_FALLTHROUGH) continue;
    enter(input.functions.Find(*branch.to), *branch.to);
  }
}

std::vector<BoltBlocks::Instruction> BoltBlocks::Disassemble(const FunctionSymbol& function,
                                                             std::set<uint64_t>* constants) const {
  std::vector<Instruction> code;
  uint64_t pc = function.start;
  softlbr_block block;
  while (pc < function.end) {
    const std::span<const uint8_t> bytes = input_.image->CodeAt(pc, std::min<uint64_t>(function.end - pc, 1024));
    if (bytes.empty() || !decoder_->Lift(bytes, pc, &block)) break;
    for (size_t i = 0; i < block.uop_count; ++i) {
      if (block.uops[i].a == SOFTLBR_REG_BLOCK)
        constants->insert(pc + static_cast<uint64_t>(int64_t{block.uops[i].imm}));
    }
    uint64_t address = pc;
    const auto kind = static_cast<softlbr_terminator_kind>(block.end.kind);
    for (size_t i = 0; i < block.instruction_count; ++i) {
      const bool is_last =
          i + 1 == block.instruction_count && kind != SOFTLBR_END_FALLTHROUGH && kind != SOFTLBR_END_UNDECODABLE;
      Instruction instruction;
      instruction.address = address;
      if (is_last) {
        const softlbr_terminator& end = block.end;
        instruction.kind = kind;
        const bool is_direct = kind == SOFTLBR_END_CONDITIONAL || kind == SOFTLBR_END_JUMP || kind == SOFTLBR_END_CALL;
        if (is_direct) instruction.target = DecodeBranch(*input_.image, *decoder_, address).target;
        if (kind == SOFTLBR_END_INDIRECT_JUMP && end.load_bytes == 8 && end.base == SOFTLBR_REG_ZERO) {
          constants->insert(static_cast<uint64_t>(end.disp));
        }
      }
      code.push_back(instruction);
      address += block.length[i];
    }
    // Bytes that are no instruction end the linear view: what is behind them is not known.
    if (address == pc) break;
    pc = address;
  }
  return code;
}

// A table holds addresses, or signed distances of four bytes from its start. It ends at an entry that is no instruction
// of the function, and where the next begins.
void BoltBlocks::AddTableTargets(const FunctionSymbol& function, const std::vector<Instruction>& code,
                                 const std::set<uint64_t>& constants, std::set<uint64_t>* starts) const {
  const bool has_jump = std::any_of(code.begin(), code.end(),
                                    [](const Instruction& one) { return one.kind == SOFTLBR_END_INDIRECT_JUMP; });
  if (!has_jump) return;
  const auto is_instruction = [&code](uint64_t address) {
    const auto at = std::lower_bound(code.begin(), code.end(), address,
                                     [](const Instruction& one, uint64_t value) { return one.address < value; });
    return at != code.end() && at->address == address;
  };
  for (auto table = constants.begin(); table != constants.end(); ++table) {
    if (*table >= function.start && *table < function.end) continue;
    const std::span<const uint8_t> data = DataAt(*input_.image, *table);
    const uint64_t limit = std::next(table) != constants.end() ? *std::next(table) - *table : data.size();
    for (const size_t bytes : {size_t{4}, size_t{8}}) {
      for (size_t i = 0; i < kMaxTableEntries && (i + 1) * bytes <= std::min<uint64_t>(data.size(), limit); ++i) {
        int64_t entry = 0;
        int32_t distance = 0;
        std::memcpy(&distance, data.data() + i * bytes, sizeof distance);
        if (bytes == 8) std::memcpy(&entry, data.data() + i * bytes, sizeof entry);
        const uint64_t target =
            bytes == 8 ? static_cast<uint64_t>(entry) : *table + static_cast<uint64_t>(int64_t{distance});
        if (!is_instruction(target)) break;
        starts->insert(target);
      }
    }
  }
}

const BoltBlocks::Blocks& BoltBlocks::BlocksOf(const FunctionSymbol& function) {
  const auto [entry, is_new] = blocks_.try_emplace(function.start);
  Blocks& blocks = entry->second;
  if (!is_new) return blocks;
  std::set<uint64_t> constants;
  const std::vector<Instruction> code = Disassemble(function, &constants);
  const auto is_inside = [&function](uint64_t address) { return address >= function.start && address < function.end; };
  std::set<uint64_t> starts{function.start};
  for (const Instruction& instruction : code) {
    if (instruction.target.has_value() && is_inside(*instruction.target)) starts.insert(*instruction.target);
  }
  const auto entered = entered_.find(function.start);
  if (entered != entered_.end()) starts.insert(entered->second.begin(), entered->second.end());
  AddTableTargets(function, code, constants, &starts);
  const auto is_tail_call = [&](const Instruction& one) { return one.target.has_value() && !is_inside(*one.target); };
  for (size_t i = 0; i < code.size(); ++i) {
    const bool is_behind_branch = i != 0 && IsBranch(code[i - 1].kind);
    const bool joins = i != 0 && code[i - 1].kind == SOFTLBR_END_CONDITIONAL && !is_tail_call(code[i - 1]) &&
                       code[i].kind == SOFTLBR_END_JUMP && !is_tail_call(code[i]);
    if (starts.contains(code[i].address) || (is_behind_branch && !joins)) {
      blocks.push_back({code[i].address, code[i].address, code[i].address == function.start, false});
    }
    blocks.back().last = code[i].address;
    blocks.back().ends_with_call = IsCall(code[i].kind);
  }
  return blocks;
}

std::vector<std::pair<uint64_t, uint64_t>> BoltBlocks::Edges(const FunctionSymbol& function, const BoltRange& range) {
  std::vector<std::pair<uint64_t, uint64_t>> edges;
  if (left_alone_.contains(function.start)) return edges;
  const Blocks& blocks = BlocksOf(function);
  const auto containing = [&blocks](uint64_t address) {
    return std::upper_bound(blocks.begin(), blocks.end(), address,
                            [](uint64_t value, const Block& block) { return value < block.start; });
  };
  auto from = containing(range.first);
  const auto end = containing(range.last);
  if (from == blocks.begin() || end == blocks.begin()) return edges;
  --from;
  // Where a call ends a block, it returns to the start of the next.
  const bool is_behind_call = !range.is_internal && from->start == range.first && !from->is_entry &&
                              from != blocks.begin() && std::prev(from)->ends_with_call;
  if (is_behind_call) --from;
  for (; from + 1 < end; ++from) edges.emplace_back(from->last, (from + 1)->start);
  return edges;
}

}  // namespace softlbr::toolchain
