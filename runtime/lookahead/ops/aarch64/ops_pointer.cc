// Signed pointers: POINTER_SIGN, POINTER_CHECK, POINTER_STRIP.
//
// On the CPU that the code is for, results are exact: the CPU itself signs, with the thread's keys, and a signature is
// correct if signing again gives the same. On another CPU only the address bits are known: no signing, check or strip
// changes them, whether the signature is correct, wrong or absent. All bits that may hold a signature are UNKNOWN.
#include "platform/pointer_auth.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {

void RunPointerUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  const Value pointer = ReadSlot(*context, uop.a);
  const Value modifier = ReadSlot(*context, uop.op == SOFTLBR_OP_POINTER_STRIP ? uop.a : uop.b);
  const bool signs = uop.op == SOFTLBR_OP_POINTER_SIGN;
  Value result = kUnknownValue;
  uint64_t stripped = 0;
  uint64_t made = 0;
  if (!platform::StripPointer(pointer.bits, &stripped)) {
    result = Value{pointer.bits, static_cast<uint8_t>(pointer.known & WidthKnown(evaluator->address_bits / 8))};
  } else if ((pointer.known & modifier.known) == kAllBytesKnown) {
    const bool is_right = uop.op == SOFTLBR_OP_POINTER_STRIP ||
                          (platform::SignPointer(signs ? pointer.bits : stripped, modifier.bits, uop.aux, &made) &&
                           (signs || made == pointer.bits));
    if (is_right) result = Value{signs ? made : stripped, kAllBytesKnown};
  }
  WriteSlot(context, uop.dst, result);
}

}  // namespace softlbr
