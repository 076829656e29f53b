// Made by bench/trust/train_tree.py: 32453 blocks of bc, gzip, jq, lua, mawk, sqlite3, zstd. Do not edit.
#include "toolchain/code/block_counts.h"

namespace softlbr::toolchain {

CountSource CountSourceOf(const BlockFeatures& features) {
  if (!features.is_by_time) {
    if (features.samples <= 19.5) {
      if (features.samples <= 2.5) {
        return CountSource::kBranches;
      }
      return CountSource::kSamples;
    }
    return CountSource::kSamples;
  }
  return CountSource::kBranches;
}

}  // namespace softlbr::toolchain
