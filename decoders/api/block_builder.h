// Appends instructions and their uops to a softlbr_block. Shared by decoder plugins; header-only.
//
// Who calls: a plugin's lift(), in signal handlers. Memory: the caller's softlbr_block; the builder itself is on the
// stack.
// Use: Begin(length), any number of Add(), End(). Without End() the instruction leaves no trace in the block. Rewind()
// drops the uops added so far, so that a family of semantics that gives up half-way leaves nothing behind.
// Full: Add() ignores uops that do not fit, and End() drops the instruction and returns false: the block ends before it
// (FALLTHROUGH). Callers need not check each Add().
// Cost: a few stores per uop.
#ifndef SOFTLBR_DECODERS_API_BLOCK_BUILDER_H_
#define SOFTLBR_DECODERS_API_BLOCK_BUILDER_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"

namespace softlbr::decoder {

class BlockBuilder {
 public:
  SOFTLBR_HANDLER_SAFE BlockBuilder(softlbr_block* block, uint64_t pc) : block_(block) {
    block->pc = pc;
    block->byte_length = 0;
    block->instruction_count = 0;
    block->uop_count = 0;
    block->end = softlbr_terminator{};
  }
  // For callers that only ask whether an instruction can be lifted. `full` has uop_count > SOFTLBR_BLOCK_MAX_UOPS:
  // every uop is ignored and `full` is never written.
  SOFTLBR_HANDLER_SAFE explicit BlockBuilder(const softlbr_block& full) : block_(const_cast<softlbr_block*>(&full)) {}
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  // False if the block has no room for another instruction.
  SOFTLBR_HANDLER_SAFE bool Begin(uint32_t length) {
    if (block_->instruction_count >= SOFTLBR_BLOCK_MAX_INSTRUCTIONS) return false;
    length_ = length;
    used_ = block_->uop_count;
    after_ = 0;
    is_in_after_ = false;
    next_temp_ = 0;
    return true;
  }

  // Adds the instruction to the block. False if its uops did not fit: the whole instruction is dropped.
  SOFTLBR_HANDLER_SAFE bool End() {
    if (SOFTLBR_UNLIKELY(used_ > SOFTLBR_BLOCK_MAX_UOPS)) return false;
    const uint32_t i = block_->instruction_count;
    block_->length[i] = static_cast<uint8_t>(length_);
    block_->uops_of[i] = static_cast<uint8_t>(used_ - block_->uop_count);
    block_->uop_count = static_cast<uint16_t>(used_);
    block_->byte_length += length_;
    block_->instruction_count = static_cast<uint16_t>(i + 1);
    return true;
  }

  // Drops the uops added since Begin().
  SOFTLBR_HANDLER_SAFE void Rewind() {
    used_ = block_->uop_count;
    after_ = 0;
    is_in_after_ = false;
    next_temp_ = 0;
  }

  // Offsets of the current instruction and of the next one from the block's first byte (SOFTLBR_REG_BLOCK).
  SOFTLBR_HANDLER_SAFE uint32_t offset() const { return block_->byte_length; }
  SOFTLBR_HANDLER_SAFE uint32_t next_offset() const { return block_->byte_length + length_; }
  SOFTLBR_HANDLER_SAFE const softlbr_block& block() const { return *block_; }
  // True if the last uop before this instruction sets register slot `slot` to the constant `value`.
  SOFTLBR_HANDLER_SAFE bool FollowsConst(uint32_t slot, int32_t value) const {
    if (block_->uop_count == 0 || block_->uop_count > SOFTLBR_BLOCK_MAX_UOPS) return false;
    const softlbr_uop& last = block_->uops[block_->uop_count - 1];
    return last.op == SOFTLBR_OP_CONST && last.dst == slot && last.width >= 4 && last.imm == value;
  }

  // A temporary slot that this instruction has not used yet. Wraps around after 32; no instruction needs that many.
  SOFTLBR_HANDLER_SAFE uint16_t Temp() {
    const uint32_t temp = next_temp_++ % SOFTLBR_TEMP_SLOTS;
    return static_cast<uint16_t>(SOFTLBR_REG_TEMP + temp);
  }

  // The current instruction's uops so far; none if they did not fit.
  SOFTLBR_HANDLER_SAFE const softlbr_uop* first_added() const { return &block_->uops[block_->uop_count]; }
  SOFTLBR_HANDLER_SAFE uint32_t added() const { return used_ > SOFTLBR_BLOCK_MAX_UOPS ? 0 : used_ - block_->uop_count; }

  // Appends a uop. The caller may change the returned uop until the next call.
  SOFTLBR_HANDLER_SAFE softlbr_uop* Add(uint32_t op, uint32_t width, uint32_t dst, uint32_t a, uint32_t b = 0,
                                        int32_t imm = 0, uint32_t aux = 0, uint32_t flags = 0) {
    softlbr_uop* uop = SOFTLBR_LIKELY(used_ < SOFTLBR_BLOCK_MAX_UOPS) ? &block_->uops[used_] : &swallowed_;
    ++used_;
    after_ += is_in_after_ ? 1u : 0u;
    uop->op = static_cast<uint16_t>(op);
    uop->width = static_cast<uint8_t>(width);
    uop->aux = static_cast<uint8_t>(aux);
    uop->dst = static_cast<uint16_t>(dst);
    uop->a = static_cast<uint16_t>(a);
    uop->b = static_cast<uint16_t>(b);
    uop->flags = static_cast<uint16_t>(flags);
    uop->imm = imm;
    return uop;
  }

  // dst = the 64-bit constant: one uop if it fits sign-extended, else two.
  SOFTLBR_HANDLER_SAFE void AddConst(uint32_t dst, int64_t value) {
    Add(SOFTLBR_OP_CONST, 8, dst, 0, 0, static_cast<int32_t>(value));
    if (value != static_cast<int32_t>(value))
      Add(SOFTLBR_OP_CONST_HIGH, 8, dst, 0, 0, static_cast<int32_t>(value >> 32));
  }

  // The whole register slot becomes UNKNOWN.
  SOFTLBR_HANDLER_SAFE void AddUnknown(uint32_t slot) { Add(SOFTLBR_OP_UNKNOWN, 8, slot, 0); }

  // Terminators: uops added after this call run after the target is evaluated.
  SOFTLBR_HANDLER_SAFE void BeginAfter() { is_in_after_ = true; }
  uint32_t after_uops() const { return after_; }

  // Sets the block's end, including after_uops. Call after the last Add() of the terminator. Does nothing if the
  // terminator's uops did not fit.
  SOFTLBR_HANDLER_SAFE void SetEnd(const softlbr_terminator& end) {
    if (SOFTLBR_UNLIKELY(used_ > SOFTLBR_BLOCK_MAX_UOPS)) return;
    block_->end = end;
    block_->end.after_uops = static_cast<uint16_t>(after_);
  }

 private:
  softlbr_block* block_;
  uint32_t length_ = 0;
  uint32_t used_ = 0;
  uint32_t after_ = 0;
  uint32_t next_temp_ = 0;
  bool is_in_after_ = false;
  softlbr_uop swallowed_;
};

}  // namespace softlbr::decoder

#endif  // SOFTLBR_DECODERS_API_BLOCK_BUILDER_H_
