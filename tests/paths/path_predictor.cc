// Contract: path_predictor.h.
#include "tests/paths/path_predictor.h"

#include <dlfcn.h>

#include <cstdlib>

#include "platform/base/elf_machine.h"
#include "platform/base/limits.h"
#include "platform/safe_read.h"
#include "runtime/blocks/block_check.h"

namespace softlbr::paths {
namespace {

constexpr uint64_t kRedZoneBytes = 128;
// A signal frame with every vector register, and the stack below it that AdoptTrueState counts as overwritten.
constexpr uint64_t kHandlerReach = 4096 + 2 * kHandlerStackBytes;

// The index of the instruction that starts at pc; the block's count if none does.
uint32_t InstructionAt(const softlbr_block& block, uint64_t pc) {
  uint64_t at = block.pc;
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    if (at == pc) return i;
    at += block.length[i];
  }
  return block.instruction_count;
}

}  // namespace

std::unique_ptr<PathPredictor> PathPredictor::Load(const char* plugin_path, std::string* error) {
  std::unique_ptr<PathPredictor> predictor(new PathPredictor);
  predictor->library_ = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
  if (predictor->library_ == nullptr) {
    *error = dlerror();
    return nullptr;
  }
  const auto entry =
      reinterpret_cast<softlbr_decoder_plugin_function>(dlsym(predictor->library_, SOFTLBR_DECODER_PLUGIN_SYMBOL));
  if (entry == nullptr) {
    *error = "the plugin has no entry";
    return nullptr;
  }
  predictor->plugin_ = entry();
  predictor->arena_ = std::aligned_alloc(64, (predictor->plugin_->arena_bytes + 63) / 64 * 64);
  if (predictor->plugin_->open(predictor->arena_, predictor->plugin_->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST,
                               &predictor->decoder_) != SOFTLBR_DECODER_OK) {
    *error = "the plugin does not open";
    return nullptr;
  }
  predictor->evaluator_ = std::make_unique<Evaluator>();
  InitEvaluator(predictor->evaluator_.get(), ResolvePolicy::kLookahead, predictor->plugin_->arch);
  return predictor;
}

PathPredictor::~PathPredictor() {
  if (decoder_ != nullptr) plugin_->close(decoder_);
  std::free(arena_);
  if (library_ != nullptr) dlclose(library_);
}

void PathPredictor::Adopt(const MachineContext& context, const SpecialRanges* special) {
  evaluator_->context = context;
  evaluator_->memory.pages.special = special;
  AdoptTrueState(evaluator_.get());
  evaluator_->context.known[SOFTLBR_REG_ATOMIC] = kAllKnown;  // the other threads are stopped
  const uint64_t end = context.sp - (plugin_->arch == kMachineX86_64 ? kRedZoneBytes : 0);
  SetDeadStack(evaluator_.get(), end - kHandlerReach, end);
}

AbortReason PathPredictor::GetBlock(uint64_t pc, RunStep* step) {
  // As the block cache does: the block that starts at pc, else one that contains it.
  const auto above = blocks_.upper_bound(pc);
  if (above != blocks_.begin()) {
    const softlbr_block& block = *std::prev(above)->second;
    const uint32_t first = InstructionAt(block, pc);
    if (first < block.instruction_count) {
      *step = RunStep{&block, first};
      return AbortReason::kNone;
    }
  }
  PageCache* pages = &evaluator_->memory.pages;
  if (LookUpPage(pages, pc) != PageState::kReadable) return AbortReason::kUnreadableCode;
  const uint64_t page = platform::PageBytes();
  const uint64_t in_page = page - (pc & (page - 1));
  uint64_t bytes = kCodeWindowBytes;
  if (in_page < bytes && LookUpPage(pages, pc + in_page) != PageState::kReadable) bytes = in_page;
  auto block = std::make_unique<softlbr_block>();
  if (plugin_->lift(decoder_, reinterpret_cast<const uint8_t*>(pc), bytes, pc, block.get()) != SOFTLBR_DECODER_OK ||
      !IsBlockWellFormed(*block, pc, static_cast<uint32_t>(bytes))) {
    return AbortReason::kDecoderFailed;
  }
  if (block->instruction_count == 0) return AbortReason::kUndecodable;
  *step = RunStep{block.get(), 0};
  blocks_[pc] = std::move(block);
  return AbortReason::kNone;
}

Segment PathPredictor::Follow(uint32_t wanted) {
  Segment segment;
  const uint64_t start = evaluator_->context.pc;
  uint64_t pc = start;
  auto abort_with = [&segment](AbortReason reason, uint64_t where) {
    segment.stop = StopKind::kAborted;
    segment.reason = reason;
    segment.stop_pc = where;
  };
  for (;;) {
    RunStep step;
    const AbortReason reason = GetBlock(pc, &step);
    if (reason != AbortReason::kNone) {
      abort_with(reason, pc);
      return segment;
    }
    const bool is_first = segment.steps.empty();
    segment.steps.push_back(step);
    const BlockExit exit = RunBlock(evaluator_.get(), ViewOf(*step.block), step.first);
    segment.instructions += exit.instructions + 1;
    switch (exit.outcome) {
      case BlockOutcome::kNext:
        if (exit.is_taken) {
          segment.branches.push_back(Branch{exit.branch_pc, exit.next_pc});
          if (segment.branches.size() == wanted) {
            segment.stop_pc = exit.next_pc;
            return segment;
          }
        }
        if (segment.instructions >= kMaxTraceInstructions) {
          abort_with(AbortReason::kRunaway, exit.next_pc);
          return segment;
        }
        pc = exit.next_pc;
        continue;
      case BlockOutcome::kAborted: abort_with(exit.reason, exit.branch_pc); return segment;
      case BlockOutcome::kUnresolved:
        if (is_first && exit.branch_pc == start) {
          abort_with(AbortReason::kUnresolvable, start);
          return segment;
        }
        if (evaluator_->exclusive_left != 0) {  // inside an exclusive pair
          abort_with(AbortReason::kCriticalSection, exit.branch_pc);
          return segment;
        }
        segment.stop = StopKind::kUnresolved;
        segment.stop_pc = exit.branch_pc;
        return segment;
      case BlockOutcome::kSystemCall:
        segment.stop = StopKind::kSystemCall;
        segment.stop_pc = exit.next_pc;
        return segment;
    }
  }
}

}  // namespace softlbr::paths
