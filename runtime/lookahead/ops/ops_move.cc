// Moves, constants, addresses; loads and stores of any width. Contract: ops.h.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

inline bool IsScalarWidth(uint32_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }

UopResult LoadScalar(Evaluator* evaluator, const softlbr_uop& uop) {
  const Address address = AddressOf(evaluator->context, uop);
  Value value = kUnknownValue;
  if (address.is_known) {
    const UopResult result = LoadMemory(&evaluator->memory, address.value, uop.width, &value);
    if (result != UopResult::kOk) return result;
  }
  if ((uop.flags & SOFTLBR_UOP_SIGNED) != 0) {
    WriteSlot(&evaluator->context, uop.dst, SignExtendValue(value, uop.width));
  } else {
    WriteResult(&evaluator->context, uop, value);
  }
  return UopResult::kOk;
}

UopResult StoreScalar(Evaluator* evaluator, const softlbr_uop& uop) {
  const Address address = AddressOf(evaluator->context, uop);
  if (!address.is_known) {
    PoisonMemory(&evaluator->memory);
    return UopResult::kOk;
  }
  Value value = ReadSlot(evaluator->context, uop.dst);
  if ((uop.flags & SOFTLBR_UOP_DST_HIGH) != 0) value = SecondByte(value);
  return StoreMemory(&evaluator->memory, address.value, uop.width, value);
}

UopResult StoreUnknown(Evaluator* evaluator, const softlbr_uop& uop) {
  const Address address = AddressOf(evaluator->context, uop);
  uint64_t bytes = uop.width;
  if (bytes == 0) {
    const Value length = ReadSlot(evaluator->context, uop.dst);
    if (length.known != kAllBytesKnown) {
      PoisonMemory(&evaluator->memory);
      return UopResult::kOk;
    }
    bytes = length.bits;
  }
  if (!address.is_known) {
    if (bytes != 0) PoisonMemory(&evaluator->memory);
    return UopResult::kOk;
  }
  if (!CanBeStoredTo(ProbePages(&evaluator->memory, address.value, bytes))) return UopResult::kUnreadable;
  StoreRange(&evaluator->memory, address.value, bytes, 0, false);
  return UopResult::kOk;
}

}  // namespace

void RunMoveUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext& context = evaluator->context;
  switch (uop.op) {
    case SOFTLBR_OP_CONST:
      WriteResult(&context, uop, Value{static_cast<uint64_t>(int64_t{uop.imm}), kAllBytesKnown});
      return;
    case SOFTLBR_OP_CONST_HIGH: {
      const Value old = ReadSlot(context, uop.dst);
      const uint64_t high = static_cast<uint64_t>(static_cast<uint32_t>(uop.imm)) << 32;
      WriteSlot(&context, uop.dst, Value{high | (old.bits & 0xffffffff), static_cast<uint8_t>(old.known | 0xf0)});
      return;
    }
    case SOFTLBR_OP_MOV: WriteResult(&context, uop, OperandA(context, uop)); return;
    case SOFTLBR_OP_UNKNOWN:
      if (IsScalarWidth(uop.width)) {
        WriteResult(&context, uop, kUnknownValue);
      } else {
        ForgetBytes(&context, uop.dst, uop.width);
      }
      return;
    case SOFTLBR_OP_SIGN_EXTEND: WriteResult(&context, uop, SignExtendValue(OperandA(context, uop), uop.aux)); return;
    case SOFTLBR_OP_ZERO_EXTEND: WriteResult(&context, uop, ZeroExtendValue(OperandA(context, uop), uop.aux)); return;
    case SOFTLBR_OP_ADDRESS: {
      const Value a = ReadSlot(context, uop.a);
      const Value b = ReadSlot(context, uop.b);
      const uint64_t sum = a.bits + (b.bits << uop.aux) + static_cast<uint64_t>(int64_t{uop.imm});
      const uint8_t b_known = CompressKnown((ExpandKnown(b.known) << uop.aux) | LowOnes(uop.aux));
      WriteResult(&context, uop, Value{sum, KnownRunFromBottom(a.known & b_known)});
      return;
    }
    default:  // NOP
      return;
  }
}

UopResult RunMemoryUop(Evaluator* evaluator, const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_LOAD: return LoadScalar(evaluator, uop);
    case SOFTLBR_OP_STORE: return StoreScalar(evaluator, uop);
    case SOFTLBR_OP_STORE_UNKNOWN: return StoreUnknown(evaluator, uop);
    default:  // CLOBBER_MEMORY
      PoisonMemory(&evaluator->memory);
      return UopResult::kOk;
  }
}

}  // namespace softlbr
