#include "runtime/trace/verifier.h"

#include "platform/base/elf_machine.h"
#include "platform/base/registers_x86_64.h"

namespace softlbr {
namespace {

// The exception flags of MXCSR are sticky side effects of every floating-point instruction; no semantics of ours claims them.
constexpr uint64_t kStickyExceptionBits = 0x3f;

SOFTLBR_HANDLER_SAFE uint64_t BitsOfBytes(uint8_t bytes) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    if ((bytes >> i & 1) != 0) bits |= uint64_t{0xff} << (8 * i);
  }
  return bits;
}

}  // namespace

uint32_t CountSkips(const ThreadSlot& slot, uint64_t end_pc) {
  const TraceBuffer::Entry* entries = slot.buffer->entries + slot.buffer->used + 1;
  uint32_t passes = 0;
  uint64_t run_begin = slot.segment_pc;
  for (uint32_t i = slot.segment_branch; i < slot.buffer->open_count; ++i) {
    const BranchRecord& branch = entries[i].branch;
    // The thread stands at segment_pc: that execution does not hit (PassBreakpointOnce).
    const bool is_stand = i == slot.segment_branch && end_pc == run_begin;
    if (end_pc >= run_begin && end_pc <= branch.from && !is_stand) ++passes;
    run_begin = branch.to;
  }
  return passes;
}

void KeepPrediction(ThreadSlot* slot) {
  SettleContext(&slot->scratch->evaluator);
  const MachineContext& context = slot->scratch->evaluator.context;
  for (uint32_t i = 0; i < SOFTLBR_GENERAL_CELLS; ++i) {
    slot->predicted.regs[i] = context.regs[SOFTLBR_REG_GENERAL + i];
    slot->predicted.known[i] = context.known[SOFTLBR_REG_GENERAL + i];
  }
  slot->predicted.flags = context.flags;
  slot->predicted.flags_known = context.flags_known;
}

void ForgetPrediction(ThreadSlot* slot) {
  for (uint8_t& known : slot->predicted.known) {
    known = 0;
    asm volatile("" ::: "memory");  // or the compiler makes it a call of memset
  }
  slot->predicted.flags_known = 0;
}

bool IsPredictionTrue(const ThreadSlot& slot) {
  const MachineContext& context = slot.scratch->evaluator.context;
  for (uint32_t i = 0; i < SOFTLBR_GENERAL_CELLS; ++i) {
    uint64_t compared = BitsOfBytes(slot.predicted.known[i] & context.known[SOFTLBR_REG_GENERAL + i]);
    const bool is_mxcsr = slot.scratch->evaluator.machine == kMachineX86_64 && SOFTLBR_REG_GENERAL + i == SOFTLBR_X86_MXCSR;
    if (is_mxcsr) compared &= ~kStickyExceptionBits;
    if (((slot.predicted.regs[i] ^ context.regs[SOFTLBR_REG_GENERAL + i]) & compared) != 0) return false;
  }
  const uint8_t flags = slot.predicted.flags_known & context.flags_known;
  return ((slot.predicted.flags ^ context.flags) & flags) == 0;
}

}  // namespace softlbr
