// Which modules are mapped, as the session knows it.
//
// Two module tables and two code maps alternate: the current one is read (tables by the control thread, the map by handlers) while
// the other one is built.
// When: every kModuleRefreshNs; when a handler has met code of no known module; before trace buffers are folded.
// On a change: counts taken under the old table are written under it first, blocks of code that may be gone are forgotten, and
//   handlers get a new code map.
// Context: control thread.
#ifndef SOFTLBR_RUNTIME_SESSION_MODULE_REFRESH_H_
#define SOFTLBR_RUNTIME_SESSION_MODULE_REFRESH_H_

#include <cstdint>

#include "runtime/modules/code_map.h"
#include "runtime/modules/module_table.h"

namespace softlbr {

struct Session;

struct MappedModules {
  CodeMap* code_maps;   // two; the current one is TraceEnvironment::code_map
  ModuleTable* tables;  // two
  uint32_t current;     // table
  // How often the restartable sequences of the current modules have been read again, because a module was being relocated.
  uint32_t critical_section_reads;
  uint64_t last_refresh_ns;
  uint64_t last_change_ns;
  // Least time between two refreshes that handlers ask for. It doubles while they find nothing new, as in a program that makes code
  // at run time.
  uint64_t wanted_gap_ns;
  MappingWatch mappings;
};

inline const ModuleTable& CurrentModules(const MappedModules& modules) { return modules.tables[modules.current]; }

// Reads the modules. False: too soon after the last change, nothing was read.
bool RefreshModules(Session* session, uint64_t now_ns);
// Reads them if it is time for it, or if a handler asks for it.
void RefreshModulesIfDue(Session* session, uint64_t now_ns);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_MODULE_REFRESH_H_
