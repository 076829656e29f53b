// Contract: unknown_origin.h.
#include "tests/paths/unknown_origin.h"

#include <algorithm>

namespace softlbr::paths {
namespace {

bool IsMaskedOp(uint32_t op) { return op == SOFTLBR_OP_VLOAD_MASKED || op == SOFTLBR_OP_VSTORE_MASKED; }
bool IsMemoryOp(uint32_t op) { return (op >= SOFTLBR_OP_LOAD && op <= SOFTLBR_OP_CLOBBER_MEMORY) || IsMaskedOp(op); }
bool IsStringOp(uint32_t op) { return op >= SOFTLBR_OP_STRING_MOVE && op <= SOFTLBR_OP_STRING_COMPARE; }
bool IsStore(uint32_t op) {
  return op == SOFTLBR_OP_STORE || op == SOFTLBR_OP_VSTORE || op == SOFTLBR_OP_STORE_UNKNOWN ||
         op == SOFTLBR_OP_VSTORE_MASKED;
}
bool ReadsFlags(uint32_t op) {
  // clang-format off
  switch (op) {
    case SOFTLBR_OP_ADC: case SOFTLBR_OP_SBB: case SOFTLBR_OP_RCL: case SOFTLBR_OP_RCR: case SOFTLBR_OP_SETCC:
    case SOFTLBR_OP_SELECT: case SOFTLBR_OP_GET_FLAGS: case SOFTLBR_OP_FLIP_CARRY: case SOFTLBR_OP_CCMP:
      return true;
    default:
      return false;
  }
  // clang-format on
}
bool WritesFlags(const softlbr_uop& uop) {
  if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) return true;
  // clang-format off
  switch (uop.op) {
    case SOFTLBR_OP_SET_FLAGS_FROM: case SOFTLBR_OP_CLOBBER_FLAGS: case SOFTLBR_OP_FLAGS_CONST:
    case SOFTLBR_OP_FLIP_CARRY:
    case SOFTLBR_OP_CCMP: case SOFTLBR_OP_VTEST: case SOFTLBR_OP_FCMP_FLAGS: case SOFTLBR_OP_STRING_INDEX:
      return true;
    default:
      return false;
  }
  // clang-format on
}
// Ops whose imm names a register slot.
bool HasSlotInImm(uint32_t op) {
  // clang-format off
  switch (op) {
    case SOFTLBR_OP_STRING_STORE: case SOFTLBR_OP_STRING_SCAN: case SOFTLBR_OP_DIV: case SOFTLBR_OP_REM:
    case SOFTLBR_OP_SHLD:
    case SOFTLBR_OP_SHRD: case SOFTLBR_OP_MADD: case SOFTLBR_OP_MADD_LONG: case SOFTLBR_OP_VBLEND_VAR:
    case SOFTLBR_OP_VSELECT_MASK: case SOFTLBR_OP_FMADD:
      return true;
    default:
      return false;
  }
  // clang-format on
}
bool IsVector(uint32_t op) { return op >= SOFTLBR_OP_VMOV; }

// One uop as a block of its own, for RunBlock.
softlbr_block Alone(const softlbr_block& block, const softlbr_uop& uop) {
  softlbr_block one = {};
  one.pc = block.pc;
  one.byte_length = 1;
  one.instruction_count = 1;
  one.uop_count = 1;
  one.length[0] = 1;
  one.uops_of[0] = 1;
  one.uops[0] = uop;
  one.end.kind = SOFTLBR_END_FALLTHROUGH;
  return one;
}

}  // namespace

const char* NameOf(OriginKind kind) {
  switch (kind) {
    case OriginKind::kNone: return "not found";
    case OriginKind::kInstruction: return "instruction";
    case OriginKind::kSystemCall: return "system call";
    case OriginKind::kDeadStack: return "dead stack";
    case OriginKind::kSpecialPage: return "special page";
    case OriginKind::kPoison: return "memory clobbered";
    case OriginKind::kStoreBufferFull: return "store buffer full";
  }
  return "?";
}

