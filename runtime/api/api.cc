// The C API (runtime/include/softlbr/softlbr.h) over the session.
#include <cstddef>
#include <cstring>

#include "platform/base/attributes.h"
#include "platform/cpu_context.h"
#include "platform/own_library.h"
#include "platform/trap_signal.h"
#include "runtime/api/decoder_registry.h"
#include "runtime/api/start_stop.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/profile/label_store.h"
#include "runtime/session/session.h"
#include "runtime/session/session_memory.h"

namespace {

using softlbr::Status;

// softlbr.h declares its own enum, because it is installed without the rest of the tree.
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) \
  static_assert(SOFTLBR_EVENT_##c_name == number, "softlbr.h and sample_events.def differ");
#include "platform/base/sample_events.def"

static_assert(SOFTLBR_MOST_LABELS == softlbr::kMostLabels &&
              SOFTLBR_MOST_LABEL_KEY_BYTES == softlbr::kMostLabelKeyBytes &&
              SOFTLBR_MOST_LABEL_VALUE_BYTES == softlbr::kMostLabelValueBytes);
static_assert(SOFTLBR_TOO_MANY_LABELS == static_cast<int>(Status::kFull));
static_assert(sizeof(softlbr_trap_action) == sizeof(softlbr::platform::TrapAction),
              "the same fields, in the same order");

int Code(Status status) { return static_cast<int>(status); }

uint64_t Sum(const uint64_t* counts, uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += counts[i];
  return sum;
}

// The structures that the app can read from a running session; struct_size is the first field of each.
union Readable {
  softlbr_options options;
  softlbr_counters counters;
};

// Fills the first struct_size bytes of *out, at least `fewest`. `fill` sets every field but struct_size.
int Read(uint32_t* out, uint32_t fewest, uint32_t bytes, void (*fill)(const softlbr::Session&, Readable*)) {
  if (out == nullptr || *out < fewest) return Code(Status::kInvalidArgument);
  if (softlbr::CurrentSession() == nullptr) return Code(Status::kWrongState);  // before the use, which delays a stop
  const softlbr::SessionUse use;
  const softlbr::Session* session = use.session();
  if (session == nullptr) return Code(Status::kWrongState);
  // Readable once the first thread's events are open, even while the start still opens those of the others.
  const uint32_t is_readable = session->control.is_ready.load(std::memory_order_acquire) |
                               session->threads.slot_count.load(std::memory_order_acquire);
  if (is_readable == 0) return Code(Status::kWrongState);
  Readable all;
  fill(*session, &all);
  *reinterpret_cast<uint32_t*>(&all) = *out;
  memcpy(out, &all, *out < bytes ? *out : bytes);
  return Code(Status::kOk);
}

void FillOptions(const softlbr::Session& session, Readable* all) {
  const softlbr::SessionSettings& settings = session.settings;
  softlbr_options& options = all->options;
  options = settings.options;
  // The control thread may be changing these two.
  const uint32_t budget_ppm = __atomic_load_n(&settings.budget_ppm, __ATOMIC_RELAXED);
  if (__atomic_load_n(&session.info.has_breakpoints, __ATOMIC_RELAXED) == 0) options.flags |= SOFTLBR_NO_BREAKPOINTS;
  options.event = session.info.event;
  options.resolve_plus_one = 1 + static_cast<uint32_t>(settings.resolve);
  options.period = session.environment.period.load(std::memory_order_relaxed);
  options.max_threads = settings.max_threads;
  options.verify_every = static_cast<uint32_t>(session.environment.verify_every);
  options.max_overhead_ppm = budget_ppm != 0 ? budget_ppm : softlbr::kEverythingPpm;
}

void FillCounters(const softlbr::Session& session, Readable* all) {
  softlbr::SessionCounters totals;
  softlbr::CollectCounters(session, &totals);
  softlbr_counters& counters = all->counters;
  counters.samples = totals.samples;
  counters.traces_complete = totals.traces_complete;
  counters.traces_aborted = Sum(totals.traces_aborted, softlbr::kAbortReasonCount);
  counters.taken_branches = totals.taken_branches;
  counters.breakpoint_hits = totals.breakpoint_hits;
  counters.overhead_ns = totals.overhead_total_ns;
  counters.threads_traced = totals.threads_traced;
  counters.threads_untraced = totals.threads_untraced;
  counters.lost = Sum(totals.lost, softlbr::kLossReasonCount);
  counters.reserved = 0;
}

}  // namespace

extern "C" {

SOFTLBR_EXPORT int softlbr_register_decoder(const softlbr_decoder_plugin* plugin) {
  softlbr::platform::KeepOwnLibrary();  // here, too: control.h waits for its first session on a thread
  return Code(softlbr::RegisterDecoder(plugin));
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
  softlbr::platform::KeepOwnLibrary();
  int system_error = 0;
  return Code(softlbr::StartSession(settings, softlbr::RegisteredDecoder(), &system_error));
}

SOFTLBR_EXPORT int softlbr_stop_session(const void* sink_cookie) {
  softlbr::Session* session = softlbr::ClaimForStop();
  Status status = Status::kWrongState;
  if (session != nullptr) {
    // Compared under the claim, so that the session cannot be replaced in between.
    if (sink_cookie == nullptr || session->settings.options.sink_cookie == sink_cookie)
      status = softlbr::StopClaimedSession(session);
    softlbr::ReleaseClaim();
  }
  return Code(status);
}

SOFTLBR_EXPORT int softlbr_stop(void) { return softlbr_stop_session(nullptr); }

SOFTLBR_EXPORT int softlbr_exchange_trap_action(const softlbr_trap_action* action, softlbr_trap_action* previous) {
  const long result =
      softlbr::platform::ExchangeAppTrapAction(reinterpret_cast<const softlbr::platform::TrapAction*>(action),
                                               reinterpret_cast<softlbr::platform::TrapAction*>(previous));
  return Code(result == 0 ? Status::kOk : Status::kSystemError);
}

SOFTLBR_EXPORT int softlbr_is_running(void) { return softlbr::CurrentSession() != nullptr ? 1 : 0; }

SOFTLBR_EXPORT int softlbr_get_options(softlbr_options* options) {
  return Read(reinterpret_cast<uint32_t*>(options), offsetof(softlbr_options, region), sizeof *options, FillOptions);
}

SOFTLBR_EXPORT int softlbr_get_session_id(uint64_t* id) {
  if (id == nullptr) return Code(Status::kInvalidArgument);
  return Code(softlbr::LastSessionId(id) ? Status::kOk : Status::kWrongState);
}

SOFTLBR_EXPORT int softlbr_set_label(const char* key, const char* value) {
  return Code(softlbr::ProcessLabels()->Set(key, value));
}

SOFTLBR_EXPORT int softlbr_get_counters(softlbr_counters* counters) {
  constexpr uint32_t kFewestBytes = offsetof(softlbr_counters, samples) + sizeof(uint64_t);
  return Read(reinterpret_cast<uint32_t*>(counters), kFewestBytes, sizeof *counters, FillCounters);
}

}  // extern "C"
