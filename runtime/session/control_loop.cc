#include "runtime/session/control_loop.h"

#include "platform/file.h"
#include "platform/memory_map.h"
#include "platform/thread_list.h"
#include "runtime/blocks/patch_check.h"
#include "runtime/modules/rseq_sections.h"
#include "runtime/session/sampling_guard.h"
#include "runtime/session/session.h"
#include "runtime/session/thread_registry.h"

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

struct MapWalk {
  const ModuleTable* modules;
  CodeMap* map;
};

bool VisitMapping(void* cookie, const platform::Mapping& mapping) {
  const auto* walk = static_cast<MapWalk*>(cookie);
  const Module* module = FindModule(*walk->modules, mapping.begin);
  if (module != nullptr && module->begin == mapping.begin) AddCriticalSections(*module, mapping.path, walk->map);
  if (!IsSpecial(mapping)) return true;
  SpecialRanges* special = &walk->map->special;
  if (special->count == kMaxSpecialRanges) {
    special->is_incomplete = 1;
  } else {
    special->ranges[special->count++] = {mapping.begin, mapping.end};
  }
  return true;
}

void BuildCodeMap(const ModuleTable& modules, CodeMap* map) {
  constexpr uint32_t kExecutable = 1;  // PF_X
  constexpr uint32_t kWritable = 2;    // PF_W
  map->code_count = 0;
  map->pinned = AddressRange{0, 0};
  for (uint32_t m = 0; m < modules.count; ++m) {
    const Module& module = modules.modules[m];
    if (module.is_main) map->pinned = AddressRange{module.begin, module.end - (sizeof(uint64_t) - 1)};
    for (uint32_t s = 0; s < module.segment_count && map->code_count < kMaxCodeRanges; ++s) {
      const ModuleSegment& segment = module.segments[s];
      if ((segment.flags & (kExecutable | kWritable)) != kExecutable) continue;
      const uint64_t begin = module.bias + segment.vaddr;
      map->code[map->code_count++] = AddressRange{begin, begin + segment.file_bytes};
    }
  }
  map->special.count = 0;
  map->special.is_incomplete = 0;
  map->critical_section_count = 0;
  map->has_unsettled_critical_sections = 0;
  MapWalk walk{&modules, map};
  (void)platform::ForEachMapping(VisitMapping, &walk);
}