Origin OriginFinder::OfSlots(uint32_t first, uint32_t bytes) const {
  const MachineContext& context = predictor_.evaluator().context;
  for (uint32_t slot = first; slot < std::min<uint32_t>(first + (bytes + 7) / 8, SOFTLBR_REG_COUNT); ++slot) {
    const uint32_t wanted = bytes < 8 ? (1u << bytes) - 1 : 0xff;
    if ((~context.known[slot] & wanted) != 0) return slots_[slot];
  }
  return {};
}

Origin OriginFinder::OfMemory(uint64_t address, uint32_t bytes, const Origin& self) const {
  const Evaluator& evaluator = predictor_.evaluator();
  for (uint64_t at = address; at < address + bytes; ++at) {
    const BufferedValue stored = LoadBuffered(evaluator.memory.stores, at, 1);
    if (stored.known != 0) continue;
    Origin origin = self;
    if (stored.written != 0) {
      if (evaluator.memory.stores.lost_stores != 0 && !stored_.contains(at & ~uint64_t{7})) {
        origin.kind = OriginKind::kStoreBufferFull;
        return origin;
      }
      const auto line = stored_.find(at & ~uint64_t{7});
      return line != stored_.end() ? line->second : self;
    }
    if (evaluator.memory.stores.is_poisoned) {
      origin = poison_;
      origin.through_poison = true;
      return origin;
    }
    if (at - evaluator.memory.dead_begin < evaluator.memory.dead_end - evaluator.memory.dead_begin) {
      origin.kind = OriginKind::kDeadStack;
      return origin;
    }
    if (LookUpPage(&predictor_.evaluator().memory.pages, at) == PageState::kSpecial) {
      origin.kind = OriginKind::kSpecialPage;
      return origin;
    }
  }
  return {};
}

Origin OriginFinder::OperandsOf(const softlbr_uop& uop, uint64_t pc) const {
  const Evaluator& evaluator = predictor_.evaluator();
  const MachineContext& context = evaluator.context;
  Origin found;
  auto consider = [&found](const Origin& origin) {
    if (found.kind == OriginKind::kNone) found = origin;
  };
  const uint32_t width = uop.width == 0 ? 64 : uop.width;
  if (IsMemoryOp(uop.op) || IsStringOp(uop.op)) {
    consider(OfSlots(uop.a, 8));
    consider(OfSlots(uop.b, 8));
    if (IsStore(uop.op) && uop.op != SOFTLBR_OP_STORE_UNKNOWN) consider(OfSlots(uop.dst, width));
    if (IsStringOp(uop.op)) consider(OfSlots(uop.dst, 8));
    const bool is_load = uop.op == SOFTLBR_OP_LOAD || uop.op == SOFTLBR_OP_VLOAD || uop.op == SOFTLBR_OP_VLOAD_MASKED;
    if (is_load && (context.known[uop.a] & context.known[uop.b]) == kAllKnown) {
      const uint64_t index = IsMaskedOp(uop.op) ? 0 : context.regs[uop.b] << uop.aux;
      const uint64_t address = context.regs[uop.a] + index + static_cast<uint64_t>(int64_t{uop.imm});
      consider(OfMemory(address, width, Origin{OriginKind::kInstruction, pc, uop.op, false}));
    }
    if (is_load && (uop.flags & SOFTLBR_UOP_MERGE) != 0) consider(OfSlots(uop.dst, 8));
    return found;
  }
  const uint32_t bytes = IsVector(uop.op) ? width : 8;
  consider(OfSlots(uop.a, bytes));
  if ((uop.flags & SOFTLBR_UOP_B_IMM) == 0) consider(OfSlots(uop.b, bytes));
  if (HasSlotInImm(uop.op) && uop.imm >= 0) consider(OfSlots(static_cast<uint32_t>(uop.imm), bytes));
  if (ReadsFlags(uop.op)) consider(flags_);
  consider(OfSlots(uop.dst, bytes));
  return found;
}

