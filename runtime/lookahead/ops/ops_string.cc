// rep movs, stos, scas, cmps as one uop. Contract: ops.h.
//
// Here: what they have in common, and stores. Those that read memory: ops_string_source.cc.
// Bounds: a search compares at most kMaxSearchedElements elements; the results of a longer one are UNKNOWN. A move or
// store handles at most kMaxCopiedBytes bytes element by element. A longer one still has exact pointers and an exact
// count, which do not depend on the data, but the memory it writes becomes an UNKNOWN range, unless a store repeats one
// known byte.
#include "platform/base/limits.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/string_uop.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

constexpr uint8_t kDirectionDown = 1;
constexpr uint32_t kDirectionSlotShift = 2;  // aux bits 7..2: the register slot that holds the direction, if not 0

// Are the pointers decremented? The uop says so itself, or names the register slot that holds the direction (aux bits
// 7..2).
Truth GoesDown(const MachineContext& context, const softlbr_uop& uop) {
  const uint32_t slot = uop.aux >> kDirectionSlotShift;
  if (slot == SOFTLBR_REG_ZERO) return TruthOf((uop.aux & kDirectionDown) != 0);
  const Value direction = ReadSlot(context, slot);
  if (direction.known != kAllBytesKnown || direction.bits > 1) return Truth::kUnknown;
  return TruthOf(direction.bits == 1);
}

UopResult Fill(Evaluator* evaluator, const StringUop& s, uint32_t width, Value value) {
  const uint64_t bytes = s.count * width;
  if (bytes / width != s.count) return UopResult::kUnreadable;
  const uint8_t byte = static_cast<uint8_t>(value.bits);
  const bool is_uniform =
      IsKnown(value, width) && ((value.bits ^ byte * uint64_t{0x0101010101010101}) & WidthBits(width)) == 0;
  if (is_uniform || bytes > kMaxCopiedBytes) {
    const uint64_t begin = LowestByte(s, s.dst);
    const PageState state = ProbePages(&evaluator->memory, begin, bytes);
    if (!CanBeStoredTo(state)) return UopResult::kUnreadable;
    // Only the first kMaxProbedPages pages and the last were probed; the others may include a special one.
    const bool is_known =
        is_uniform && state == PageState::kReadable && bytes <= (kMaxProbedPages - 1) * kProbePageBytes;
    StoreRange(&evaluator->memory, begin, bytes, byte, is_known);
    return UopResult::kOk;
  }
  for (uint64_t i = 0; i < s.count && i < kMaxCopiedBytes; ++i) {
    const UopResult result = StoreMemory(&evaluator->memory, s.dst + i * s.step, width, value);
    if (result != UopResult::kOk) return result;
  }
  return UopResult::kOk;
}

// For UNKNOWN pointers, count or direction. Known afterwards are only the count of a move or store, which is 0, and
// those pointers whose change is known.
void RunUnknown(Evaluator* evaluator, const softlbr_uop& uop, Truth goes_down) {
  const bool writes = uop.op == SOFTLBR_OP_STRING_MOVE || uop.op == SOFTLBR_OP_STRING_STORE;
  const bool reads_source = uop.op == SOFTLBR_OP_STRING_MOVE || uop.op == SOFTLBR_OP_STRING_COMPARE;
  const Value count = ReadSlot(evaluator->context, uop.b);
  const bool is_count_known = count.known == kAllBytesKnown || uop.b == SOFTLBR_REG_ZERO;
  const uint64_t step = goes_down == Truth::kTrue ? -uint64_t{uop.width} : uint64_t{uop.width};
  const uint64_t moved = (uop.b == SOFTLBR_REG_ZERO ? 1 : count.bits) * step;
  const uint32_t pointers[2] = {uop.dst, reads_source ? uop.a : uint32_t{SOFTLBR_REG_ZERO}};
  for (uint32_t i = 0; i < 2; ++i) {
    Value pointer = ReadSlot(evaluator->context, pointers[i]);
    const bool is_exact = pointer.known == kAllBytesKnown && is_count_known && goes_down != Truth::kUnknown &&
                          (writes || uop.b == SOFTLBR_REG_ZERO);
    WriteSlot(&evaluator->context, pointers[i], is_exact ? Value{pointer.bits + moved, kAllBytesKnown} : kUnknownValue);
  }
  if (writes) {
    PoisonMemory(&evaluator->memory);
    WriteKnown(evaluator, uop.b, 0);
  } else {
    SetExplicitFlags(&evaluator->lazy, 0, 0);
    Forget(evaluator, uop.b);
  }
}

}  // namespace

UopResult RunStringUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const MachineContext& context = evaluator->context;
  const bool reads_source = uop.op == SOFTLBR_OP_STRING_MOVE || uop.op == SOFTLBR_OP_STRING_COMPARE;
  const Value dst = ReadSlot(context, uop.dst);
  const Value src = reads_source ? ReadSlot(context, uop.a) : Value{0, kAllBytesKnown};
  const Value count = ReadSlot(context, uop.b);
  StringUop s = {dst.bits, src.bits, count.bits, uop.width, uop.b != SOFTLBR_REG_ZERO};
  if (!s.has_count_slot) s.count = 1;
  const Truth goes_down = GoesDown(context, uop);
  if (goes_down == Truth::kTrue) s.step = -s.step;
  if (count.known == kAllBytesKnown && s.count == 0) return UopResult::kOk;
  if ((dst.known & src.known & count.known) != kAllBytesKnown || goes_down == Truth::kUnknown) {
    RunUnknown(evaluator, uop, goes_down);
    return UopResult::kOk;
  }
  if (uop.op == SOFTLBR_OP_STRING_SCAN || uop.op == SOFTLBR_OP_STRING_COMPARE) return SearchString(evaluator, uop, s);
  UopResult result = UopResult::kOk;
  if (uop.op == SOFTLBR_OP_STRING_MOVE) {
    result = MoveString(evaluator, s, uop.width);
  } else {
    result = Fill(evaluator, s, uop.width, ReadSlot(context, static_cast<uint32_t>(uop.imm)));
  }
  if (result != UopResult::kOk) return result;
  WriteKnown(evaluator, uop.dst, s.dst + s.count * s.step);
  if (reads_source) WriteKnown(evaluator, uop.a, s.src + s.count * s.step);
  WriteKnown(evaluator, uop.b, 0);
  return UopResult::kOk;
}

}  // namespace softlbr
