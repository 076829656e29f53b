#include "tests/guest/path_follower.h"

#include "tests/truth/step/step_classifier_a64.h"

namespace softlbr::guest {
namespace {

constexpr uint64_t kInstructionBytes = 4;

uint64_t TargetOf(uint64_t address, uint32_t word) {
  const truth::StepClass step = truth::ClassifyA64Step(word);
  if (step.kind == truth::StepKind::kConditional) {
    return address + kInstructionBytes + static_cast<uint64_t>(static_cast<int64_t>(step.displacement));
  }
  return address + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(word << 6) >> 6) * 4);  // b, bl
}

bool IsConditional(uint32_t word) { return truth::ClassifyA64Step(word).kind == truth::StepKind::kConditional; }

}  // namespace

PathFollower::PathFollower(PathSink* sink, uint64_t address, uint64_t block_end) : sink_(*sink) {
  flows_.push_back({});
  flows_.back().from = address;
  flows_.back().end = block_end;
}

bool PathFollower::IsIndirect(uint32_t word) { return !IsConditional(word) && (word & 0x7c000000) != 0x14000000; }

bool PathFollower::CanGoOnAt(const Flow& flow, uint64_t address) {
  if (flow.branch == 0) return address >= flow.from && address <= flow.end;
  if (IsIndirect(flow.word)) return true;
  return address == TargetOf(flow.branch, flow.word) ||
         (IsConditional(flow.word) && address == flow.branch + kInstructionBytes);
}

void PathFollower::Restart(Flow* flow, const BlockStart& block) {
  flow->from = block.address;
  flow->end = block.address + block.instructions * kInstructionBytes;
  flow->branch = 0;
}

void PathFollower::GoOnAt(Flow* flow, const BlockStart& block) {
  const uint64_t ran_to = flow->branch == 0 ? block.address : flow->branch + kInstructionBytes;
  flow->steps += (ran_to - flow->from) / kInstructionBytes;
  // A conditional branch to the next instruction counts as not taken: no compiler emits one.
  if (flow->branch != 0 && (!IsConditional(flow->word) || block.address != flow->branch + kInstructionBytes)) {
    if (!flow->is_silent) sink_.Branch(flow->branch, block.address, flow->steps);
    flow->steps = 0;
  }
  Restart(flow, block);
}

// The flow that continues is the topmost one below that can continue at `address`.
bool PathFollower::LeaveHandlers(uint64_t address) {
  uint32_t heard = 0;
  for (size_t level = flows_.size(); level-- > 1;) {
    if (!flows_[level].is_silent) ++heard;
    if (!CanGoOnAt(flows_[level - 1], address)) continue;
    flows_.resize(level);
    if (heard != 0) sink_.LeaveHandler(heard);
    return true;
  }
  return false;
}

void PathFollower::EnterHandler(const BlockStart& block) {
  entries_.insert(block.address);
  flows_.push_back({});
  flows_.back().is_silent = block.is_runtime;
  if (!block.is_runtime) sink_.EnterHandler(block.address);
  Restart(&flows_.back(), block);
}

void PathFollower::EnterBlock(const BlockStart& block) {
  Flow& flow = flows_.back();
  const bool fits = CanGoOnAt(flow, block.address);
  // rt_sigreturn's number is set, but the call itself may be in a block of its own.
  if (flow.is_returning && !fits) {
    flow.is_returning = false;
    if (block.kernel_ran && block.frame_written && flows_.size() > 1) {
      // The handler returned and the next one began at once: nothing ran in between.
      if (!flow.is_silent) sink_.LeaveHandler(1);
      flows_.pop_back();
      return EnterHandler(block);
    }
    // Two signals at once: the kernel makes both frames, and the second handler returns to the entry of the first.
    const bool is_resumed = flows_.size() > 1 && flows_[flows_.size() - 2].branch == 0 &&
                            CanGoOnAt(flows_[flows_.size() - 2], block.address);
    if (flows_.size() > 1 && !is_resumed && entries_.count(block.address) != 0) {
      if (!flow.is_silent) sink_.LeaveHandler(1);
      flows_.pop_back();
      return EnterHandler(block);
    }
    if (LeaveHandlers(block.address)) return GoOnAt(&flows_.back(), block);
    sink_.Move(block.address);
    flow.steps = 0;
    return Restart(&flow, block);
  }
  // An indirect branch may lead anywhere. But only an interrupt can come between it and its target, and no interrupt
  // stores as much into user memory as a signal frame takes.
  const bool is_open = flow.branch != 0 && IsIndirect(flow.word);
  if (block.kernel_ran && block.frame_written && (!fits || is_open)) {
    return EnterHandler(block);
  }
  if (fits) return GoOnAt(&flow, block);
  if (block.kernel_ran) {
    sink_.Move(block.address);
  } else {
    sink_.Lost(block.address);
  }
  flow.steps = 0;
  Restart(&flow, block);
}

void PathFollower::ReachBranch(uint64_t address, uint32_t word) {
  flows_.back().branch = address;
  flows_.back().word = word;
}

void PathFollower::ReachReturnFromSignal() { flows_.back().is_returning = true; }

}  // namespace softlbr::guest
