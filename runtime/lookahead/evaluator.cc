// The block loop. Contract: evaluator.h.
//
// Common scalar ops whose operand bytes are all known run in the loop itself; every other op is a call to its family's
// function.
#include "runtime/lookahead/evaluator.h"

#include "platform/base/elf_machine.h"
#include "platform/base/limits.h"
#include "platform/base/registers_aarch64.h"
#include "platform/base/registers_x86_64.h"
#include "platform/fused_multiply_add.h"
#include "platform/pointer_auth.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/chunks.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

static_assert(kRegisterSlotCount == SOFTLBR_REG_COUNT, "machine_context.h and ir.h must agree");
static_assert(sizeof(softlbr_block::length) == SOFTLBR_BLOCK_MAX_INSTRUCTIONS, "loops over instructions rely on it");

constexpr uint64_t kRedZoneBytesX86_64 = 128;
// Stack that our handler may use below the frame given to AdoptTrueState, with room to spare.
constexpr uint64_t kHandlerBytesBelow = 2 * kHandlerStackBytes;
constexpr uint32_t kMaxDeadPages = (kMaxSignalFrameBytes + kHandlerBytesBelow) / kProbePageBytes + 1;
constexpr uint64_t kUntaggedBitsAarch64 = 0x00ffffffffffffff;
// Assumed when A64 code runs on another kind of CPU: nearly all systems have it.
constexpr uint32_t kAddressBitsElsewhere = 48;
constexpr uint32_t kCallNumberBytes = 4;  // of its register, as Linux reads it
static_assert(kExclusiveInstructions <= 255, "Evaluator::exclusive_left");

// Flags that the inline ops do not support.
constexpr uint32_t kSlowFlags =
    SOFTLBR_UOP_MERGE | SOFTLBR_UOP_A_HIGH | SOFTLBR_UOP_B_HIGH | SOFTLBR_UOP_DST_HIGH | SOFTLBR_UOP_KEEP_C;

struct Operands {
  uint64_t a;
  uint64_t b;
  bool are_plain;  // all bytes of both register slots known, nothing in kSlowFlags
};

SOFTLBR_ALWAYS_INLINE Operands ReadOperands(const MachineContext& context, const softlbr_uop& uop) {
  uint32_t known = context.known[uop.a];
  uint64_t b = static_cast<uint64_t>(int64_t{uop.imm});
  if ((uop.flags & SOFTLBR_UOP_B_IMM) == 0) {
    b = context.regs[uop.b];
    known &= context.known[uop.b];
  }
  return Operands{context.regs[uop.a], b, ((known ^ kAllKnown) | (uop.flags & kSlowFlags)) == 0};
}

// Writes a result of which every byte is known.
SOFTLBR_ALWAYS_INLINE void WritePlain(MachineContext* context, const softlbr_uop& uop, uint64_t bits) {
  if (uop.dst == SOFTLBR_REG_ZERO) return;
  context->regs[uop.dst] = bits & WidthBits(uop.width);
  context->known[uop.dst] = kAllKnown;
}
// Writes a result that may be partly UNKNOWN and replaces the whole register slot.
SOFTLBR_ALWAYS_INLINE void WriteWhole(MachineContext* context, const softlbr_uop& uop, Value value) {
  if (uop.dst == SOFTLBR_REG_ZERO) return;
  context->regs[uop.dst] = value.bits & WidthBits(uop.width);
  context->known[uop.dst] = static_cast<uint8_t>(value.known | ~WidthKnown(uop.width));
}

// Sets the flags of a shift by 1 .. bits - 1 with all operand bytes known: C is the last bit shifted out; V is known
// for a count of 1.
SOFTLBR_ALWAYS_INLINE void SetPlainShiftFlags(Evaluator* evaluator, const softlbr_uop& uop, uint64_t result, bool carry,
                                              bool overflow, uint64_t count) {
  uint32_t packed = carry ? SOFTLBR_FLAG_C : 0;
  uint32_t packed_known = SOFTLBR_FLAG_C;
  if (count == 1) {
    packed |= overflow ? SOFTLBR_FLAG_V : 0;
    packed_known |= SOFTLBR_FLAG_V;
  }
  SetResultFlags(&evaluator->lazy, uop.width, Value{result, kAllBytesKnown}, static_cast<uint8_t>(packed),
                 static_cast<uint8_t>(packed_known));
}

