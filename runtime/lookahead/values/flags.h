// Lazily computed flags.
//
// An op that sets flags stores its operands and result (LazyFlags); a condition computes the one or two flags that it
// needs. Partly known values are used where this is cheap and exact: a result with a known non-zero byte is not zero;
// if the possible ranges of two operands do not overlap, their comparison is known.
// Context: handler. Cost: 1-3 ns per condition.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_FLAGS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_FLAGS_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "runtime/lookahead/values/value.h"

namespace softlbr {

// How the flags follow from the fields of LazyFlags. Operands are cut to `width` when they are read, not when stored.
enum class FlagsKind : uint8_t {
  kExplicit = 0,      // all six in packed / packed_known
  kResult = 1,        // Z S P of result; C V A in packed
  kAdd = 2,           // result = a + b
  kAdc = 3,           // result = a + b + carry
  kAddKeepC = 4,      // Z S P A V of an addition; C in packed
  kSub = 5,           // result = a - b, C is borrow
  kSubNotBorrow = 6,  // result = a - b, C is no borrow
  kSbb = 7,           // result = a - b - borrow, C is borrow
  kSbbNotBorrow = 8,  // the same, C is no borrow
  kSubKeepC = 9,      // Z S P A V of a subtraction; C in packed
};

// Lazily computed flags: the last flag-setting operation with its operands.
struct LazyFlags {
  uint64_t a;
  uint64_t b;
  uint64_t result;
  uint8_t known_a;  // byte masks; at least the low `width` bits count
  uint8_t known_b;
  uint8_t known_result;
  FlagsKind kind;
  uint8_t width;         // 1, 2, 4, 8
  uint8_t packed;        // SOFTLBR_FLAG_* bits; `kind` says which of them count
  uint8_t packed_known;  // the same bits: known or UNKNOWN
  uint8_t reserved;
};
static_assert(sizeof(LazyFlags) == 32 && __builtin_offsetof(LazyFlags, known_a) == 24,
              "SetPlainFlags writes the last word whole");

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void SetArithmeticFlags(LazyFlags* flags, FlagsKind kind, uint32_t width,
                                                                   Value a, Value b, Value result) {
  flags->a = a.bits;
  flags->b = b.bits;
  flags->result = result.bits;
  flags->known_a = a.known;
  flags->known_b = b.known;
  flags->known_result = result.known;
  flags->kind = kind;
  flags->width = static_cast<uint8_t>(width);
}

// The same for operands with every byte known. Cost: four stores.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void SetPlainFlags(LazyFlags* flags, FlagsKind kind, uint32_t width,
                                                              uint64_t a, uint64_t b, uint64_t result) {
  const uint64_t rest = 0xffffff | static_cast<uint64_t>(kind) << 24 | uint64_t{width} << 32;
  flags->a = a;
  flags->b = b;
  flags->result = result;
  __builtin_memcpy(&flags->known_a, &rest, sizeof(rest));
}

// Z S P follow from the result; C V A are given in packed.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void SetResultFlags(LazyFlags* flags, uint32_t width, Value result,
                                                               uint8_t packed, uint8_t packed_known) {
  flags->result = result.bits;
  flags->known_result = result.known;
  flags->kind = FlagsKind::kResult;
  flags->width = static_cast<uint8_t>(width);
  flags->packed = packed;
  flags->packed_known = packed_known;
}

// Logic: C = V = 0, A UNKNOWN.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void SetLogicFlags(LazyFlags* flags, uint32_t width, Value result) {
  SetResultFlags(flags, width, result, 0, SOFTLBR_FLAG_C | SOFTLBR_FLAG_V);
}

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void SetExplicitFlags(LazyFlags* flags, uint8_t packed,
                                                                 uint8_t packed_known) {
  flags->kind = FlagsKind::kExplicit;
  flags->packed = packed;
  flags->packed_known = packed_known;
}

// The value of one flag (SOFTLBR_FLAG_*).
SOFTLBR_HANDLER_SAFE Truth FlagValue(const LazyFlags& flags, uint8_t flag);

// A condition over the flags (SOFTLBR_COND_ALWAYS .. SOFTLBR_COND_LS); any other value: UNKNOWN.
SOFTLBR_HANDLER_SAFE Truth EvaluateCondition(const LazyFlags& flags, uint32_t condition);

// Computes all six flags and makes them explicit. Cost: about 10 ns.
SOFTLBR_HANDLER_SAFE void SettleFlags(LazyFlags* flags);

// Replaces C and keeps the other five, without computing them.
SOFTLBR_HANDLER_SAFE void ReplaceCarry(LazyFlags* flags, Truth carry);

// Replaces the flags in mask and keeps the others.
SOFTLBR_HANDLER_SAFE void ReplaceFlags(LazyFlags* flags, uint8_t mask, uint8_t packed, uint8_t packed_known);

// Sets one flag in a packed pair whose bits for it are 0.
SOFTLBR_HANDLER_SAFE constexpr void PackFlag(uint8_t flag, Truth value, uint8_t* packed, uint8_t* packed_known) {
  if (value == Truth::kUnknown) return;
  *packed_known = static_cast<uint8_t>(*packed_known | flag);
  if (value == Truth::kTrue) *packed = static_cast<uint8_t>(*packed | flag);
}

// Are the low `width` bytes 0?
SOFTLBR_HANDLER_SAFE Truth IsZero(Value value, uint32_t width);
// The top bit of the low `width` bytes.
SOFTLBR_HANDLER_SAFE Truth SignOf(Value value, uint32_t width);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_FLAGS_H_
