#include "studies/trust/reference_blocks.h"

#include <cmath>
#include <memory>

#include "toolchain/base/failure.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/profile/files.h"

namespace softlbr::trust {

using toolchain::BasicBlock;
using toolchain::BasicBlocks;
using toolchain::ExecutedInput;
using toolchain::ExecutedInstruction;
using toolchain::ExecutedModule;
using toolchain::InstructionKinds;
using toolchain::Profile;
using toolchain::SampleCount;
using toolchain::StatedFailure;

Reference::Reference(const std::string& exact, const std::vector<std::string>& binaries) : binaries_(binaries) {
  const ExecutedInput input({exact}, binaries);
  std::map<uint16_t, std::unique_ptr<InstructionKinds>> kinds;
  std::map<std::string, uint32_t> numbers;
  for (const ExecutedModule& module : input.code.modules) {
    const std::vector<uint8_t>& build_id = input.profile.modules[module.module].build_id;
    if (build_id.empty()) continue;
    std::unique_ptr<InstructionKinds>& of_machine = kinds[module.file->machine()];
    if (of_machine == nullptr) of_machine = std::make_unique<InstructionKinds>(module.file->machine());
    BlockAt& at = by_build_id_[build_id];
    size_t next = 0;
    for (const BasicBlock& basic : BasicBlocks(module)) {
      ReferenceBlock block;
      block.module = module.module;
      block.start = basic.start;
      block.executions = basic.executions;
      for (uint64_t i = 0; i < basic.instructions; ++i, ++next) {
        const ExecutedInstruction& instruction = module.instructions[next];
        const auto code = module.file->CodeAt(instruction.address, instruction.bytes);
        const std::string name = of_machine->Of(code, instruction.address).mnemonic;
        const auto [it, is_new] = numbers.try_emplace(name, static_cast<uint32_t>(mnemonic_names_.size()));
        if (is_new) mnemonic_names_.push_back(name);
        block.mnemonics.push_back(it->second);
        at[instruction.address] = static_cast<uint32_t>(blocks_.size());
      }
      instructions_ += block.executions * block.mnemonics.size();
      blocks_.push_back(std::move(block));
    }
  }
}

const Reference::BlockAt* Reference::BlocksOf(const toolchain::ProfileModule& module) const {
  const auto it = by_build_id_.find(module.build_id);
  return it == by_build_id_.end() ? nullptr : &it->second;
}

void Reference::CountBlocksSeen(const std::string& profile, Method method, std::vector<double>* counts, double* matched,
                                double* all) const {
  const ExecutedInput input({profile}, binaries_);
  const toolchain::BlockCounts blocks = toolchain::CountBlocks(input.profile, input.code);
  size_t block = 0;
  for (const ExecutedModule& module : input.code.modules) {
    const BlockAt* at = BlocksOf(input.profile.modules[module.module]);
    size_t next = 0;
    for (; block < blocks.blocks.size() && blocks.blocks[block].module == module.module; ++block) {
      const toolchain::CountedBlock& counted = blocks.blocks[block];
      for (uint64_t i = 0; i < counted.block.instructions; ++i, ++next) {
        const uint64_t by_ranges = counted.block.executions;
        const auto count = static_cast<double>(method == Method::kHybrid ? module.instructions[next].count : by_ranges);
        *all += count;
        if (at == nullptr) continue;
        const auto found = at->find(module.instructions[next].address);
        if (found == at->end()) continue;
        *matched += count;
        (*counts)[found->second] += count;
      }
    }
  }
}

void Reference::CountSamples(const std::string& profile, std::vector<double>* counts, double* matched,
                             double* all) const {
  const Profile loaded = toolchain::LoadProfile(profile);
  for (const SampleCount& sample : loaded.samples) {
    const double count = static_cast<double>(sample.count);
    *all += count;
    const BlockAt* at = sample.pc.module < loaded.modules.size() ? BlocksOf(loaded.modules[sample.pc.module]) : nullptr;
    if (at == nullptr) continue;
    const auto found = at->find(sample.pc.address);
    if (found == at->end()) continue;
    *matched += count;
    (*counts)[found->second] += count;
  }
}

Estimate Reference::Of(const std::string& profile, Method method) const {
  Estimate estimate;
  estimate.instructions.resize(blocks_.size());
  double matched = 0, all = 0;
  if (method == Method::kSamples) {
    CountSamples(profile, &estimate.instructions, &matched, &all);
  } else {
    CountBlocksSeen(profile, method, &estimate.instructions, &matched, &all);
  }
  if (matched == 0)
    throw StatedFailure(profile + ": counts nothing of the reference's code; were both made of the same program?");
  for (double& count : estimate.instructions) count *= static_cast<double>(instructions_) / matched;
  estimate.events = static_cast<uint64_t>(all);
  estimate.unmatched = 1 - matched / all;
  return estimate;
}

Errors Reference::ErrorsOf(const Estimate& estimate) const {
  Errors errors;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const double exact = static_cast<double>(blocks_[i].executions) * static_cast<double>(blocks_[i].mnemonics.size());
    errors.by_block += std::abs(estimate.instructions[i] - exact);
  }
  for (const auto& [name, counts] : Mnemonics(estimate)) errors.by_mnemonic += std::abs(counts.second - counts.first);
  errors.by_block /= static_cast<double>(instructions_);
  errors.by_mnemonic /= static_cast<double>(instructions_);
  return errors;
}

