#include "runtime/modules/code_map.h"

#include "platform/memory_map.h"
#include "runtime/modules/module_table.h"
#include "runtime/modules/rseq_sections.h"

namespace softlbr {
namespace {

// Device files and the kernel's clock page: a read of the first may disturb the device, of the second is stale a moment later.
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

}  // namespace

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

}  // namespace softlbr
