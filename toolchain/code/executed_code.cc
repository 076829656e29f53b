#include "toolchain/code/executed_code.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "runtime/format/slbr_format.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/code/block_counts.h"

namespace softlbr::toolchain {
namespace {

// Instructions by address. A page of code has a list of its own, and for each of its bytes the place in that list.
class InstructionPages {
 public:
  // nullptr if there is none; valid until the next Add.
  ExecutedInstruction* Find(uint64_t address) {
    Page* page = PageOf(address / kPageBytes);
    const uint16_t place = page != nullptr ? page->place[address % kPageBytes] : 0;
    return place != 0 ? &page->instructions[place - 1u] : nullptr;
  }

  // The one that is there, or a new one.
  ExecutedInstruction* Add(uint64_t address) {
    if (ExecutedInstruction* known = Find(address)) return known;
    const uint64_t number = address / kPageBytes;
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_ = page.get();
    page->instructions.emplace_back().address = address;
    page->place[address % kPageBytes] = static_cast<uint16_t>(page->instructions.size());
    return &page->instructions.back();
  }

  // Those that were executed, by address. Nothing is left.
  std::vector<ExecutedInstruction> TakeExecuted() {
    std::vector<uint64_t> numbers;
    size_t executed = 0;
    for (const auto& [number, page] : pages_) {
      numbers.push_back(number);
      for (const ExecutedInstruction& instruction : page->instructions) executed += instruction.executions != 0 ? 1 : 0;
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<ExecutedInstruction> sorted;
    sorted.reserve(executed);
    last_ = nullptr;
    for (const uint64_t number : numbers) {
      const std::unique_ptr<Page> page = std::move(pages_[number]);
      for (const uint16_t place : page->place) {
        if (place != 0 && page->instructions[place - 1u].executions != 0)
          sorted.push_back(page->instructions[place - 1u]);
      }
    }
    pages_.clear();
    return sorted;
  }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  struct Page {
    std::vector<ExecutedInstruction> instructions;
    std::array<uint16_t, kPageBytes> place{};  // from 1; 0: no instruction begins there
  };

  Page* PageOf(uint64_t number) {
    if (last_ != nullptr && number == last_number_) return last_;
    const auto it = pages_.find(number);
    if (it == pages_.end()) return nullptr;
    last_number_ = number;
    return last_ = it->second.get();
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = 0;
  Page* last_ = nullptr;
};

// Decodes and counts the code of one module.
class ModuleCounter {
 public:
  ModuleCounter(ElfImagePtr image, std::shared_ptr<Decoder> decoder)
      : image_(std::move(image)), decoder_(std::move(decoder)) {}

  // False, and nothing is counted, if execution cannot fall through from first to last.
  bool AddRange(uint64_t first, uint64_t last, uint64_t count) {
    if (!IsRange(first, last)) return false;
    for (uint64_t address = first; address != last;) {
      const ExecutedInstruction* instruction = InstructionAt(address);
      if (instruction == nullptr) return false;
      const bool goes_on = instruction->end == SOFTLBR_END_FALLTHROUGH || instruction->end == SOFTLBR_END_CONDITIONAL ||
                           instruction->end == SOFTLBR_END_SYSCALL;
      if (!goes_on) return false;
      address += instruction->bytes;
      if (address > last || address < first) return false;  // `last` is inside an instruction
    }
    if (InstructionAt(last) == nullptr) return false;
    for (uint64_t address = first;;) {
      ExecutedInstruction* passed = instructions_.Find(address);
      passed->executions = SaturatingAdd(passed->executions, count);
      if (address == last) return true;
      address += passed->bytes;
    }
  }

  void AddTarget(uint64_t address) { targets_.push_back(address); }
  void AddSamples(uint64_t address, uint64_t count) { samples_.emplace_back(address, count); }

  ExecutedModule Take(uint32_t module) {
    for (const auto& [address, count] : samples_) {
      if (ExecutedInstruction* instruction = instructions_.Find(address)) instruction->samples = count;
    }
    for (const auto& [address, target] : direct_targets_) {
      const ExecutedInstruction* branch = instructions_.Find(address);
      if (branch != nullptr && branch->executions != 0)
        targets_.push_back(target);  // others were decoded together with executed code
    }
    for (const uint64_t target : targets_) {
      if (ExecutedInstruction* instruction = instructions_.Find(target)) instruction->is_target = true;
    }
    ExecutedModule result;
    result.module = module;
    result.file = image_;
    result.instructions = instructions_.TakeExecuted();
    return result;
  }

 private:
  // nullptr if the bytes there are missing or no instruction.
  const ExecutedInstruction* InstructionAt(uint64_t address) {
    if (const ExecutedInstruction* known = instructions_.Find(address)) return known;
    const size_t window = size_t{SOFTLBR_BLOCK_MAX_INSTRUCTIONS} * decoder_->plugin().max_instruction_bytes;
    const std::span<const uint8_t> code = image_->CodeAt(address, window);
    if (code.empty() || !decoder_->Lift(code, address, &block_) || block_.instruction_count == 0) return nullptr;
    const bool has_terminator =
        block_.end.kind != SOFTLBR_END_FALLTHROUGH && block_.end.kind != SOFTLBR_END_UNDECODABLE;
    uint64_t at = address;
    for (uint32_t i = 0; i < block_.instruction_count; ++i) {
      ExecutedInstruction* instruction = instructions_.Add(at);
      instruction->bytes = block_.length[i];
      if (has_terminator && i + 1 == block_.instruction_count) {
        instruction->end = static_cast<softlbr_terminator_kind>(block_.end.kind);
        NoteDirectTarget(at);
      }
      at += block_.length[i];
    }
    return instructions_.Find(address);
  }

  void NoteDirectTarget(uint64_t address) {
    const softlbr_terminator& end = block_.end;
    const bool is_direct =
        end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_JUMP || end.kind == SOFTLBR_END_CALL;
    if (is_direct && end.base == SOFTLBR_REG_BLOCK && end.index == SOFTLBR_REG_ZERO && end.load_bytes == 0) {
      direct_targets_.emplace_back(address, block_.pc + static_cast<uint64_t>(end.disp));
    }
  }

  ElfImagePtr image_;
  std::shared_ptr<Decoder> decoder_;
  softlbr_block block_;
  InstructionPages instructions_;
  std::vector<std::pair<uint64_t, uint64_t>> direct_targets_;  // of the branch at an address
  std::vector<std::pair<uint64_t, uint64_t>> samples_;
  std::vector<uint64_t> targets_;
};

}  // namespace

ExecutedCode DecodeExecutedCode(const Profile& profile, Symbolizer* symbolizer) {
  ExecutedCode code;
  std::vector<std::unique_ptr<ModuleCounter>> counters(profile.modules.size());
  std::vector<bool> is_tried(profile.modules.size());
  std::map<uint16_t, std::shared_ptr<Decoder>> decoders;
  Progress progress("decoding executed code", profile.ranges.size());
  for (size_t i = 0; i < profile.ranges.size(); ++i) {
    progress.Step(i);
    const RangeCount& range = profile.ranges[i];
    if (range.module >= profile.modules.size()) continue;  // code in no module
    if (!is_tried[range.module]) {
      is_tried[range.module] = true;
      if (const ElfImagePtr& file = symbolizer->File(range.module)) {
        auto [decoder, is_new] = decoders.try_emplace(file->machine());
        if (is_new) decoder->second = Decoder::ForMachine(file->machine());
        if (decoder->second != nullptr) counters[range.module] = std::make_unique<ModuleCounter>(file, decoder->second);
      }
      if (counters[range.module] == nullptr) code.unread_modules.push_back(range.module);
    }
    if (counters[range.module] == nullptr) continue;
    if (!counters[range.module]->AddRange(range.first, range.last, range.count)) ++code.undecodable_ranges;
  }
  for (const BranchCount& branch : profile.branches) {
    if (branch.to.module < counters.size() && counters[branch.to.module] != nullptr) {
      counters[branch.to.module]->AddTarget(branch.to.address);
    }
  }
  for (const SampleCount& sample : profile.samples) {
    if (sample.pc.module < counters.size() && counters[sample.pc.module] != nullptr) {
      counters[sample.pc.module]->AddSamples(sample.pc.address, sample.count);
    }
  }
  for (uint32_t i = 0; i < counters.size(); ++i) {
    if (counters[i] != nullptr) code.modules.push_back(counters[i]->Take(i));
  }
  ChooseCounts(profile, &code);
  return code;
}

std::vector<BasicBlock> BasicBlocks(const ExecutedModule& module) {
  std::vector<BasicBlock> blocks;
  bool is_open = false;
  for (const ExecutedInstruction& instruction : module.instructions) {
    const bool continues =
        is_open && !instruction.is_target && blocks.back().start + blocks.back().bytes == instruction.address;
    if (!continues) {
      blocks.emplace_back();
      blocks.back().start = instruction.address;
    }
    BasicBlock& block = blocks.back();
    block.bytes += instruction.bytes;
    ++block.instructions;
    block.executions = std::max(block.executions, instruction.executions);
    block.samples = SaturatingAdd(block.samples, instruction.samples);
    block.count = std::max(block.count, instruction.count);
    block.end = instruction.end;
    is_open = instruction.end == SOFTLBR_END_FALLTHROUGH;
  }
  return blocks;
}

}  // namespace softlbr::toolchain