std::vector<TrainingRow> Reference::TrainingRows(const std::string& profile) const {
  const ExecutedInput input({profile}, binaries_);
  const toolchain::BlockCounts blocks = toolchain::CountBlocks(input.profile, input.code);
  // How often whole traces pass a branch target, how far from their start, and how often in an aborted trace.
  struct Passes {
    double all = 0, distance = 0, aborted = 0;
  };
  std::map<toolchain::Location, Passes> passes;
  toolchain::VisitTraces(input.profile, [&](const toolchain::Trace& trace) {
    for (size_t i = 0; i < trace.branches.size(); ++i) {
      Passes& here = passes[trace.branches[i].second];
      ++here.all;
      here.distance += static_cast<double>(i + 1);
      if (trace.reason != AbortReason::kNone) ++here.aborted;
    }
  });
  std::vector<TrainingRow> rows;
  size_t block = 0;
  for (const ExecutedModule& module : input.code.modules) {
    const BlockAt* at = BlocksOf(input.profile.modules[module.module]);
    size_t next = 0;
    for (; block < blocks.blocks.size() && blocks.blocks[block].module == module.module; ++block) {
      const toolchain::CountedBlock& counted = blocks.blocks[block];
      TrainingRow row;
      row.features = counted.features;
      for (uint64_t i = 0; i < counted.block.instructions; ++i, ++next) {
        if (at == nullptr) continue;
        const auto found = at->find(module.instructions[next].address);
        if (found != at->end()) row.exact += static_cast<double>(blocks_[found->second].executions);
      }
      const double instructions = static_cast<double>(counted.block.instructions);
      const double all = static_cast<double>(blocks.executed_instructions);
      row.exact /= static_cast<double>(instructions_);
      row.by_branches = static_cast<double>(counted.block.executions) * instructions / all;
      row.by_samples = counted.by_samples * instructions / all;
      const auto passed = passes.find({module.module, counted.block.start});
      if (passed != passes.end()) {
        row.distance = passed->second.distance / passed->second.all;
        row.aborts = passed->second.aborted / passed->second.all;
      }
      rows.push_back(row);
    }
  }
  return rows;
}

std::map<std::string, std::pair<double, double>> Reference::Mnemonics(const Estimate& estimate) const {
  std::vector<std::pair<double, double>> sums(mnemonic_names_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const double estimated = estimate.instructions[i] / static_cast<double>(blocks_[i].mnemonics.size());
    for (const uint32_t mnemonic : blocks_[i].mnemonics) {
      sums[mnemonic].first += static_cast<double>(blocks_[i].executions);
      sums[mnemonic].second += estimated;
    }
  }
  std::map<std::string, std::pair<double, double>> result;
  for (size_t i = 0; i < sums.size(); ++i) result[mnemonic_names_[i]] = sums[i];
  return result;
}

}  // namespace softlbr::trust
