// The session's list of mapped modules, and when it is read again.
//
// Two module tables and two code maps alternate: one is current (the control thread reads the table, handlers read the
// map) while the other is built.
// When: every kModuleRefreshNs, or kAloneRefreshNs in a process of one thread; each time that the session's age has
//   doubled, at the beginning, when programs map most of their modules; when a handler has met code of no known module;
//   before trace buffers are aggregated.
// Unloading: if another library replaces a library for a time, and the first is back at the next reading, the readings
//   do not differ. So after NoteUnload handlers begin buffers that claim to know only the modules of the first reading,
//   until the modules have been read without an unload in between.
// Not detected: unloads by other means than a call that reports them.
// Headers: where unloads are reported (session_hooks.h), those of a module that stayed in its place are not read again.
//   Elsewhere they are: a library that was rebuilt and loaded again may have the number of the old file, and its place.
// Critical sections: no file is read for them before threads may have breakpoints. So a session reads none if it has no
//   breakpoints, or as long as it has had nothing but timers: 75 files took 1.7 ms, a quarter of what a game's limit
//   pays in 5 s.
// On a change: first write the counts aggregated under the old table, then publish a new code map for the handlers and
//   empty the block cache, because lifted code may be gone.
// Context: control thread; NoteUnload any.
#ifndef SOFTLBR_RUNTIME_WATCH_MODULE_REFRESH_H_
#define SOFTLBR_RUNTIME_WATCH_MODULE_REFRESH_H_

#include <atomic>
#include <cstdint>

#include "runtime/modules/module_table.h"
#include "runtime/session/watch_state.h"

namespace softlbr {

struct Session;

// What traces that begin now claim to know (TraceEnvironment::module_generation): the modules of a generation of the
// table, or only those of the first reading, because libraries were unloaded since the last reading began.
inline constexpr uint32_t kFirstReading = 1;
// The same while the modules are being read: a trace in a library that is loaded and unloaded before the reading
// reaches its mapping must not claim more either. 0, so that EndReading can tell whether NoteUnload was called during
// the reading.
inline constexpr uint32_t kFirstReadingAgain = 0;

// Call before and after each call that may unload a library. Any thread, in a signal handler too.
inline void NoteUnload(std::atomic<uint32_t>* module_generation) {
  module_generation->store(kFirstReading, std::memory_order_seq_cst);
}
// Control thread, before the modules are read. Returns what EndReading needs.
inline uint32_t BeginReading(std::atomic<uint32_t>* module_generation) {
  uint32_t claimed = kFirstReading;
  return module_generation->compare_exchange_strong(claimed, kFirstReadingAgain) ? kFirstReadingAgain : claimed;
}
// After the reading: traces claim to know the table of `generation`, unless a library was unloaded since BeginReading.
inline void EndReading(std::atomic<uint32_t>* module_generation, uint32_t begun, uint32_t generation) {
  (void)module_generation->compare_exchange_strong(begun, generation, std::memory_order_seq_cst,
                                                   std::memory_order_seq_cst);
}

// True if the modules are to be read again although no handler asks for it.
bool IsRefreshDue(const Session& session, uint64_t now_ns);
// Time until the refresh that a handler has asked for may take place; ~0 if none has.
uint64_t TimeToWantedRefresh(const Session& session, uint64_t now_ns);

inline const ModuleTable& CurrentModules(const MappedModules& modules) { return modules.tables[modules.current]; }

// Reads the modules. False if the last change was less than kModuleGapNs ago; nothing was read then.
bool RefreshModules(Session* session, uint64_t now_ns);
// Reads the modules, as soon as that is permitted. Result: the time then.
uint64_t ReadModules(Session* session, uint64_t now_ns);
// Reads the modules if that is due or a handler has asked for it.
void RefreshModulesIfDue(Session* session, uint64_t now_ns);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_MODULE_REFRESH_H_
