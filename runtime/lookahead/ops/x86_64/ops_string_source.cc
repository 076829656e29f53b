// The string ops that read memory: movs, scas, cmps. Contract: string_uop.h; bounds: ops_string.cc.
#include "platform/base/limits.h"
#include "runtime/lookahead/ops/string_uop.h"

namespace softlbr {
namespace {

constexpr uint8_t kRepeatWhileZero = 2;

// The bytes at the destination become UNKNOWN.
UopResult ForgetArea(Evaluator* evaluator, const StringUop& s, uint64_t bytes) {
  const uint64_t begin = LowestByte(s, s.dst);
  if (!CanBeStoredTo(ProbePages(&evaluator->memory, begin, bytes))) return UopResult::kUnreadable;
  StoreRange(&evaluator->memory, begin, bytes, 0, false);
  return UopResult::kOk;
}

UopResult CopyElements(Evaluator* evaluator, const StringUop& s, uint32_t width) {
  uint64_t step = s.step;
  uint32_t chunk = width;
  uint64_t chunks = s.count;
  // Upwards, copying 8 bytes at a time gives the same result unless the destination starts within 8 bytes after the
  // source.
  const uint64_t distance = (s.dst - s.src) & evaluator->memory.address_mask;
  if (step == width && distance >= 8 && s.count * width % 8 == 0) {
    chunk = 8;
    step = 8;
    chunks = s.count * width / 8;
  }
  for (uint64_t i = 0; i < chunks && i < kMaxCopiedBytes; ++i) {
    Value value = kUnknownValue;
    UopResult result = LoadMemory(&evaluator->memory, s.src + i * step, chunk, &value);
    if (result == UopResult::kOk) result = StoreMemory(&evaluator->memory, s.dst + i * step, chunk, value);
    if (result != UopResult::kOk) return result;
  }
  return UopResult::kOk;
}

}  // namespace

UopResult MoveString(Evaluator* evaluator, const StringUop& s, uint32_t width) {
  const uint64_t bytes = s.count * width;
  if (bytes <= kMaxCopiedBytes && s.count <= kMaxCopiedBytes) return CopyElements(evaluator, s, width);
  if (bytes / width != s.count) return UopResult::kUnreadable;  // more bytes than there are addresses: it must fault
  if (ProbePages(&evaluator->memory, LowestByte(s, s.src), bytes) == PageState::kUnreadable)
    return UopResult::kUnreadable;
  return ForgetArea(evaluator, s, bytes);
}

UopResult SearchString(Evaluator* evaluator, const softlbr_uop& uop, const StringUop& s) {
  const bool is_scan = uop.op == SOFTLBR_OP_STRING_SCAN;
  const Truth wanted_zero = TruthOf((uop.aux & kRepeatWhileZero) != 0);
  const uint32_t width = uop.width;
  uint64_t done = 0;
  bool is_decided = s.count == 0;
  while (done < s.count && done < kMaxSearchedElements && !is_decided) {
    Value left = is_scan ? ReadSlot(evaluator->context, static_cast<uint32_t>(uop.imm)) : kUnknownValue;
    Value right = kUnknownValue;
    UopResult result = UopResult::kOk;
    if (!is_scan) result = LoadMemory(&evaluator->memory, s.src + done * s.step, width, &left);
    if (result == UopResult::kOk) result = LoadMemory(&evaluator->memory, s.dst + done * s.step, width, &right);
    if (result != UopResult::kOk) return result;
    ++done;
    SetArithmeticFlags(&evaluator->lazy, FlagsKind::kSub, width, left, right,
                       Value{left.bits - right.bits, KnownRunFromBottom(left.known & right.known)});
    const Truth zero = FlagValue(evaluator->lazy, SOFTLBR_FLAG_Z);
    if (done == s.count) {
      is_decided = true;  // the count ends the search, whatever the flags are
    } else if (zero == Truth::kUnknown) {
      break;
    } else {
      is_decided = zero != wanted_zero;
    }
  }
  if (!is_decided) {
    SetExplicitFlags(&evaluator->lazy, 0, 0);
    Forget(evaluator, uop.dst);
    if (!is_scan) Forget(evaluator, uop.a);
    Forget(evaluator, uop.b);
    return UopResult::kOk;
  }
  WriteKnown(evaluator, uop.dst, s.dst + done * s.step);
  if (!is_scan) WriteKnown(evaluator, uop.a, s.src + done * s.step);
  if (s.has_count_slot) WriteKnown(evaluator, uop.b, s.count - done);
  return UopResult::kOk;
}

}  // namespace softlbr
