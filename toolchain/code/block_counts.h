// Counts of the executions of each basic block of a profile: by branch records, by samples, and the more trustworthy of
// the two.
//
// Branch records: the fall-through ranges that pass through the block. Samples: a block with twice the instructions
// gets twice the samples, so its samples are divided by its number of instructions, and scaled so that both methods
// count equally many executed instructions in total. Which method is nearer the truth depends on the block and the
// event; a classification tree decides (CountSourceOf). Host code.
#ifndef SOFTLBR_TOOLCHAIN_CODE_BLOCK_COUNTS_H_
#define SOFTLBR_TOOLCHAIN_CODE_BLOCK_COUNTS_H_

#include <cstdint>
#include <vector>

#include "toolchain/code/executed_code.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

enum class CountSource { kBranches, kSamples };

// What the tree looks at.
struct BlockFeatures {
  double instructions = 0;  // of the block
  double samples = 0;       // in the block
  // share of the block's appearances in traces that are the trace's start: samples / (samples + executions)
  double starts = 0;
  // The samples are drawn evenly from the executed instructions. Those by time favour slow code. Those by branches
  // favour what follows a taken branch, at the distance of the interrupt's skid.
  bool is_by_instructions = false;
};

// Trained by studies/trust/train_tree.pl on programs that are not part of the evaluation
// (studies/trust/evaluation_hbbp.md). It takes samples only if they are by instructions.
CountSource CountSourceOf(const BlockFeatures& features);

struct CountedBlock {
  uint32_t module = kNoModule;
  BasicBlock block;       // `executions` is the count by branch records
  double by_samples = 0;  // executions; 0 for all blocks if the profile has no samples in executed code
  // executed, by the source that was chosen; by branch records those of the ranges, cut ones too
  uint64_t instructions = 0;
  BlockFeatures features;
  CountSource source = CountSource::kBranches;
  double hybrid() const { return source == CountSource::kSamples ? by_samples : static_cast<double>(block.executions); }
};

struct BlockCounts {
  std::vector<CountedBlock> blocks;    // module by module, by address
  uint64_t executed_instructions = 0;  // the sum over blocks
  uint64_t samples = 0;
};

// True if every session was sampled by instructions. Of a profile that is merged from several events, no sample tells
// its own.
bool AreSamplesByInstructions(const Profile& profile);

BlockCounts CountBlocks(const Profile& profile, const ExecutedCode& code);
uint64_t RoundedCount(double count);

// Gives each instruction of the code its count: by the source that is chosen for its block. DecodeExecutedCode has done
// so.
void ChooseCounts(const Profile& profile, ExecutedCode* code);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_BLOCK_COUNTS_H_
