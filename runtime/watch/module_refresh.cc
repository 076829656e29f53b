#include "runtime/watch/module_refresh.h"

#include <cstring>

#include "platform/thread.h"
#include "runtime/session/session.h"
#include "runtime/session/session_hooks.h"
#include "runtime/watch/profile_output.h"

namespace softlbr {
namespace {

// Builds a code map of these modules in the memory of the map before the current one, and publishes it to handlers. A
// handler could still read that older map only if it had started before the last change, at least kModuleGapNs ago; no
// handler takes that long. has_same_modules: the modules are those of the current map; only `special` may differ.
void PublishCodeMap(Session* session, const ModuleTable& modules, bool has_same_modules, uint64_t now_ns) {
  CodeMap* maps = session->modules.code_maps;
  const CodeMap* published = session->environment.code_map.load(std::memory_order_relaxed);
  CodeMap* spare = published == &maps[0] ? &maps[1] : &maps[0];
  if (has_same_modules) {
    memcpy(static_cast<void*>(spare), published, sizeof *spare);
    memcpy(static_cast<void*>(&spare->special), &modules.special, sizeof spare->special);
  } else {
    BuildCodeMap(modules, published, session->modules.lists_critical_sections, spare);
  }
  session->environment.code_map.store(spare, std::memory_order_release);
  session->modules.last_change_ns = now_ns;
}

// Call it after the modules have been read: their code counts as code of modules again, unless more was unloaded
// meanwhile.
void EndUnloading(Session* session) {
  uint32_t reading = kReadingAfterUnload;
  if (!session->environment.unloading.compare_exchange_strong(reading, kNothingUnloaded)) return;
  InvalidateBlockCache(session->environment.cache);  // its blocks count as generated
}

}  // namespace

bool RefreshModules(Session* session, uint64_t now_ns) {
  MappedModules& modules = session->modules;
  if (modules.last_change_ns != 0 && now_ns - modules.last_change_ns < kModuleGapNs) return false;
  modules.last_refresh_ns = now_ns;
  std::atomic<uint32_t>& generation = session->environment.module_generation;
  const uint32_t begun = BeginReading(&generation);
  std::atomic<uint32_t>& unloading = session->environment.unloading;
  uint32_t unloaded = kUnloaded;
  (void)unloading.compare_exchange_strong(unloaded, kReadingAfterUnload, std::memory_order_seq_cst,
                                          std::memory_order_seq_cst);
  if (session->info.has_breakpoints != 0 && !session->timers.is_active) modules.lists_critical_sections = true;
  const uint32_t next = 1 - modules.current;
  ModuleTable& table = modules.tables[next];
  const bool may_reuse = g_session_hooks.reports_unloads && unloaded == kNothingUnloaded;
  const bool is_changed = RefreshModuleTable(CurrentModules(modules), session->settings.keep_paths, may_reuse, &table);
  std::atomic<uint32_t>& must_guard = session->environment.must_guard;
  const bool must_be = WatchMappings(&modules.mappings, table.mapped, now_ns, session->threads.has_threads,
                                     must_guard.load(std::memory_order_relaxed) != 0);
  must_guard.store(must_be ? 1 : 0, std::memory_order_seq_cst);
  // Read last, because the program sets always_guards before must_guard.
  if (session->environment.always_guards.load(std::memory_order_seq_cst) != 0)
    must_guard.store(1, std::memory_order_relaxed);
  if (!is_changed) {
    EndReading(&generation, begun, CurrentModules(modules).generation);
    EndUnloading(session);
    const CodeMap* map = session->environment.code_map.load(std::memory_order_relaxed);
    if (modules.lists_critical_sections && map->has_unsettled_critical_sections != 0 &&
        modules.critical_section_reads++ < kCriticalSectionReads) {
      PublishCodeMap(session, table, false, now_ns);
    } else if (table.special.sum != map->special.sum) {
      PublishCodeMap(session, table, true, now_ns);
    }
    return true;
  }
  Flush(session, now_ns);
  PublishCodeMap(session, table, false, now_ns);
  modules.critical_section_reads = 0;
  InvalidateBlockCache(session->environment.cache);
  modules.current = next;
  EndReading(&generation, begun, table.generation);
  EndUnloading(session);
  return true;
}

uint64_t ReadModules(Session* session, uint64_t now_ns) {
  while (!RefreshModules(session, now_ns)) {
    platform::SleepNs(kModuleGapNs);
    now_ns = platform::MonotonicNs();
  }
  return now_ns;
}

uint64_t TimeToWantedRefresh(const Session& session, uint64_t now_ns) {
  if (session.environment.modules_wanted.load(std::memory_order_relaxed) == 0) return ~uint64_t{0};
  const MappedModules& modules = session.modules;
  const uint64_t wanted_ns = modules.last_refresh_ns + modules.wanted_gap_ns;
  const uint64_t permitted_ns = modules.last_change_ns + kModuleGapNs;
  const uint64_t due_ns = wanted_ns > permitted_ns ? wanted_ns : permitted_ns;
  return due_ns > now_ns ? due_ns - now_ns : 1;
}

bool IsRefreshDue(const Session& session, uint64_t now_ns) {
  const uint64_t period_ns = session.threads.has_threads ? kModuleRefreshNs : kAloneRefreshNs;
  const uint64_t early_ns = session.modules.last_refresh_ns - session.totals.start_ns;
  return now_ns - session.modules.last_refresh_ns >= (early_ns < period_ns ? early_ns : period_ns);
}

void RefreshModulesIfDue(Session* session, uint64_t now_ns) {
  MappedModules& modules = session->modules;
  std::atomic<uint32_t>& wanted = session->environment.modules_wanted;
  const uint64_t age_ns = now_ns - modules.last_refresh_ns;
  if (wanted.load(std::memory_order_relaxed) == 0 || age_ns < modules.wanted_gap_ns) {
    if (IsRefreshDue(*session, now_ns)) (void)RefreshModules(session, now_ns);
    return;
  }
  const uint32_t before = modules.current;
  if (!RefreshModules(session, now_ns)) return;
  wanted.store(0, std::memory_order_relaxed);
  const uint64_t doubled = modules.wanted_gap_ns * 2;
  modules.wanted_gap_ns = modules.current != before || doubled == 0 ? kModuleGapNs
                          : doubled < kModuleRefreshNs              ? doubled
                                                                    : kModuleRefreshNs;
}

}  // namespace softlbr
