#include "runtime/block_check.h"

#include "runtime/lookahead/uop_check.h"

namespace softlbr {

namespace {

// The commonest ops in their commonest form: well formed if this says so, else IsUopWellFormed tells.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsPlainUop(const softlbr_uop& uop) {
  constexpr uint64_t kPlainOps =
      uint64_t{1} << SOFTLBR_OP_CONST | uint64_t{1} << SOFTLBR_OP_MOV | uint64_t{1} << SOFTLBR_OP_ADDRESS |
      uint64_t{1} << SOFTLBR_OP_LOAD | uint64_t{1} << SOFTLBR_OP_STORE | uint64_t{1} << SOFTLBR_OP_ADD |
      uint64_t{1} << SOFTLBR_OP_SUB | uint64_t{1} << SOFTLBR_OP_AND | uint64_t{1} << SOFTLBR_OP_OR |
      uint64_t{1} << SOFTLBR_OP_XOR | uint64_t{1} << SOFTLBR_OP_SHL | uint64_t{1} << SOFTLBR_OP_SHR;
  constexpr uint32_t kWidths = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8;
  constexpr uint32_t kHigh = SOFTLBR_UOP_A_HIGH | SOFTLBR_UOP_B_HIGH | SOFTLBR_UOP_DST_HIGH;
  const bool is_op = uop.op < 64 && (kPlainOps >> uop.op & 1) != 0;
  const bool is_width = uop.width <= 8 && (kWidths >> uop.width & 1) != 0;
  const bool has_cells = uop.dst < SOFTLBR_CELL_COUNT && uop.a < SOFTLBR_CELL_COUNT && uop.b < SOFTLBR_CELL_COUNT;
  return is_op && is_width && has_cells && uop.dst != SOFTLBR_CELL_BLOCK && (uop.flags & kHigh) == 0 && uop.aux < 64;
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
  if (!IsTerminatorWellFormed(block.end)) return false;
  if (block.instruction_count == 0) return block.uop_count == 0;
  if (block.end.after_uops > block.uops_of[block.instruction_count - 1]) return false;
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    if (SOFTLBR_UNLIKELY(!IsPlainUop(block.uops[i])) && !IsUopWellFormed(block.uops[i])) return false;
  }
  return true;
}

}  // namespace softlbr
