// What is mapped in this process: read from the kernel's text, without libc, locks or heap.
//
// Context: control. Cost: one read of /proc/self/maps (about 1 us per line). Never touches pages the kernel calls unreadable.
#ifndef SOFTLBR_PLATFORM_MEMORY_MAP_H_
#define SOFTLBR_PLATFORM_MEMORY_MAP_H_

#include <cstdint>

#include "platform/base/status.h"

namespace softlbr::platform {

struct Mapping {
  uint64_t begin;
  uint64_t end;
  uint64_t file_offset;
  uint64_t inode;
  uint32_t device;
  bool is_readable;
  bool is_writable;
  bool is_executable;
  bool is_private;
  const char* path;  // NUL-terminated, "" for anonymous, "[vdso]" and the like as the kernel spells them; valid in the call
};

// return false to stop.
using MappingVisitor = bool (*)(void* cookie, const Mapping& mapping);

// Calls visit per mapping in address order.
Status ForEachMapping(MappingVisitor visit, void* cookie);

// Anonymous zeroed read-write memory, page-aligned; nullptr on failure. Wiped in a forked child when wipe_on_fork.
void* MapMemory(uint64_t bytes, bool wipe_on_fork);
void UnmapMemory(void* memory, uint64_t bytes);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_MEMORY_MAP_H_