// Runs SHL, SHR or SAR if all operands are known. False: nothing was done.
SOFTLBR_ALWAYS_INLINE bool RunPlainShift(Evaluator* evaluator, const softlbr_uop& uop) {
  const Operands operands = ReadOperands(evaluator->context, uop);
  const uint32_t bits = 8u * uop.width;
  const uint64_t count = operands.b & (uop.width == 8 ? 63 : 31);
  if (!operands.are_plain || count == 0 || count >= bits) return false;
  const uint64_t a = operands.a & WidthBits(uop.width);
  const uint32_t top = bits - 1;
  const bool sign = (a >> top & 1) != 0;
  uint64_t result = 0;
  bool carry = false;
  bool overflow = false;
  if (uop.op == SOFTLBR_OP_SHL) {
    result = a << count & WidthBits(uop.width);
    carry = (a >> (bits - count) & 1) != 0;
    overflow = ((result >> top & 1) != 0) != carry;
  } else {
    result = uop.op == SOFTLBR_OP_SHR
                 ? a >> count
                 : static_cast<uint64_t>(static_cast<int64_t>(SignExtendBits(a, uop.width)) >> count);
    carry = (a >> (count - 1) & 1) != 0;
    overflow = uop.op == SOFTLBR_OP_SHR && sign;
  }
  if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) SetPlainShiftFlags(evaluator, uop, result, carry, overflow, count);
  WritePlain(&evaluator->context, uop, result);
  return true;
}

enum class Family : uint8_t {
  kMove,
  kMemory,
  kVectorLoad,
  kVectorStore,
  kString,
  kInteger,
  kMultiplyAdd,
  kShift,
  kBit,
  kBitField,
  kBitScan,
  kFlags,
  kConditionalCompare,
  kVector,
  kProduct,
  kShuffle,
  kPermute,
  kMask,
  kBlend,
  kStringIndex,
  kCarryless,
  kConversion,
  kFloat,
  kFloatLanes,
  kPointer,
  kMasked
};
constexpr Family kFamilies[] = {
#define SOFTLBR_OP_ROW(name, value, family, operands, flags, text) Family::k##family,
#include "decoders/api/ops.def"
};

// Runs an op that has no inline version.
SOFTLBR_NOINLINE UopResult RunFamily(Evaluator* evaluator, const softlbr_uop& uop) {
  switch (kFamilies[uop.op]) {
    case Family::kMove: RunMoveUop(evaluator, uop); break;
    case Family::kMemory: return RunMemoryUop(evaluator, uop);
    case Family::kVectorLoad: return RunVectorLoadUop(evaluator, uop);
    case Family::kVectorStore: return RunVectorStoreUop(evaluator, uop);
    case Family::kString: return RunStringUop(evaluator, uop);
    case Family::kInteger: return RunIntegerUop(evaluator, uop);
    case Family::kMultiplyAdd: RunMultiplyAddUop(evaluator, uop); break;
    case Family::kShift: RunShiftUop(evaluator, uop); break;
    case Family::kBit: RunBitUop(evaluator, uop); break;
    case Family::kBitField: RunBitFieldUop(evaluator, uop); break;
    case Family::kBitScan: RunBitScanUop(evaluator, uop); break;
    case Family::kFlags: RunFlagsUop(evaluator, uop); break;
    case Family::kConditionalCompare: RunConditionalCompareUop(evaluator, uop); break;
    case Family::kVector: RunVectorUop(evaluator, uop); break;
    case Family::kProduct: RunProductUop(evaluator, uop); break;
    case Family::kShuffle: RunShuffleUop(evaluator, uop); break;
    case Family::kPermute: RunPermuteUop(evaluator, uop); break;
    case Family::kMask: RunVectorMaskUop(evaluator, uop); break;
    case Family::kBlend: RunBlendUop(evaluator, uop); break;
    case Family::kStringIndex: RunStringIndexUop(evaluator, uop); break;
    case Family::kCarryless: RunCarrylessUop(evaluator, uop); break;
    case Family::kConversion: RunFloatConversionUop(evaluator, uop); break;
    case Family::kFloat: RunFloatUop(evaluator, uop); break;
    case Family::kFloatLanes: RunFloatLanesUop(evaluator, uop); break;
    case Family::kPointer: RunPointerUop(evaluator, uop); break;
    case Family::kMasked: return RunMaskedUop(evaluator, uop);
  }
  return UopResult::kOk;
}

