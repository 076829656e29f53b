#include "runtime/block_check.h"

namespace softlbr {
namespace {

constexpr uint32_t kMaxWidth = 64;

// Every cell a uop names may be the first of a vector, so it must leave room for one unless it lies in the scalar part.
SOFTLBR_HANDLER_SAFE bool IsCell(uint32_t cell, uint32_t width) {
  if (cell >= SOFTLBR_CELL_COUNT) return false;
  return width <= 8 || cell + SOFTLBR_CELLS_PER_VECTOR <= SOFTLBR_CELL_COUNT;
}

}  // namespace

bool IsBlockWellFormed(const softlbr_block& block, uint64_t pc, uint32_t bytes) {
  if (block.pc != pc || block.byte_length > bytes) return false;
  if (block.instruction_count > SOFTLBR_BLOCK_MAX_INSTRUCTIONS || block.uop_count > SOFTLBR_BLOCK_MAX_UOPS) return false;
  uint32_t length = 0;
  uint32_t uops = 0;
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    if (block.length[i] == 0) return false;
    length += block.length[i];
    uops += block.uops_of[i];
  }
  if (length != block.byte_length || uops != block.uop_count) return false;
  const softlbr_terminator& end = block.end;
  if (end.kind > SOFTLBR_END_MAX_VALUE || end.condition > SOFTLBR_COND_MAX_VALUE) return false;
  if (end.base >= SOFTLBR_CELL_COUNT || end.index >= SOFTLBR_CELL_COUNT || end.cond_reg >= SOFTLBR_CELL_COUNT) return false;
  if (end.scale > 4 || end.load_bytes > 8 || end.cond_width > 8) return false;
  if (block.instruction_count == 0) return block.uop_count == 0;
  if (end.after_uops > block.uops_of[block.instruction_count - 1]) return false;
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    const softlbr_uop& uop = block.uops[i];
    if (uop.op > SOFTLBR_OP_MAX_VALUE || uop.width > kMaxWidth) return false;
    if (!IsCell(uop.dst, uop.width) || !IsCell(uop.a, uop.width) || !IsCell(uop.b, uop.width)) return false;
  }
  return true;
}

}  // namespace softlbr
