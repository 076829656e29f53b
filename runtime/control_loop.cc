#include "runtime/control_loop.h"

#include "platform/file.h"
#include "platform/memory_map.h"
#include "platform/thread_list.h"
#include "runtime/session.h"
#include "runtime/thread_registry.h"

namespace softlbr {
namespace {

// Device files and the kernel's clock page: reading them may disturb something, or tell what is stale a moment later.
bool IsSpecial(const platform::Mapping& mapping) {
  auto begins_with = [&mapping](const char* prefix) {
    for (const char* at = mapping.path; *prefix != '\0'; ++prefix, ++at) {
      if (*at != *prefix) return false;
    }
    return true;
  };
  if (begins_with("[vvar")) return true;
  return begins_with("/dev/") && !begins_with("/dev/shm/") && !begins_with("/dev/zero");
}

bool VisitMapping(void* cookie, const platform::Mapping& mapping) {
  auto* special = static_cast<SpecialRanges*>(cookie);
  if (!IsSpecial(mapping)) return true;
  if (special->count == SpecialRanges::kMaxRanges) {
    special->is_incomplete = 1;
    return false;
  }
  special->ranges[special->count++] = {mapping.begin, mapping.end};
  return true;
}

// Builds the map that is not published.
void BuildCodeMap(const ModuleTable& modules, CodeMap* map) {
  constexpr uint32_t kExecutable = 1;  // PF_X
  constexpr uint32_t kWritable = 2;    // PF_W
  map->code_count = 0;
  for (uint32_t m = 0; m < modules.count; ++m) {
    const Module& module = modules.modules[m];
    for (uint32_t s = 0; s < module.segment_count && map->code_count < kMaxCodeRanges; ++s) {
      const ModuleSegment& segment = module.segments[s];
      if ((segment.flags & (kExecutable | kWritable)) != kExecutable) continue;
      const uint64_t begin = module.bias + segment.vaddr;
      map->code[map->code_count++] = AddressRange{begin, begin + segment.file_bytes};
    }
  }
  map->special.count = 0;
  map->special.is_incomplete = 0;
  (void)platform::ForEachMapping(VisitMapping, &map->special);
}

void CollectForWriter(Session* session, SessionCounters* counters) {
  CollectCounters(*session, counters);
  // The writer adds what it and the aggregator lost itself.
  counters->lost[static_cast<uint32_t>(LossReason::kSinkFailed)] = 0;
}

void Flush(Session* session, uint64_t now) {
  session->last_flush_ns = now;
  if (session->aggregator.IsEmpty()) return;
  SessionCounters counters;
  CollectForWriter(session, &counters);
  session->writer.WriteCounts(&session->aggregator, session->modules[session->current_modules], counters);
}

// Reads the modules again. Counts taken under the old table are written under it first; blocks of code that may be gone are
// forgotten.
void RefreshModules(Session* session, uint64_t now) {
  session->last_refresh_ns = now;
  const uint32_t next = 1 - session->current_modules;
  if (!RefreshModuleTable(session->modules[session->current_modules], session->settings.keep_paths,
                          &session->modules[next])) {
    return;
  }
  Flush(session, now);
  const CodeMap* published = session->environment.code_map.load(std::memory_order_relaxed);
  CodeMap* spare = published == &session->code_maps[0] ? &session->code_maps[1] : &session->code_maps[0];
  // A handler that was stopped in the middle may still read the spare map; it was replaced kModuleRefreshNs ago at least.
  BuildCodeMap(session->modules[next], spare);
  session->environment.code_map.store(spare, std::memory_order_release);
  InvalidateBlockCache(session->environment.cache);
  session->current_modules = next;
}

// True if some address of the buffer lies in no module: a module has been loaded since the last refresh.
bool HasUnknownCode(const Session& session, const TraceBuffer& buffer) {
  const ModuleTable& modules = session.modules[session.current_modules];
  for (uint32_t i = 0; i < buffer.used;) {
    if (FindModule(modules, buffer.entries[i].header.sampled_pc) == nullptr) return true;
    i += 1 + buffer.entries[i].header.branch_count;
  }
  return false;
}

void DrainBuffers(Session* session, uint64_t now) {
  while (TraceBuffer* buffer = TakeFilledBuffer(&session->environment.pool)) {  // ends: a thread owns one buffer at most
    if (HasUnknownCode(*session, *buffer)) RefreshModules(session, now);
    session->aggregator.FoldBuffer(*buffer);
    PutFreeBuffer(&session->environment.pool, buffer);
    if (session->aggregator.IsAboveThreshold()) Flush(session, now);
  }
}

// Holds a frequency asked for on an event that does not count time.
void AdjustPeriod(Session* session) {
  if (session->info.frequency_hz == 0) return;
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  if (event == platform::SampleEvent::kTaskClock || event == platform::SampleEvent::kThreadTimer) return;
  SessionCounters counters;
  CollectCounters(*session, &counters);
  const uint64_t cpu_ns = counters.app_cpu_ns - session->frequency_cpu_ns;
  const uint64_t samples = counters.samples - session->frequency_samples;
  constexpr uint64_t kAdjustAfterNs = 100000000;
  if (cpu_ns < kAdjustAfterNs) return;
  session->frequency_cpu_ns = counters.app_cpu_ns;
  session->frequency_samples = counters.samples;
  // Wanted samples in that time against those taken, at most a factor of two at once.
  const uint64_t wanted = session->info.frequency_hz * (cpu_ns / 1000) / 1000000;
  const uint64_t period = session->environment.period.load(std::memory_order_relaxed);
  uint64_t next = wanted == 0 ? period : period * (samples + 1) / (wanted + 1);
  if (next < period / 2) next = period / 2;
  if (next > period * 2) next = period * 2;
  constexpr uint64_t kLeastPeriod = 1009;
  session->environment.period.store(next < kLeastPeriod ? kLeastPeriod : next, std::memory_order_relaxed);
}

void Finish(Session* session) {
  (void)CloseAllSlots(session, AbortReason::kSessionStopped);
  const uint64_t now = platform::MonotonicNs();
  RefreshModules(session, now);
  DrainBuffers(session, now);
  Flush(session, now);
  SessionCounters counters;
  CollectForWriter(session, &counters);
  session->writer.WriteEnd(session->aggregator, counters);
}

}  // namespace

int WriteToSink(void* cookie, const void* bytes, size_t size) {
  auto* session = static_cast<Session*>(cookie);
  const softlbr_options& options = session->settings.options;
  const bool is_taken = options.sink != nullptr ? options.sink(options.sink_cookie, bytes, size) == 0
                                                : platform::WriteAll(options.sink_fd, bytes, size) == Status::kOk;
  if (!is_taken) session->sink_failures.fetch_add(1, std::memory_order_relaxed);
  return is_taken ? 0 : 1;
}

void RunControlLoop(void* argument) {
  auto* session = static_cast<Session*>(argument);
  session->control_tid = platform::CurrentThreadId();
  session->start_ns = platform::MonotonicNs();
  session->start_cpu_ns = platform::ProcessCpuTimeNs();
  session->last_flush_ns = session->start_ns;
  constexpr uint64_t kFirstFlushNs = 1000000000;
  session->flush_interval_ns = kFirstFlushNs;
  RefreshModules(session, session->start_ns);
  session->prices = TrapPricesOnce(static_cast<platform::SampleEvent>(session->info.event));
  if (!session->prices.breakpoints_work) session->info.has_breakpoints = 0;
  (void)InitWriter(session);  // with what the self-test found; it fitted at start
  session->writer.WriteSessionStart();
  ScanThreads(session, session->start_ns, true);
  session->is_ready.store(1, std::memory_order_release);
  platform::WakeWord(&session->is_ready);

  constexpr uint32_t kGuardRounds = 10;  // asking whether a debugger came costs some 20 us
  uint32_t round = 0;
  while (session->stop_requested.load(std::memory_order_acquire) == 0) {
    const uint32_t seen = session->environment.filled_signal.load(std::memory_order_acquire);
    if (session->stop_requested.load(std::memory_order_acquire) != 0) break;
    platform::WaitOnWord(&session->environment.filled_signal, seen, kControlPeriodNs);
    const uint64_t now = platform::MonotonicNs();
    WatchThreads(session);
    ScanThreads(session, now, false);
    if (now - session->last_refresh_ns >= kModuleRefreshNs) RefreshModules(session, now);
    DrainBuffers(session, now);
    AdjustPeriod(session);
    if (++round % kGuardRounds == 0) {
      const bool is_barred = session->info.has_breakpoints == 0 || !platform::IsTrapHandlerInstalled() ||
                             platform::IsDebuggerAttached();
      session->environment.breakpoints_barred.store(is_barred ? 1 : 0, std::memory_order_relaxed);
    }
    if (now - session->last_flush_ns >= session->flush_interval_ns) {
      // What is written survives a crash; often at first, more rarely in a long session, for the file's sake.
      constexpr uint64_t kLongestFlushNs = 30000000000;
      if (session->flush_interval_ns < kLongestFlushNs) session->flush_interval_ns *= 2;
      Flush(session, now);
    }
  }
  Finish(session);
}

}  // namespace softlbr