struct UopRun {
  UopResult result;
  uint32_t stopped_at;  // index of the uop that failed
};

// Not inlined, to save text.
SOFTLBR_NOINLINE UopRun RunUops(Evaluator* evaluator, const softlbr_uop* uops, uint32_t begin, uint32_t end) {
  MachineContext& context = evaluator->context;
  for (uint32_t i = begin; i < end; ++i) {
    const softlbr_uop& uop = uops[i];
    switch (uop.op) {
      case SOFTLBR_OP_CONST:
        if ((uop.flags & kSlowFlags) != 0) break;
        WritePlain(&context, uop, static_cast<uint64_t>(int64_t{uop.imm}));
        continue;
      case SOFTLBR_OP_MOV:
        if ((uop.flags & kSlowFlags) != 0) break;
        WriteWhole(&context, uop, ReadSlot(context, uop.a));
        continue;
      case SOFTLBR_OP_ZERO_EXTEND:
      case SOFTLBR_OP_SIGN_EXTEND: {
        if ((uop.flags & kSlowFlags) != 0 || context.known[uop.a] != kAllKnown) break;
        const uint64_t bits = context.regs[uop.a];
        WritePlain(&context, uop,
                   uop.op == SOFTLBR_OP_SIGN_EXTEND ? SignExtendBits(bits, uop.aux) : bits & WidthBits(uop.aux));
        continue;
      }
      case SOFTLBR_OP_SHL:
      case SOFTLBR_OP_SHR:
      case SOFTLBR_OP_SAR:
        if (!RunPlainShift(evaluator, uop)) break;
        continue;
      case SOFTLBR_OP_ADDRESS: {
        const bool is_known = (context.known[uop.a] & context.known[uop.b]) == kAllKnown;
        if (!is_known || (uop.flags & kSlowFlags) != 0) break;
        WritePlain(&context, uop,
                   context.regs[uop.a] + (context.regs[uop.b] << uop.aux) + static_cast<uint64_t>(int64_t{uop.imm}));
        continue;
      }
      case SOFTLBR_OP_LOAD: {
        if ((uop.flags & (kSlowFlags | SOFTLBR_UOP_SIGNED)) != 0) break;
        const Address address = AddressOf(evaluator->context, uop);
        Value value = kUnknownValue;
        if (SOFTLBR_LIKELY(address.is_known)) {
          uint64_t bits;
          if (LoadPlain(evaluator->memory, address.value, uop.width, &bits)) {
            WritePlain(&context, uop, bits);
            continue;
          }
          const UopResult result = LoadMemory(&evaluator->memory, address.value, uop.width, &value);
          if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return UopRun{result, i};
        }
        WriteWhole(&context, uop, value);
        continue;
      }
      case SOFTLBR_OP_STORE: {
        if ((uop.flags & kSlowFlags) != 0) break;
        const Address address = AddressOf(evaluator->context, uop);
        if (!address.is_known) break;
        const UopResult result = StoreMemory(&evaluator->memory, address.value, uop.width, ReadSlot(context, uop.dst));
        if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return UopRun{result, i};
        continue;
      }
      case SOFTLBR_OP_ADD: {
        const Operands operands = ReadOperands(context, uop);
        if (!operands.are_plain) break;
        const uint64_t result = operands.a + operands.b;
        if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0)
          SetPlainFlags(&evaluator->lazy, FlagsKind::kAdd, uop.width, operands.a, operands.b, result);
        WritePlain(&context, uop, result);
        continue;
      }
      case SOFTLBR_OP_SUB: {
        const Operands operands = ReadOperands(context, uop);
        if (!operands.are_plain) break;
        const uint64_t result = operands.a - operands.b;
        if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) {
          const bool not_borrow = (uop.flags & SOFTLBR_UOP_CARRY_NOT_BORROW) != 0;
          SetPlainFlags(&evaluator->lazy, not_borrow ? FlagsKind::kSubNotBorrow : FlagsKind::kSub, uop.width,
                        operands.a, operands.b, result);
        }
        WritePlain(&context, uop, result);
        continue;
      }
      case SOFTLBR_OP_AND:
      case SOFTLBR_OP_OR:
      case SOFTLBR_OP_XOR: {
        const Operands operands = ReadOperands(context, uop);
        if (!operands.are_plain) break;
        uint64_t result = operands.a & operands.b;
        if (uop.op == SOFTLBR_OP_OR) result = operands.a | operands.b;
        if (uop.op == SOFTLBR_OP_XOR) result = operands.a ^ operands.b;
        if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) {
          SetLogicFlags(&evaluator->lazy, uop.width, Value{result, kAllBytesKnown});
        }
        WritePlain(&context, uop, result);
        continue;
      }
      case SOFTLBR_OP_VMOV:
        if (uop.width % kChunkBytes != 0) break;
        CopyChunks(&context, uop.dst, uop.a, uop.width);
        continue;
      case SOFTLBR_OP_VZERO_ABOVE:
        if (uop.width % kChunkBytes != 0 || uop.imm != 0) break;
        ZeroChunksAbove(&context, uop.dst, uop.width);
        continue;
      default: break;
    }
    const UopResult result = RunFamily(evaluator, uop);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return UopRun{result, i};
  }
  return UopRun{UopResult::kOk, end};
}