// Gives the handlers a map of these modules, built in the place of the one before the last. A handler that was stopped in the
// middle may still read that: it was replaced kModuleGapNs ago at least.
void PublishCodeMap(Session* session, const ModuleTable& modules, uint64_t now) {
  const CodeMap* published = session->environment.code_map.load(std::memory_order_relaxed);
  CodeMap* spare = published == &session->code_maps[0] ? &session->code_maps[1] : &session->code_maps[0];
  BuildCodeMap(modules, spare);
  session->environment.code_map.store(spare, std::memory_order_release);
  session->last_change_ns = now;
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
// forgotten. False: too soon after the last change, nothing was read.
bool RefreshModules(Session* session, uint64_t now) {
  if (session->last_change_ns != 0 && now - session->last_change_ns < kModuleGapNs) return false;
  session->last_refresh_ns = now;
  const uint32_t next = 1 - session->current_modules;
  const ModuleTable& current = session->modules[session->current_modules];
  const bool is_changed = RefreshModuleTable(current, session->settings.keep_paths, &session->modules[next]);
  std::atomic<uint32_t>& must_guard = session->environment.must_guard;
  must_guard.store(WatchMappings(&session->mappings, session->modules[next].mapped, now, session->has_threads,
                                 must_guard.load(std::memory_order_relaxed) != 0),
                   std::memory_order_relaxed);
  if (!is_changed) {
    const CodeMap* map = session->environment.code_map.load(std::memory_order_relaxed);
    if (map->has_unsettled_critical_sections != 0 && session->critical_section_reads++ < kCriticalSectionReads)
      PublishCodeMap(session, current, now);
    return true;
  }
  Flush(session, now);
  PublishCodeMap(session, session->modules[next], now);
  session->critical_section_reads = 0;
  InvalidateBlockCache(session->environment.cache);
  session->current_modules = next;
  session->environment.module_generation.store(session->modules[next].generation, std::memory_order_release);
  return true;
}

// A handler met code that no module is known for.
void RefreshIfWanted(Session* session, uint64_t now) {
  std::atomic<uint32_t>& wanted = session->environment.modules_wanted;
  if (wanted.load(std::memory_order_relaxed) == 0 || now - session->last_refresh_ns < session->wanted_gap_ns) return;
  const uint32_t before = session->current_modules;
  if (!RefreshModules(session, now)) return;
  wanted.store(0, std::memory_order_relaxed);
  const uint64_t doubled = session->wanted_gap_ns * 2;
  session->wanted_gap_ns = session->current_modules != before || doubled == 0 ? kModuleGapNs
                           : doubled < kModuleRefreshNs                       ? doubled
                                                                              : kModuleRefreshNs;
}

// An address may be laid to a module only if that stood there from before the trace until after it.
void BlankNewerCode(const ModuleTable& modules, TraceBuffer* buffer) {
  if (buffer->generation == modules.generation) return;
  auto blank = [&](uint64_t* address) {
    const Module* module = FindModule(modules, *address);
    if (module != nullptr && modules.since[module - modules.modules] > buffer->generation) *address = 0;
  };
  for (uint32_t i = 0; i < buffer->used;) {
    TraceHeader& header = buffer->entries[i].header;
    blank(&header.sampled_pc);
    for (uint32_t last = i + header.branch_count; i < last;) {
      BranchRecord& branch = buffer->entries[++i].branch;
      blank(&branch.from);
      blank(&branch.to);
    }
    ++i;
  }
}

// Folds what was filled. The modules are read after the last of these buffers was filled: with the generation it began under,
// that tells what stood where all the while.
void DrainBuffers(Session* session, uint64_t now) {
  session->last_fold_ns = now;
  TraceBuffer* first = TakeFilledBuffer(&session->environment.pool);
  if (first == nullptr) return;
  // queue_link is ours until the buffer goes back.
  TraceBuffer* last = first;
  while (TraceBuffer* buffer = TakeFilledBuffer(&session->environment.pool)) {  // ends: a thread owns one buffer at most
    last->queue_link[0] = buffer;
    last = buffer;
  }
  last->queue_link[0] = nullptr;
  while (!RefreshModules(session, now)) {
    platform::SleepNs(kModuleGapNs);
    now = platform::MonotonicNs();
  }
  for (TraceBuffer* buffer = first; buffer != nullptr;) {
    auto* next = static_cast<TraceBuffer*>(buffer->queue_link[0]);
    BlankNewerCode(session->modules[session->current_modules], buffer);
    session->aggregator.FoldBuffer(*buffer);
    PutFreeBuffer(&session->environment.pool, buffer);
    if (session->aggregator.IsAboveThreshold()) Flush(session, now);
    buffer = next;
  }
}

// Holds what was asked for: a frequency, on events that do not count time, and the overhead limit. Only the rate of sampling is
// changed, never which traces are finished: to drop the slow ones would bias the profile.
void AdjustPeriod(Session* session) {
  const bool is_clock = platform::IsClock(static_cast<platform::SampleEvent>(session->info.event));
  const bool holds_frequency = session->info.frequency_hz != 0 && !is_clock;
  const uint64_t limit_ppm = session->settings.options.max_overhead_ppm;
  if (!holds_frequency && limit_ppm == 0) return;

  SessionCounters counters;
  CollectCounters(*session, &counters);
  const uint64_t cpu_ns = counters.app_cpu_ns - session->adjusted_cpu_ns;
  constexpr uint64_t kAdjustAfterNs = 50000000;
  if (cpu_ns < kAdjustAfterNs) return;
  const uint64_t samples = counters.samples - session->adjusted_samples;
  const uint64_t overhead_ns = counters.overhead_total_ns - session->adjusted_overhead_ns;
  session->adjusted_cpu_ns = counters.app_cpu_ns;
  session->adjusted_samples = counters.samples;
  session->adjusted_overhead_ns = counters.overhead_total_ns;

  // A period as wanted by the user, then as long as the limit demands. At most a factor of two at once.
  const uint64_t period = session->environment.period.load(std::memory_order_relaxed);
  uint64_t next = session->info.period;
  if (holds_frequency) {
    const uint64_t wanted = session->info.frequency_hz * (cpu_ns / 1000) / 1000000;
    next = wanted == 0 ? period : period * (samples + 1) / (wanted + 1);
  }
  if (limit_ppm != 0) {
    const uint64_t ppm = overhead_ns * 1000 / (cpu_ns / 1000 + 1);
    const uint64_t allowed = period * (ppm + 1) / limit_ppm;  // the period at which the same traces would cost the limit
    if (allowed > next) next = allowed;
  }
  if (next < period / 2) next = period / 2;
  if (next > period * 2) next = period * 2;
  constexpr uint64_t kLeastPeriod = 1009;
  session->environment.period.store(next < kLeastPeriod ? kLeastPeriod : next, std::memory_order_relaxed);
}

// Before anything is known of the program: the period at which a sample of the measured cost and an evaluation of some
// microseconds stay within the limit.
void LimitFirstPeriod(Session* session) {
  const bool is_clock = platform::IsClock(static_cast<platform::SampleEvent>(session->info.event));
  const uint64_t limit_ppm = session->settings.options.max_overhead_ppm;
  if (limit_ppm == 0 || !is_clock) return;
  constexpr uint64_t kTraceGuessNs = 10000;
  const uint64_t least = (session->costs.sample_ns + kTraceGuessNs) * 1000000 / limit_ppm;
  if (least > session->environment.period.load(std::memory_order_relaxed)) {
    session->environment.period.store(least, std::memory_order_relaxed);
  }
}

void Finish(Session* session) {
  (void)CloseAllSlots(session, AbortReason::kSessionStopped);
  platform::DisableEventsOfThisThread();
  const uint64_t now = platform::MonotonicNs();
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
  const auto write_to_file = [&] {  // but never to another file that the app has opened under the same number since
    return platform::FileIdentity(options.sink_fd) == session->sink_identity &&
           platform::WriteAll(options.sink_fd, bytes, size) == Status::kOk;
  };
  const bool is_taken = options.sink != nullptr ? options.sink(options.sink_cookie, bytes, size) == 0 : write_to_file();
  if (!is_taken) session->sink_failures.fetch_add(1, std::memory_order_relaxed);
  return is_taken ? 0 : 1;
}

void RunControlLoop(void* argument) {
  auto* session = static_cast<Session*>(argument);
  session->control_tid = platform::CurrentThreadId();
  session->start_ns = platform::MonotonicNs();
  session->start_cpu_ns = platform::ProcessCpuTimeNs();
  session->last_flush_ns = session->start_ns;
  constexpr uint64_t kFirstFlushNs = kFoldIntervalNs;  // a program may end by a system call of its own
  session->flush_interval_ns = kFirstFlushNs;
  (void)RefreshModules(session, session->start_ns);
  GuardSampling(session, true);
  if (session->environment.sampling_disabled.load(std::memory_order_relaxed) == 0) {  // a debugger would stop at each trap
    session->costs =
        MeasureTrapCostsOnce(static_cast<platform::SampleEvent>(session->info.event), session->info.has_breakpoints != 0);
  }
  if (!session->costs.breakpoints_work) session->info.has_breakpoints = 0;
  LimitFirstPeriod(session);
  (void)InitWriter(session);  // with what the self-test found; it fitted at start
  session->writer.WriteSessionStart();
  ScanThreads(session, session->start_ns, true);
  session->is_ready.store(1, std::memory_order_release);
  platform::WakeWord(&session->is_ready);

  constexpr uint32_t kGuardRounds = 10;  // asking whether a debugger came costs some 20 us, comparing code as much
  uint32_t round = 0;
  while (session->stop_requested.load(std::memory_order_acquire) == 0) {
    const uint32_t seen = session->environment.filled_signal.load(std::memory_order_acquire);
    if (session->stop_requested.load(std::memory_order_acquire) != 0) break;
    platform::WaitOnWord(&session->environment.filled_signal, seen, kControlPeriodNs);
    const uint64_t now = platform::MonotonicNs();
    const bool is_thorough = ++round % kGuardRounds == 0;
    GuardSampling(session, is_thorough);
    BlockCache* cache = session->environment.cache;
    if (is_thorough && IsCachedCodeStale(cache, &session->next_checked)) InvalidateBlockCache(cache);
    WatchThreads(session);
    ScanThreads(session, now, false);
    RefreshIfWanted(session, now);
    if (now - session->last_refresh_ns >= kModuleRefreshNs) (void)RefreshModules(session, now);
    if (AreFreeBuffersFew(session->environment.pool) || now - session->last_fold_ns >= kFoldIntervalNs) {
      DrainBuffers(session, now);
    }
    AdjustPeriod(session);
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
