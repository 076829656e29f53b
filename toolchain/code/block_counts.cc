#include "toolchain/code/block_counts.h"

#include <algorithm>

#include "platform/base/sample_event.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {

bool AreSamplesByInstructions(const Profile& profile) {
  const auto is_by_instructions = [](const ProfileSession& session) {
    return static_cast<platform::SampleEvent>(session.event) == platform::SampleEvent::kInstructions;
  };
  return !profile.sessions.empty() && std::all_of(profile.sessions.begin(), profile.sessions.end(), is_by_instructions);
}

uint64_t RoundedCount(double count) {
  return count < static_cast<double>(~uint64_t{0}) ? static_cast<uint64_t>(count + 0.5) : ~uint64_t{0};
}

BlockCounts CountBlocks(const Profile& profile, const ExecutedCode& code) {
  BlockCounts counts;
  const bool is_by_instructions = AreSamplesByInstructions(profile);
  uint64_t by_branches = 0;
  for (const ExecutedModule& module : code.modules) {
    auto instruction = module.instructions.begin();
    for (const BasicBlock& block : BasicBlocks(module)) {
      CountedBlock counted;
      counted.module = module.module;
      counted.block = block;
      for (uint64_t i = 0; i < block.instructions; ++i, ++instruction) {
        counted.instructions = SaturatingAdd(counted.instructions, instruction->executions);
      }
      counts.blocks.push_back(counted);
      by_branches = SaturatingAdd(by_branches, counted.instructions);
      counts.samples = SaturatingAdd(counts.samples, block.samples);
    }
  }
  for (CountedBlock& counted : counts.blocks) {
    if (counts.samples != 0) {
      const double instructions_per_sample = static_cast<double>(by_branches) / static_cast<double>(counts.samples);
      BlockFeatures& features = counted.features;
      features.instructions = static_cast<double>(counted.block.instructions);
      features.samples = static_cast<double>(counted.block.samples);
      features.starts = features.samples / (features.samples + static_cast<double>(counted.block.executions));
      features.is_by_instructions = is_by_instructions;
      counted.by_samples = features.samples * instructions_per_sample / features.instructions;
      counted.source = CountSourceOf(features);
    }
    if (counted.source == CountSource::kSamples) {
      counted.instructions = SaturatingMultiply(RoundedCount(counted.by_samples), counted.block.instructions);
    }
    counts.executed_instructions = SaturatingAdd(counts.executed_instructions, counted.instructions);
  }
  return counts;
}

void ChooseCounts(const Profile& profile, ExecutedCode* code) {
  const BlockCounts counts = CountBlocks(profile, *code);
  auto counted = counts.blocks.begin();
  for (ExecutedModule& module : code->modules) {
    auto instruction = module.instructions.begin();
    for (; counted != counts.blocks.end() && counted->module == module.module; ++counted) {
      for (uint64_t i = 0; i < counted->block.instructions; ++i, ++instruction) {
        instruction->count =
            counted->source == CountSource::kSamples ? RoundedCount(counted->by_samples) : instruction->executions;
      }
    }
  }
}

}  // namespace softlbr::toolchain
