#include "toolchain/code/block_counts.h"

#include <algorithm>

#include "platform/base/sample_event.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

bool IsByTime(const Profile& profile) {
  return std::any_of(profile.sessions.begin(), profile.sessions.end(), [](const ProfileSession& session) {
    const auto event = static_cast<platform::SampleEvent>(session.event);
    return event != platform::SampleEvent::kInstructions && event != platform::SampleEvent::kBranches &&
           event != platform::SampleEvent::kTakenBranches;
  });
}

}  // namespace

BlockCounts CountBlocks(const Profile& profile, const ExecutedCode& code) {
  BlockCounts counts;
  const bool is_by_time = IsByTime(profile);
  for (const ExecutedModule& module : code.modules) {
    for (const BasicBlock& block : BasicBlocks(module)) {
      CountedBlock counted;
      counted.module = module.module;
      counted.block = block;
      counts.blocks.push_back(counted);
      counts.executed_instructions =
          SaturatingAdd(counts.executed_instructions, SaturatingMultiply(block.executions, block.instructions));
      counts.samples = SaturatingAdd(counts.samples, block.samples);
    }
  }
  if (counts.samples == 0) return counts;
  const double instructions_per_sample = static_cast<double>(counts.executed_instructions) / static_cast<double>(counts.samples);
  for (CountedBlock& counted : counts.blocks) {
    BlockFeatures& features = counted.features;
    features.instructions = static_cast<double>(counted.block.instructions);
    features.samples = static_cast<double>(counted.block.samples);
    features.starts = features.samples / (features.samples + static_cast<double>(counted.block.executions));
    features.is_by_time = is_by_time;
    counted.by_samples = features.samples * instructions_per_sample / features.instructions;
    counted.source = CountSourceOf(features);
  }
  return counts;
}

}  // namespace softlbr::toolchain
