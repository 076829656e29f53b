// The memory mappings of this process, read from /proc without libc, locks or heap.
//
// Context: control. Cost: one read of /proc/thread-self/maps (about 1 us per line). Does not access the mapped memory.
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
  // NUL-terminated; "" for anonymous; "[vdso]" etc. as the kernel spells them; valid during the call only
  const char* path;
};

// Returns false to stop.
using MappingVisitor = bool (*)(void* cookie, const Mapping& mapping);

// Calls visit for each mapping in address order.
Status ForEachMapping(MappingVisitor visit, void* cookie);

// Address of the main program's program headers; 0 if it is not known.
uint64_t MainProgramHeaders();

// Anonymous zeroed read-write memory, page-aligned, left out of core dumps; nullptr on failure. With is_session, a
// forked child has no memory there, and programs that overwrite and restore all their anonymous memory, to test it, do
// not take it for such.
void* MapMemory(uint64_t bytes, bool is_session);
void UnmapMemory(void* memory, uint64_t bytes);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_MEMORY_MAP_H_
