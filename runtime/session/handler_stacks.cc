#include "runtime/session/handler_stacks.h"

#include "platform/call_on_stack.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {

bool CallOnHandlerStack(HandlerStacks* stacks, void (*function)(void*), void* argument) {
  const uint32_t unused = ~stacks->busy.load(std::memory_order_relaxed) & ((1u << kHandlerStacks) - 1);
  const uint32_t bit = unused & (0 - unused);
  if (bit == 0 || (stacks->busy.fetch_or(bit, std::memory_order_acquire) & bit) != 0) return false;
  uint8_t* end = stacks->memory + (static_cast<uint64_t>(__builtin_ctz(bit)) + 1) * kHandlerStackBytes;
  softlbr_call_on_stack(end, function, argument);
  stacks->busy.fetch_and(~bit, std::memory_order_release);
  return true;
}

}  // namespace softlbr
