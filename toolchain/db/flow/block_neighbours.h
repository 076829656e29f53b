// What most often comes before and after each basic block.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_BLOCK_NEIGHBOURS_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_BLOCK_NEIGHBOURS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "toolchain/db/flow/binary_recovery.h"

namespace softlbr::toolchain {

// Distances in bytes; none: it is in another module, or nothing was recorded.
struct BlockNeighbours {
  std::optional<int64_t> prior;  // from the block's first instruction to the one before it
  std::optional<int64_t> next;   // from its last instruction to the one after it
};

// Of each block of the flow.
std::vector<BlockNeighbours> NeighboursOf(const RecoveredBinary& binary);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_BLOCK_NEIGHBOURS_H_
