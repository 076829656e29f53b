// No mappings on this target: a session needs memory from the caller and finds no modules.
#include "platform/memory_map.h"

namespace softlbr::platform {

Status ForEachMapping(MappingVisitor, void*) { return Status::kUnsupported; }
uint64_t MainProgramHeaders() { return 0; }
void* MapMemory(uint64_t, bool) { return nullptr; }
void UnmapMemory(void*, uint64_t) {}

}  // namespace softlbr::platform
