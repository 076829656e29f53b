// Made by studies/trust/train_tree.pl: 58917 blocks of bc, gzip, jq, lua, mawk, sqlite3, zstd. Do not edit.
#include "toolchain/code/block_counts.h"

namespace softlbr::toolchain {

CountSource CountSourceOf(const BlockFeatures& features) {
  if (!features.is_by_instructions) {
    return CountSource::kBranches;
  }
  if (features.samples <= 19.5) {
    if (features.samples <= 5.5) {
      return CountSource::kBranches;
    }
    return CountSource::kSamples;
  }
  return CountSource::kSamples;
}

}  // namespace softlbr::toolchain
