// Signed pointers: POINTER_SIGN, POINTER_CHECK, POINTER_STRIP.
//
// On the CPU that the code is for, all of it is exact: a signature is made by the CPU with the thread's own keys, and is right
// if making it again gives the same. Elsewhere all that may be signature, before or after, is UNKNOWN: with a right one, a
// wrong one or none, and on a CPU without the facility, the bits of the address stay.
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
    const bool is_right =
        uop.op == SOFTLBR_OP_POINTER_STRIP ||
        (platform::SignPointer(signs ? pointer.bits : stripped, modifier.bits, uop.aux, &made) && (signs || made == pointer.bits));
    if (is_right) result = Value{signs ? made : stripped, kAllBytesKnown};
  }
  WriteSlot(context, uop.dst, result);
}

}  // namespace softlbr
