#include "runtime/blocks/block_check.h"

#include "runtime/lookahead/uop_check.h"

namespace softlbr {

bool IsBlockWellFormed(const softlbr_block& block, uint64_t pc, uint32_t bytes) {
  if (block.pc != pc || block.byte_length > bytes) return false;
  if (block.instruction_count > SOFTLBR_BLOCK_MAX_INSTRUCTIONS || block.uop_count > SOFTLBR_BLOCK_MAX_UOPS)
    return false;
  uint32_t length = 0;
  uint32_t uops = 0;
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    if (block.length[i] == 0) return false;
    length += block.length[i];
    uops += block.uops_of[i];
  }
  if (length != block.byte_length || uops != block.uop_count) return false;
  if (!IsTerminatorWellFormed(block.end)) return false;
  if (block.instruction_count == 0) return block.uop_count == 0;
  if (block.end.after_uops > block.uops_of[block.instruction_count - 1]) return false;
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    if (!IsUopWellFormed(block.uops[i])) return false;
  }
  return true;
}

}  // namespace softlbr
