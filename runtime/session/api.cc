// The C API (runtime/include/softlbr/softlbr.h) over the session.
#include "platform/base/attributes.h"
#include "platform/cpu_context.h"
#include "platform/dynamic_library.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/session/decoder_registry.h"
#include "runtime/session/session.h"
#include "runtime/session/session_memory.h"
#include "runtime/session/start_stop.h"

namespace {

using softlbr::Status;

// softlbr.h declares its own enum, because it is installed without the rest of the tree.
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) \
  static_assert(SOFTLBR_EVENT_##c_name == number, "softlbr.h and sample_events.def differ");
#include "platform/base/sample_events.def"

int Code(Status status) { return static_cast<int>(status); }

uint64_t Sum(const uint64_t* counts, uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += counts[i];
  return sum;
}

}  // namespace

extern "C" {

SOFTLBR_EXPORT int softlbr_register_decoder(const softlbr_decoder_plugin* plugin) { return Code(softlbr::RegisterDecoder(plugin)); }

SOFTLBR_EXPORT int softlbr_load_decoder(const char* path) {
  if (path == nullptr) return Code(Status::kInvalidArgument);
  void* symbol = nullptr;
  const Status status = softlbr::platform::LoadSymbol(path, SOFTLBR_DECODER_PLUGIN_SYMBOL, &symbol);
  if (status != Status::kOk) return Code(status);
  return Code(softlbr::RegisterDecoder(reinterpret_cast<softlbr_decoder_plugin_function>(symbol)()));
}

SOFTLBR_EXPORT size_t softlbr_region_bytes(const softlbr_options* options) {
  softlbr::SessionSettings settings;
  if (options == nullptr || softlbr::ResolveSettings(*options, &settings) != Status::kOk) return 0;
  return softlbr::PlanRegion(settings).bytes;
}

SOFTLBR_EXPORT int softlbr_start(const softlbr_options* options) {
  if (options == nullptr) return Code(Status::kInvalidArgument);
  softlbr::SessionSettings settings;
  const Status status = softlbr::ResolveSettings(*options, &settings);
  if (status != Status::kOk) return Code(status);
  int system_error = 0;
  return Code(softlbr::StartSession(settings, softlbr::RegisteredDecoder(), &system_error));
}

SOFTLBR_EXPORT int softlbr_stop(void) { return Code(softlbr::StopSession()); }

SOFTLBR_EXPORT int softlbr_is_running(void) { return softlbr::CurrentSession() != nullptr ? 1 : 0; }

SOFTLBR_EXPORT int softlbr_get_counters(softlbr_counters* counters) {
  if (counters == nullptr || counters->struct_size != sizeof(softlbr_counters)) return Code(Status::kInvalidArgument);
  if (softlbr::CurrentSession() == nullptr) return Code(Status::kWrongState);  // before the use, which delays a stop
  const softlbr::SessionUse use;
  const softlbr::Session* session = use.session();
  if (session == nullptr || session->control.is_ready.load(std::memory_order_acquire) == 0) return Code(Status::kWrongState);
  softlbr::SessionCounters totals;
  softlbr::CollectCounters(*session, &totals);
  counters->samples = totals.samples;
  counters->traces_complete = totals.traces_complete;
  counters->traces_aborted = Sum(totals.traces_aborted, softlbr::kAbortReasonCount);
  counters->taken_branches = totals.taken_branches;
  counters->breakpoint_hits = totals.breakpoint_hits;
  counters->overhead_ns = totals.overhead_total_ns;
  counters->threads_traced = totals.threads_traced;
  counters->threads_untraced = totals.threads_untraced;
  counters->lost = Sum(totals.lost, softlbr::kLossReasonCount);
  return Code(Status::kOk);
}

}  // extern "C"
