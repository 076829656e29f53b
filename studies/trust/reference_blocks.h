// How close a profile's counts of basic blocks are to the exact counts of the same program.
//
// The blocks are those of the exact counts (tests/reference). Each of a profile's methods gives every instruction of
// these blocks an estimate; estimates are scaled so that their sum is that of the exact counts, so only shares are
// compared.
//   kRanges   the fall-through ranges, as `softlbr blocks` counts executions: the block that it sees, each of its
//             instructions equally kSamples the samples in the block, spread over its instructions
//   kHybrid   the counts of `softlbr mix`: of the source that the tree chooses for each block
//             (toolchain/code/block_counts.h)
// Modules are matched by build id. Samples and ranges in code that the exact counts do not have are left out and their
// share is told.
#ifndef SOFTLBR_STUDIES_TRUST_REFERENCE_BLOCKS_H_
#define SOFTLBR_STUDIES_TRUST_REFERENCE_BLOCKS_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "toolchain/code/block_counts.h"
#include "toolchain/commands/executed_input.h"

namespace softlbr::trust {

enum class Method { kRanges, kSamples, kHybrid };

struct ReferenceBlock {
  uint32_t module = 0;
  uint64_t start = 0;
  uint64_t executions = 0;
  std::vector<uint32_t> mnemonics;  // of its instructions
};

// One method's view of one profile, in the order of the reference's blocks.
struct Estimate {
  std::vector<double> instructions;  // executed in the block; sums to the reference's
  uint64_t events = 0;               // samples, or executions of ranges, that were counted
  double unmatched = 0;              // share of them in code that the reference does not have
};

struct Errors {
  // sum over blocks of |estimated - exact| executed instructions, over all executed instructions: 0 to 2
  double by_block = 0;
  // the same sum over mnemonics: the average of their relative errors, weighted by their frequency
  double by_mnemonic = 0;
};

// One block as `softlbr blocks` sees it, with its true count: what the tree is trained with.
struct TrainingRow {
  toolchain::BlockFeatures features;
  // mean number of branches from the trace's start; 0 without whole traces
  double distance = 0;
  // share of its appearances that are in aborted traces; 0 without whole traces
  double aborts = 0;
  double exact = 0, by_branches = 0, by_samples = 0;  // executed instructions, as shares of the program's
};

class Reference {
 public:
  // exact: a profile of exact_counts. StatedFailure as by ExecutedInput.
  Reference(const std::string& exact, const std::vector<std::string>& binaries);

  const std::vector<ReferenceBlock>& blocks() const { return blocks_; }
  uint64_t instructions() const { return instructions_; }

  Estimate Of(const std::string& profile, Method method) const;
  Errors ErrorsOf(const Estimate& estimate) const;
  std::vector<TrainingRow> TrainingRows(const std::string& profile) const;
  // Executions by mnemonic: exact, and by the estimate.
  std::map<std::string, std::pair<double, double>> Mnemonics(const Estimate& estimate) const;

 private:
  using BlockAt = std::unordered_map<uint64_t, uint32_t>;  // index of the block of the instruction at an address

  const BlockAt* BlocksOf(const toolchain::ProfileModule& module) const;
  void CountBlocksSeen(const std::string& profile, Method method, std::vector<double>* counts, double* matched,
                       double* all) const;
  void CountSamples(const std::string& profile, std::vector<double>* counts, double* matched, double* all) const;

  std::vector<std::string> binaries_;
  std::vector<ReferenceBlock> blocks_;
  std::vector<std::string> mnemonic_names_;
  std::map<std::vector<uint8_t>, BlockAt> by_build_id_;
  uint64_t instructions_ = 0;
};

}  // namespace softlbr::trust

#endif  // SOFTLBR_STUDIES_TRUST_REFERENCE_BLOCKS_H_