void OriginFinder::RunUop(const softlbr_block& block, const softlbr_uop& uop, uint64_t pc) {
  Evaluator& evaluator = predictor_.evaluator();
  const MachineContext& context = evaluator.context;
  Origin origin = OperandsOf(uop, pc);
  if (origin.kind == OriginKind::kNone) origin = Origin{OriginKind::kInstruction, pc, uop.op, false};
  const bool was_poisoned = evaluator.memory.stores.is_poisoned;
  const bool is_store = IsStore(uop.op) || IsStringOp(uop.op);
  const bool has_address = (context.known[uop.a] & context.known[uop.b]) == kAllKnown;
  const uint64_t address =
      context.regs[uop.a] + (context.regs[uop.b] << uop.aux) + static_cast<uint64_t>(int64_t{uop.imm});
  const uint32_t lines_before = evaluator.memory.stores.live_lines;
  uint8_t known_before[SOFTLBR_REG_COUNT];
  std::copy(std::begin(context.known), std::end(context.known), known_before);

  const softlbr_block one = Alone(block, uop);
  (void)RunBlock(&evaluator, ViewOf(one), 0);
  for (uint32_t slot = 0; slot < SOFTLBR_REG_COUNT; ++slot) {
    const bool is_written = slot >= uop.dst && slot < uop.dst + std::max(1u, (uop.width + 7u) / 8) && !is_store;
    if (context.known[slot] != kAllKnown && (is_written || context.known[slot] != known_before[slot]))
      slots_[slot] = origin;
  }
  if (WritesFlags(uop)) flags_ = origin;
  if (is_store && has_address) {
    for (uint32_t i = 0; i <= uop.width; i += 8) stored_[(address + i) & ~uint64_t{7}] = origin;
  }
  const bool is_anew =
      evaluator.memory.stores.is_poisoned && (!was_poisoned || evaluator.memory.stores.live_lines < lines_before);
  if (!is_anew) return;
  poison_ = origin;
  stored_.clear();
  const bool is_full = uop.op != SOFTLBR_OP_CLOBBER_MEMORY && has_address;  // no range left
  if (is_full) poison_ = Origin{OriginKind::kStoreBufferFull, pc, uop.op, false};
  if (uop.op == SOFTLBR_OP_CLOBBER_MEMORY) poison_.kind = OriginKind::kPoison;
}

Origin OriginFinder::OfTerminator(const softlbr_terminator& end, uint64_t pc) const {
  if (end.kind == SOFTLBR_END_CONDITIONAL) {
    if (end.condition <= SOFTLBR_COND_LS) return flags_;
    if (end.condition == SOFTLBR_COND_UNKNOWN) return Origin{OriginKind::kInstruction, pc, 0, false};
    return OfSlots(end.cond_reg, end.cond_width);
  }
  Origin origin = OfSlots(end.base, 8);
  if (origin.kind == OriginKind::kNone) origin = OfSlots(end.index, 8);
  if (origin.kind != OriginKind::kNone || end.load_bytes == 0) return origin;
  const MachineContext& context = predictor_.evaluator().context;
  const uint64_t address =
      context.regs[end.base] + (context.regs[end.index] << end.scale) + static_cast<uint64_t>(end.disp);
  return OfMemory(address, end.load_bytes, Origin{OriginKind::kInstruction, pc, 0, false});
}

Origin OriginFinder::Find(const Segment& segment) {
  std::fill(std::begin(slots_), std::end(slots_), Origin{});
  flags_ = poison_ = Origin{};
  stored_.clear();
  for (size_t s = 0; s < segment.steps.size(); ++s) {
    const softlbr_block& block = *segment.steps[s].block;
    const bool is_last = s + 1 == segment.steps.size();
    const bool has_terminator = block.end.kind != SOFTLBR_END_FALLTHROUGH && block.end.kind != SOFTLBR_END_UNDECODABLE;
    const uint32_t uops_end = block.uop_count - (is_last && has_terminator ? block.end.after_uops : 0u);
    uint32_t uop = 0;
    uint64_t pc = block.pc;
    for (uint32_t i = 0; i < block.instruction_count; ++i) {
      const uint32_t instruction_end = uop + block.uops_of[i];
      for (; uop < instruction_end; ++uop) {
        if (i >= segment.steps[s].first && uop < uops_end) RunUop(block, block.uops[uop], pc);
      }
      if (is_last && i + 1 == block.instruction_count) return OfTerminator(block.end, pc);
      pc += block.length[i];
    }
  }
  return {};
}

}  // namespace softlbr::paths
