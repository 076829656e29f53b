#include "runtime/modules/code_map.h"

#include <cstring>

#include "platform/memory_map.h"
#include "runtime/modules/module_table.h"
#include "runtime/modules/moved_code.h"
#include "runtime/modules/rseq_sections.h"

namespace softlbr {
namespace {

struct MapWalk {
  const ModuleTable* modules;
  const CodeMap* last;  // nullptr: every module's file is read
  CodeMap* map;
};

// False if the last map may lack some: a module was still being relocated, or they did not fit.
bool HasAllCriticalSections(const CodeMap& map) {
  return map.has_unsettled_critical_sections == 0 && map.critical_section_count != kMaxCriticalSections;
}

void TakeCriticalSections(const Module& module, const CodeMap& last, CodeMap* map) {
  for (uint32_t i = 0; i < last.critical_section_count; ++i) {
    const AddressRange& range = last.critical_sections[i];
    if (range.begin >= module.begin && range.end <= module.end) AddCriticalSection(range, map);
  }
}

bool VisitMapping(void* cookie, const platform::Mapping& mapping) {
  const auto* walk = static_cast<MapWalk*>(cookie);
  const Module* module = FindModule(*walk->modules, mapping.begin);
  if (module == nullptr || module->begin != mapping.begin || !IsWholeModule(*module)) return true;
  const bool is_known = walk->modules->since[module - walk->modules->modules] != walk->modules->generation;
  if (is_known && walk->last != nullptr) {
    TakeCriticalSections(*module, *walk->last, walk->map);
  } else {
    AddCriticalSections(*module, mapping.path, walk->map);
  }
  return true;
}

}  // namespace

void BuildCodeMap(const ModuleTable& modules, const CodeMap* last, bool lists_critical_sections, CodeMap* map) {
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
      uint64_t begin = module.bias + segment.vaddr;
      uint64_t end = begin + segment.file_bytes;
      if (!IsWholeModule(module)) {  // a second mapping shows no more than itself
        begin = begin > module.begin ? begin : module.begin;
        end = end < module.end ? end : module.end;
        if (begin >= end) continue;
      }
      map->code[map->code_count++] = AddressRange{begin, end};
    }
  }
  memcpy(static_cast<void*>(&map->special), &modules.special, sizeof map->special);
  map->critical_section_count = 0;
  map->has_unsettled_critical_sections = lists_critical_sections ? 0 : 1;
  if (!lists_critical_sections) return;
  MapWalk walk{&modules, last != nullptr && HasAllCriticalSections(*last) ? last : nullptr, map};
  (void)platform::ForEachMapping(VisitMapping, &walk);
}

}  // namespace softlbr
