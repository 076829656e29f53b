#include "toolchain/code/executed_code.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "runtime/format/slbr_format.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

// Decodes and counts the code of one module.
class ModuleCounter {
 public:
  ModuleCounter(ElfImagePtr image, std::shared_ptr<Decoder> decoder) : image_(std::move(image)), decoder_(std::move(decoder)) {}

  // False, and nothing is counted, if execution cannot fall through from first to last.
  bool AddRange(uint64_t first, uint64_t last, uint64_t count) {
    if (!IsRange(first, last)) return false;
    path_.clear();
    for (uint64_t address = first; address <= last;) {
      ExecutedInstruction* instruction = InstructionAt(address);
      if (instruction == nullptr) return false;
      path_.push_back(instruction);
      if (address == last) {
        for (ExecutedInstruction* passed : path_) passed->executions = SaturatingAdd(passed->executions, count);
        return true;
      }
      const bool goes_on = instruction->end == SOFTLBR_END_FALLTHROUGH || instruction->end == SOFTLBR_END_CONDITIONAL ||
                           instruction->end == SOFTLBR_END_SYSCALL;
      if (!goes_on) return false;
      address += instruction->bytes;
    }
    return false;  // `last` is inside an instruction
  }

  void AddTarget(uint64_t address) { targets_.insert(address); }
  void AddSamples(uint64_t address, uint64_t count) { samples_[address] = count; }

  ExecutedModule Take(uint32_t module) {
    ExecutedModule result;
    result.module = module;
    result.file = image_;
    for (auto& [address, instruction] : instructions_) {
      if (instruction.executions == 0) continue;  // decoded together with executed code
      const auto direct = direct_targets_.find(address);
      if (direct != direct_targets_.end()) targets_.insert(direct->second);
      const auto samples = samples_.find(address);
      if (samples != samples_.end()) instruction.samples = samples->second;
      result.instructions.push_back(instruction);
    }
    for (ExecutedInstruction& instruction : result.instructions) instruction.is_target = targets_.contains(instruction.address);
    std::sort(result.instructions.begin(), result.instructions.end(),
              [](const ExecutedInstruction& a, const ExecutedInstruction& b) { return a.address < b.address; });
    return result;
  }

 private:
  // nullptr if the bytes there are missing or no instruction.
  ExecutedInstruction* InstructionAt(uint64_t address) {
    const auto it = instructions_.find(address);
    if (it != instructions_.end()) return &it->second;
    const size_t window = size_t{SOFTLBR_BLOCK_MAX_INSTRUCTIONS} * decoder_->plugin().max_instruction_bytes;
    const std::span<const uint8_t> code = image_->CodeAt(address, window);
    if (code.empty() || !decoder_->Lift(code, address, &block_) || block_.instruction_count == 0) return nullptr;
    const bool has_terminator = block_.end.kind != SOFTLBR_END_FALLTHROUGH && block_.end.kind != SOFTLBR_END_UNDECODABLE;
    uint64_t at = address;
    for (uint32_t i = 0; i < block_.instruction_count; ++i) {
      ExecutedInstruction& instruction = instructions_[at];
      instruction.address = at;
      instruction.bytes = block_.length[i];
      if (has_terminator && i + 1 == block_.instruction_count) {
        instruction.end = static_cast<softlbr_terminator_kind>(block_.end.kind);
        NoteDirectTarget(at);
      }
      at += block_.length[i];
    }
    return &instructions_[address];
  }

  void NoteDirectTarget(uint64_t address) {
    const softlbr_terminator& end = block_.end;
    const bool is_direct = end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_JUMP || end.kind == SOFTLBR_END_CALL;
    if (is_direct && end.base == SOFTLBR_REG_BLOCK && end.index == SOFTLBR_REG_ZERO && end.load_bytes == 0) {
      direct_targets_[address] = block_.pc + static_cast<uint64_t>(end.disp);
    }
  }

  ElfImagePtr image_;
  std::shared_ptr<Decoder> decoder_;
  softlbr_block block_;
  std::unordered_map<uint64_t, ExecutedInstruction> instructions_;
  std::unordered_map<uint64_t, uint64_t> direct_targets_;  // of the branch at an address
  std::unordered_map<uint64_t, uint64_t> samples_;
  std::set<uint64_t> targets_;
  std::vector<ExecutedInstruction*> path_;
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
  return code;
}

std::vector<BasicBlock> BasicBlocks(const ExecutedModule& module) {
  std::vector<BasicBlock> blocks;
  bool is_open = false;
  for (const ExecutedInstruction& instruction : module.instructions) {
    const bool continues = is_open && !instruction.is_target && blocks.back().start + blocks.back().bytes == instruction.address;
    if (!continues) {
      blocks.emplace_back();
      blocks.back().start = instruction.address;
    }
    BasicBlock& block = blocks.back();
    block.bytes += instruction.bytes;
    ++block.instructions;
    block.executions = std::max(block.executions, instruction.executions);
    block.samples = SaturatingAdd(block.samples, instruction.samples);
    block.end = instruction.end;
    is_open = instruction.end == SOFTLBR_END_FALLTHROUGH;
  }
  return blocks;
}

}  // namespace softlbr::toolchain
