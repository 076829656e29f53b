// Counts, reversals and selections of bits. Contract: ops.h.
#include "runtime/lookahead/ops/bit_index.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
void SetCarryZeroSign(Evaluator* evaluator, Truth carry, Truth zero, Truth sign) {
  uint8_t packed = 0;
  uint8_t packed_known = 0;
  PackFlag(SOFTLBR_FLAG_C, carry, &packed, &packed_known);
  PackFlag(SOFTLBR_FLAG_Z, zero, &packed, &packed_known);
  PackFlag(SOFTLBR_FLAG_S, sign, &packed, &packed_known);
  SetExplicitFlags(&evaluator->lazy, packed, packed_known);
}

namespace {

void CountZeros(Evaluator* evaluator, const softlbr_uop& uop, Value a) {
  const uint32_t width = uop.width;
  const uint32_t bits = 8 * width;
  const Truth zero = IsZero(a, width);
  Value result = {bits, kAllBytesKnown};
  Truth is_result_zero = Truth::kFalse;
  if (zero != Truth::kTrue) {
    const bool is_trailing = uop.op == SOFTLBR_OP_CTZ;
    const BitIndex found = is_trailing ? LowestOne(a, width) : HighestOne(a, width);
    result = Value{is_trailing ? found.index : bits - 1 - found.index, found.is_known ? kAllBytesKnown : uint8_t{0xfe}};
    // The count is 0 iff the bit where counting starts is 1.
    const uint32_t end_bit = is_trailing ? 0 : bits - 1;
    is_result_zero = Truth::kUnknown;
    if ((a.known >> (end_bit / 8) & 1) != 0) is_result_zero = TruthOf((a.bits >> end_bit & 1) != 0);
  }
  if (SetsFlags(uop)) SetCarryZeroSign(evaluator, zero, is_result_zero, Truth::kUnknown);
  WriteResult(&evaluator->context, uop, result);
}

void CountOnesUop(Evaluator* evaluator, const softlbr_uop& uop, Value a) {
  const uint32_t width = uop.width;
  const Truth zero = IsZero(a, width);
  if (SetsFlags(uop)) {
    uint8_t packed = 0;
    uint8_t packed_known = SOFTLBR_FLAG_ALL & ~SOFTLBR_FLAG_Z;
    PackFlag(SOFTLBR_FLAG_Z, zero, &packed, &packed_known);
    SetExplicitFlags(&evaluator->lazy, packed, packed_known);
  }
  const uint8_t known = IsKnown(a, width) ? kAllBytesKnown : uint8_t{0xfe};
  WriteResult(&evaluator->context, uop, Value{CountOnes(a.bits & WidthBits(width)), known});
}

constexpr uint64_t ReverseBitsInBytes(uint64_t x) {
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  return (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
}

// Reverses the bytes of each group of `group` bytes (2, 4, 8).
uint64_t ReverseBytes(uint64_t x, uint32_t group) {
  x = __builtin_bswap64(x);
  if (group == 4) return x >> 32 | x << 32;
  if (group == 2) {
    x = x >> 32 | x << 32;
    return (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  }
  return x;
}

void Reverse(Evaluator* evaluator, const softlbr_uop& uop, Value a) {
  const uint32_t group = uop.op == SOFTLBR_OP_BYTE_SWAP_LANES ? uop.aux : uop.width;
  uint64_t bits = ReverseBytes(a.bits, group);
  if (group == 1) bits = a.bits;
  if (uop.op == SOFTLBR_OP_BIT_REVERSE) bits = ReverseBitsInBytes(bits);
  const uint64_t mask = group == 1 ? ExpandKnown(a.known) : ReverseBytes(ExpandKnown(a.known), group);
  WriteResult(&evaluator->context, uop, Value{bits, CompressKnown(mask)});
}

uint64_t Deposit(uint64_t source, uint64_t mask) {
  uint64_t result = 0;
  for (uint32_t taken = 0; mask != 0 && taken < 64; ++taken) {
    const uint64_t lowest = mask & -mask;
    if ((source >> taken & 1) != 0) result |= lowest;
    mask &= mask - 1;
  }
  return result;
}
uint64_t Gather(uint64_t source, uint64_t mask) {
  uint64_t result = 0;
  for (uint32_t taken = 0; mask != 0 && taken < 64; ++taken) {
    const uint64_t lowest = mask & -mask;
    if ((source & lowest) != 0) result |= uint64_t{1} << taken;
    mask &= mask - 1;
  }
  return result;
}

// BLSI, BLSR, BLSMSK. If the position of the lowest 1 bit is known, all bits that depend on it are known.
void LowestSetBit(Evaluator* evaluator, const softlbr_uop& uop, Value a) {
  const uint32_t width = uop.width;
  const bool is_lowest_known = LowestOne(a, width).is_known;
  const uint8_t run = KnownRunFromBottom(a.known);
  Value result = kUnknownValue;
  Truth carry = IsZero(a, width);
  switch (uop.op) {
    case SOFTLBR_OP_BLSI:
      result = Value{a.bits & -a.bits, is_lowest_known ? kAllBytesKnown : run};
      carry = Not(carry);
      break;
    case SOFTLBR_OP_BLSR: result = Value{a.bits & (a.bits - 1), is_lowest_known ? a.known : run}; break;
    default: result = Value{a.bits ^ (a.bits - 1), is_lowest_known ? kAllBytesKnown : run}; break;
  }
  if (SetsFlags(uop)) {
    SetCarryZeroSign(evaluator, carry, IsZero(result, width), SignOf(result, width));
    uint8_t* known = &evaluator->lazy.packed_known;
    *known = static_cast<uint8_t>(*known | SOFTLBR_FLAG_V);  // 0
    if (uop.op == SOFTLBR_OP_BLSMSK) PackFlag(SOFTLBR_FLAG_Z, Truth::kFalse, &evaluator->lazy.packed, known);
    // a & -a is 0 iff a is 0.
    if (uop.op == SOFTLBR_OP_BLSI) PackFlag(SOFTLBR_FLAG_Z, Not(carry), &evaluator->lazy.packed, known);
  }
  WriteResult(&evaluator->context, uop, result);
}

void ZeroHighBits(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  const uint32_t width = uop.width;
  const uint32_t bits = 8 * width;
  Value result = kUnknownValue;
  Truth carry = Truth::kUnknown;
  if ((b.known & 1) != 0) {
    const uint32_t count = static_cast<uint32_t>(b.bits & 0xff);
    const uint64_t ones = LowOnes(count < bits ? count : bits);
    carry = TruthOf(count >= bits);
    result = Value{a.bits & ones, CompressKnown(ExpandKnown(a.known) | ~ones)};
  }
  if (SetsFlags(uop)) {
    SetCarryZeroSign(evaluator, carry, IsZero(result, width), SignOf(result, width));
    evaluator->lazy.packed_known = static_cast<uint8_t>(evaluator->lazy.packed_known | SOFTLBR_FLAG_V);
  }
  WriteResult(&evaluator->context, uop, result);
}

// CRC tables for four bits at a time, with reflected polynomials.
constexpr uint32_t kCrc32cPolynomial = 0x82f63b78;
constexpr uint32_t kEthernetPolynomial = 0xedb88320;
struct NibbleTable {
  uint32_t entries[16];
};
constexpr NibbleTable MakeNibbleTable(uint32_t polynomial) {
  NibbleTable table = {};
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t crc = i;
    for (uint32_t bit = 0; bit < 4; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? polynomial : 0);
    table.entries[i] = crc;
  }
  return table;
}
constexpr NibbleTable kCrcOfNibble[2] = {MakeNibbleTable(kCrc32cPolynomial), MakeNibbleTable(kEthernetPolynomial)};

void Crc32c(Evaluator* evaluator, const softlbr_uop& uop, Value a, Value b) {
  uint32_t crc = static_cast<uint32_t>(a.bits);
  uint64_t data = b.bits;
  const NibbleTable& table = kCrcOfNibble[(uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? 1 : 0];
  const uint32_t nibbles = uop.aux <= 8 ? 2u * uop.aux : 16u;
  for (uint32_t i = 0; i < nibbles; ++i) {
    crc = crc >> 4 ^ table.entries[(crc ^ data) & 15];
    data >>= 4;
  }
  // The result is 4 bytes for any width of the destination; the bytes above are 0.
  const bool is_known = IsKnown(a, 4) && IsKnown(b, uop.aux);
  WriteResult(&evaluator->context, uop, Value{crc, is_known ? kAllBytesKnown : uint8_t{0xf0}});
}

}  // namespace

void RunBitUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Value a = OperandA(evaluator->context, uop);
  const Value b = OperandB(evaluator->context, uop);
  const uint32_t width = uop.width;
  switch (uop.op) {
    case SOFTLBR_OP_CTZ:
    case SOFTLBR_OP_CLZ: CountZeros(evaluator, uop, a); return;
    case SOFTLBR_OP_POPCOUNT: CountOnesUop(evaluator, uop, a); return;
    case SOFTLBR_OP_BYTE_SWAP:
    case SOFTLBR_OP_BIT_REVERSE:
    case SOFTLBR_OP_BYTE_SWAP_LANES: Reverse(evaluator, uop, a); return;
    case SOFTLBR_OP_PDEP:
    case SOFTLBR_OP_PEXT: {
      const uint64_t mask = b.bits & WidthBits(width);
      const uint64_t bits = uop.op == SOFTLBR_OP_PDEP ? Deposit(a.bits, mask) : Gather(a.bits, mask);
      const bool is_known = IsKnownZero(b, width) || (IsKnown(a, width) && IsKnown(b, width));
      WriteResult(&evaluator->context, uop, Value{bits, is_known ? kAllBytesKnown : uint8_t{0}});
      return;
    }
    case SOFTLBR_OP_BLSI:
    case SOFTLBR_OP_BLSR:
    case SOFTLBR_OP_BLSMSK: LowestSetBit(evaluator, uop, a); return;
    case SOFTLBR_OP_BZHI: ZeroHighBits(evaluator, uop, a, b); return;
    default: Crc32c(evaluator, uop, a, b); return;
  }
}

}  // namespace softlbr