// Without state, follows only the stack pointer, and only changes by a constant, which decoding alone shows; after any
// other change it is UNKNOWN. The tracer compares it at the next hit, because a signal handler that runs the same code
// has another stack.
SOFTLBR_COLD void FollowStackPointer(Evaluator* evaluator, const softlbr_uop* uops, uint32_t begin, uint32_t end) {
  const uint16_t sp = evaluator->machine == kMachineX86_64 ? uint16_t{SOFTLBR_X86_RSP} : uint16_t{SOFTLBR_A64_SP};
  MachineContext& context = evaluator->context;
  for (uint32_t i = begin; i < end; ++i) {
    const softlbr_uop& uop = uops[i];
    if (uop.dst != sp || uop.op == SOFTLBR_OP_STORE) continue;  // a store reads dst
    const auto amount = static_cast<uint64_t>(int64_t{uop.imm});
    const bool is_moved_by_constant = uop.a == sp && uop.width == 8 && (uop.flags & SOFTLBR_UOP_B_IMM) != 0;
    if (uop.op == SOFTLBR_OP_ADD && is_moved_by_constant) {
      context.regs[sp] += amount;
    } else if (uop.op == SOFTLBR_OP_SUB && is_moved_by_constant) {
      context.regs[sp] -= amount;
    } else if (uop.op == SOFTLBR_OP_ADDRESS && uop.a == sp && uop.b == SOFTLBR_REG_ZERO && uop.width == 8) {
      context.regs[sp] += amount;
    } else {
      context.known[sp] = 0;
    }
  }
}

// A register slot as the terminator sees it. Without state, only slots whose value decoding alone gives are known.
Value TerminatorSlot(const Evaluator& evaluator, uint32_t slot, bool has_state) {
  if (!has_state && slot != SOFTLBR_REG_ZERO && slot != SOFTLBR_REG_BLOCK) return kUnknownValue;
  return ReadSlot(evaluator.context, slot);
}

Truth TerminatorCondition(const Evaluator& evaluator, const softlbr_terminator& end, bool has_state) {
  if (end.condition <= SOFTLBR_COND_NEVER) return TruthOf(end.condition == SOFTLBR_COND_ALWAYS);
  if (end.condition <= SOFTLBR_COND_LS) {
    return has_state ? EvaluateCondition(evaluator.lazy, end.condition) : Truth::kUnknown;
  }
  if (end.condition == SOFTLBR_COND_UNKNOWN) return Truth::kUnknown;
  const Value value = TerminatorSlot(evaluator, end.cond_reg, has_state);
  if (end.condition == SOFTLBR_COND_BIT_ZERO || end.condition == SOFTLBR_COND_BIT_ONE) {
    if ((value.known >> (end.cond_bit / 8) & 1) == 0) return Truth::kUnknown;
    return TruthOf((value.bits >> end.cond_bit & 1) == (end.condition == SOFTLBR_COND_BIT_ONE ? 1 : 0));
  }
  const Truth is_zero = IsZero(value, end.cond_width);
  if (end.condition == SOFTLBR_COND_REG_ZERO) return is_zero;
  if (end.condition == SOFTLBR_COND_REG_NONZERO) return Not(is_zero);
  const Truth z = has_state ? EvaluateCondition(evaluator.lazy, SOFTLBR_COND_Z) : Truth::kUnknown;
  return And(Not(is_zero), end.condition == SOFTLBR_COND_REG_NONZERO_AND_Z ? z : Not(z));
}

