// String comparison (pcmpistri). Contract: ops.h.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

constexpr uint32_t kStringBytes = 16;

// The control byte of pcmpistri.
enum : uint32_t {
  kWords = 1,   // elements are words, else bytes
  kSigned = 2,  // elements are signed
  kNegatePolarity = 1 << 4,
  kMaskedPolarity = 1 << 5,  // negate only where b has elements
  kHighestIndex = 1 << 6,
};
enum : uint32_t { kEqualAny = 0, kRanges = 1, kEqualEach = 2, kEqualOrdered = 3 };

struct StringOperand {
  int32_t elements[kStringBytes];
  uint32_t length;  // elements before the first 0
};

void ReadString(const VectorValue& v, uint32_t control, StringOperand* out) {
  const uint32_t bytes = (control & kWords) != 0 ? 2 : 1;
  const uint32_t count = kStringBytes / bytes;
  out->length = count;
  for (uint32_t i = count; i > 0; --i) {
    const uint64_t bits = LaneBits(v, bytes, i - 1);
    const bool is_signed = (control & kSigned) != 0;
    out->elements[i - 1] = static_cast<int32_t>(is_signed ? SignExtendBits(bits, bytes) : bits);
    if (bits == 0) out->length = i - 1;
  }
}

// Bit j of the first intermediate result.
bool Matches(uint32_t aggregation, const StringOperand& a, const StringOperand& b, uint32_t j, uint32_t count) {
  const bool is_valid = j < b.length;
  switch (aggregation) {
    case kEqualAny:
      for (uint32_t i = 0; i < a.length; ++i) {
        if (is_valid && a.elements[i] == b.elements[j]) return true;
      }
      return false;
    case kRanges:
      for (uint32_t i = 0; i + 1 < a.length; i += 2) {
        if (is_valid && a.elements[i] <= b.elements[j] && b.elements[j] <= a.elements[i + 1]) return true;
      }
      return false;
    case kEqualEach:
      if (j >= a.length || !is_valid) return j >= a.length && !is_valid;
      return a.elements[j] == b.elements[j];
    default:  // kEqualOrdered: a is a substring that starts at j; its elements beyond the register count as equal
      for (uint32_t i = 0; i < a.length && i + j < count; ++i) {
        if (i + j >= b.length || a.elements[i] != b.elements[i + j]) return false;
      }
      return true;
  }
}

}  // namespace

void RunStringIndexUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  const uint32_t control = static_cast<uint32_t>(uop.imm);
  VectorValue a_bits;
  VectorValue b_bits;
  ReadVector(*context, uop.a, kStringBytes, &a_bits);
  ReadVector(*context, uop.b, kStringBytes, &b_bits);
  if ((a_bits.known & b_bits.known) != VectorKnown(kStringBytes)) {
    ForgetResult(evaluator, uop);
    return;
  }
  StringOperand a;
  StringOperand b;
  ReadString(a_bits, control, &a);
  ReadString(b_bits, control, &b);
  const uint32_t count = (control & kWords) != 0 ? kStringBytes / 2 : kStringBytes;
  uint32_t result = 0;
  for (uint32_t j = 0; j < count; ++j) {
    if (Matches(control >> 2 & 3, a, b, j, count)) result |= 1u << j;
  }
  if ((control & kNegatePolarity) != 0) {
    const uint32_t negated = (control & kMaskedPolarity) != 0 ? b.length : count;
    result ^= static_cast<uint32_t>(LowOnes(negated));
  }
  uint32_t index = count;
  if (result != 0) {
    const uint32_t highest = 31 - static_cast<uint32_t>(__builtin_clz(result));
    index = (control & kHighestIndex) != 0 ? highest : static_cast<uint32_t>(__builtin_ctz(result));
  }
  if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) {
    uint8_t packed = 0;
    uint8_t packed_known = SOFTLBR_FLAG_P | SOFTLBR_FLAG_A;
    PackFlag(SOFTLBR_FLAG_C, TruthOf(result != 0), &packed, &packed_known);
    PackFlag(SOFTLBR_FLAG_Z, TruthOf(b.length < count), &packed, &packed_known);
    PackFlag(SOFTLBR_FLAG_S, TruthOf(a.length < count), &packed, &packed_known);
    PackFlag(SOFTLBR_FLAG_V, TruthOf((result & 1) != 0), &packed, &packed_known);
    SetExplicitFlags(&evaluator->lazy, packed, packed_known);
  }
  WriteSlot(context, uop.dst, Value{index, kAllBytesKnown});
}

}  // namespace softlbr
