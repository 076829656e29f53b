#include "runtime/trace/trace_environment.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {

void WakeControlThread(TraceEnvironment* environment) {
  environment->filled_signal.fetch_add(1, std::memory_order_release);
  platform::WakeWord(&environment->filled_signal);
}

}  // namespace softlbr