UopResult TerminatorTarget(Evaluator* evaluator, const softlbr_terminator& end, bool has_state, Value* target) {
  const Value base = TerminatorSlot(*evaluator, end.base, has_state);
  const Value index = TerminatorSlot(*evaluator, end.index, has_state);
  const uint64_t address =
      (base.bits + (index.bits << end.scale) + static_cast<uint64_t>(end.disp)) & evaluator->code_address_mask;
  const bool is_known = ((base.known & index.known) | evaluator->code_spare_bytes) == kAllBytesKnown;
  *target = is_known ? Value{address, kAllBytesKnown} : kUnknownValue;
  if (end.load_bytes == 0 || !is_known) return UopResult::kOk;
  *target = kUnknownValue;
  if (!has_state) return UopResult::kOk;
  Value loaded = kUnknownValue;
  const UopResult result = LoadMemory(&evaluator->memory, address, end.load_bytes, &loaded);
  if (result == UopResult::kOk) *target = ZeroExtendValue(loaded, end.load_bytes);
  return result;
}

// 0 if the number is unknown. If it is end.disp, the call never returns to the block's end. Decoding recognises most
// such calls, but not if the block begins at the call itself, for example after a sample there.
uint32_t SystemCallNumber(const MachineContext& context, const softlbr_terminator& end) {
  const Value number = ZeroExtendValue(ReadSlot(context, end.cond_reg), kCallNumberBytes);
  return end.disp != 0 && number.known == kAllBytesKnown ? static_cast<uint32_t>(number.bits) : 0;
}

void FollowExclusive(Evaluator* evaluator, uint32_t flags, uint32_t instructions) {
  if ((flags & SOFTLBR_END_FLAG_EXCLUSIVE_OPEN) != 0) {
    evaluator->exclusive_left = kExclusiveInstructions;
  } else if ((flags & SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED) != 0 || instructions >= evaluator->exclusive_left) {
    evaluator->exclusive_left = 0;
  } else {
    evaluator->exclusive_left = static_cast<uint8_t>(evaluator->exclusive_left - instructions);
  }
}

AbortReason ReasonOf(UopResult result) {
  return result == UopResult::kTrap ? AbortReason::kTrapInstruction : AbortReason::kUnreadableData;
}

// Sets branch_pc, next_pc and instructions to the instruction that uop number `uop` belongs to.
void LocateAbort(const BlockView& block, uint32_t first, uint32_t uop, BlockExit* exit) {
  uint64_t pc = block.pc;
  uint32_t uops = 0;
  uint32_t i = 0;
  for (; i + 1 < block.instruction_count && i < SOFTLBR_BLOCK_MAX_INSTRUCTIONS; ++i) {
    uops += block.uops_of[i];
    if (uop < uops) break;
    pc += block.length[i];
  }
  exit->branch_pc = pc;
  exit->next_pc = pc;
  exit->instructions = i >= first ? i - first + 1 : 0;
}

BlockExit Abort(BlockExit exit, AbortReason reason) {
  exit.outcome = BlockOutcome::kAborted;
  exit.reason = reason;
  exit.is_taken = false;
  return exit;
}

}  // namespace

void InitEvaluator(Evaluator* evaluator, ResolvePolicy policy, uint16_t machine) {
  platform::LearnFusedMultiplyAdd();
  MachineContext& context = evaluator->context;
  for (uint32_t slot = 0; slot < kRegisterSlotCount; ++slot) {
    context.regs[slot] = 0;
    context.known[slot] = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
  context.known[SOFTLBR_REG_ZERO] = kAllKnown;
  context.pc = 0;
  context.sp = 0;
  context.flags = 0;
  context.flags_known = 0;
  context.rounding_is_default = false;
  context.flushes_denormals = false;
  SetArithmeticFlags(&evaluator->lazy, FlagsKind::kExplicit, 8, kUnknownValue, kUnknownValue, kUnknownValue);
  SetExplicitFlags(&evaluator->lazy, 0, 0);
  evaluator->memory.is_guarded = false;
  evaluator->memory.guarded = nullptr;
  evaluator->memory.pinned_begin = 0;
  evaluator->memory.pinned_end = 0;
  InitStoreBuffer(&evaluator->memory.stores);
  InitPageCache(&evaluator->memory.pages);
  PoisonMemory(&evaluator->memory);
  evaluator->memory.address_mask = machine == kMachineAarch64 ? kUntaggedBitsAarch64 : ~uint64_t{0};
  evaluator->memory.dead_begin = 0;
  evaluator->memory.dead_end = 0;
  evaluator->policy = policy;
  evaluator->is_state_known = false;
  evaluator->machine = machine;
  uint64_t address = 0;
  const bool is_cpu = platform::StripPointer(LowOnes(55), &address);
  SetAddressBits(evaluator, is_cpu ? static_cast<uint32_t>(__builtin_ctzll(~address)) : kAddressBitsElsewhere);
  evaluator->exclusive_left = 0;
}

void SetAddressBits(Evaluator* evaluator, uint32_t bits) {
  if (evaluator->machine != kMachineAarch64) bits = 64;
  evaluator->address_bits = static_cast<uint8_t>(bits);
  evaluator->code_address_mask = LowBits(bits);
  evaluator->code_spare_bytes = static_cast<uint8_t>(~WidthKnown((bits + 7) / 8));
}

void AdoptTrueState(Evaluator* evaluator, const void* frame) {
  MachineContext& context = evaluator->context;
  context.regs[SOFTLBR_REG_ZERO] = 0;
  context.known[SOFTLBR_REG_ZERO] = kAllKnown;
  SetExplicitFlags(&evaluator->lazy, context.flags, context.flags_known);
  ClearStoreBuffer(&evaluator->memory.stores);
  ClearPageCache(&evaluator->memory.pages);
  ForgetGuardLines(evaluator->memory.guarded);
  if (evaluator->memory.is_guarded) MarkAllPages(&evaluator->memory.pages);
  const uint64_t red_zone = evaluator->machine == kMachineX86_64 ? kRedZoneBytesX86_64 : 0;
  const uint64_t lowest = reinterpret_cast<uint64_t>(frame != nullptr ? frame : __builtin_frame_address(0));
  evaluator->memory.dead_begin = 0;
  evaluator->memory.dead_end = 0;
  if (context.sp - lowest < kMaxSignalFrameBytes && context.sp - lowest > red_zone) {
    SetDeadStack(evaluator, lowest - kHandlerBytesBelow, context.sp - red_zone);
  }
  evaluator->is_state_known = true;
  evaluator->exclusive_left = 0;  // entering the kernel closed it
}

void SetDeadStack(Evaluator* evaluator, uint64_t begin, uint64_t end) {
  evaluator->memory.dead_begin = begin;
  evaluator->memory.dead_end = end;
  for (uint32_t i = 0; i < kMaxDeadPages && begin < end; ++i) {
    MarkPage(&evaluator->memory.pages, begin);
    begin = (begin | (kProbePageBytes - 1)) + 1;
  }
}

void SettleContext(Evaluator* evaluator) {
  SettleFlags(&evaluator->lazy);
  evaluator->context.flags = evaluator->lazy.packed;
  evaluator->context.flags_known = evaluator->lazy.packed_known;
}

BlockExit RunBlock(Evaluator* evaluator, const BlockView& block, uint32_t first) {
  const softlbr_terminator& end = *block.end;
  const bool has_terminator = end.kind != SOFTLBR_END_FALLTHROUGH && end.kind != SOFTLBR_END_UNDECODABLE;
  const uint32_t count = block.instruction_count;
  const uint32_t terminator = has_terminator && count != 0 ? count - 1 : count;
  const uint64_t block_end = block.pc + block.byte_length;

  // The only point where the policies differ.
  const bool has_state = evaluator->policy == ResolvePolicy::kLookahead ||
                         (evaluator->is_state_known && has_terminator && first == terminator);
  if (evaluator->policy == ResolvePolicy::kStatic) evaluator->is_state_known = false;

  BlockExit exit = {};
  exit.outcome = BlockOutcome::kNext;
  exit.instructions = count > first ? count - first : 0;
  exit.branch_pc = terminator < count ? block_end - block.length[terminator] : block_end;
  exit.next_pc = block_end;
  FollowExclusive(evaluator, end.flags, exit.instructions);

  evaluator->context.regs[SOFTLBR_REG_BLOCK] = block.pc;
  evaluator->context.known[SOFTLBR_REG_BLOCK] = kAllKnown;

  const uint32_t before_end = block.uop_count - (has_terminator ? end.after_uops : 0u);
  uint32_t begin = 0;
  for (uint32_t i = 0; i < first && i < SOFTLBR_BLOCK_MAX_INSTRUCTIONS; ++i) begin += block.uops_of[i];
  if (!has_state) {
    FollowStackPointer(evaluator, block.uops, begin, before_end);
  } else {
    const UopRun run = RunUops(evaluator, block.uops, begin, before_end);
    if (SOFTLBR_UNLIKELY(run.result != UopResult::kOk)) {
      LocateAbort(block, first, run.stopped_at, &exit);
      return Abort(exit, ReasonOf(run.result));
    }
  }

  switch (end.kind) {
    case SOFTLBR_END_FALLTHROUGH: evaluator->context.pc = exit.next_pc; return exit;
    case SOFTLBR_END_UNDECODABLE:
      if ((end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW) == 0 || count == 0)
        return Abort(exit, AbortReason::kUndecodable);
      evaluator->context.pc = exit.next_pc;
      return exit;
    case SOFTLBR_END_SYSCALL:
      if (has_state) exit.system_call = SystemCallNumber(evaluator->context, end);
      if (exit.system_call != 0 && exit.system_call == static_cast<uint32_t>(end.disp))
        return Abort(exit, AbortReason::kFarTransfer);
      exit.outcome = BlockOutcome::kSystemCall;
      if (has_state) (void)RunUops(evaluator, block.uops, before_end, block.uop_count);  // clobbers
      return exit;
    case SOFTLBR_END_TRAP: return Abort(exit, AbortReason::kTrapInstruction);
    case SOFTLBR_END_FAR: return Abort(exit, AbortReason::kFarTransfer);
    default: break;
  }

  Truth is_taken = Truth::kTrue;
  if (end.kind == SOFTLBR_END_CONDITIONAL) is_taken = TerminatorCondition(*evaluator, end, has_state);
  Value target = Value{block_end, kAllBytesKnown};
  if (is_taken == Truth::kTrue) {
    const UopResult result = TerminatorTarget(evaluator, end, has_state, &target);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return Abort(exit, ReasonOf(result));
  }
  if (is_taken == Truth::kUnknown || target.known != kAllBytesKnown) {
    exit.outcome = BlockOutcome::kUnresolved;
    exit.instructions -= 1;  // the terminator is evaluated at its hit
    return exit;
  }
  // x86-64 faults at a branch to a non-canonical address, and takes a branch to any other.
  constexpr uint32_t kUnusedBits = 16;
  const auto sign_extended = static_cast<uint64_t>(static_cast<int64_t>(target.bits << kUnusedBits) >> kUnusedBits);
  if (SOFTLBR_UNLIKELY(sign_extended != target.bits && evaluator->machine == kMachineX86_64)) {
    return Abort(exit, AbortReason::kUnreadableCode);
  }
  if (!has_state) {
    FollowStackPointer(evaluator, block.uops, before_end, block.uop_count);
  } else if (end.after_uops != 0) {
    const UopRun run = RunUops(evaluator, block.uops, before_end, block.uop_count);
    if (SOFTLBR_UNLIKELY(run.result != UopResult::kOk)) return Abort(exit, ReasonOf(run.result));
  }
  exit.is_taken = is_taken == Truth::kTrue;
  exit.next_pc = target.bits;
  evaluator->context.pc = exit.next_pc;
  return exit;
}

}  // namespace softlbr
