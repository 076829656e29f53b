// Reading memory that may not be there.
//
// Context: handler-safe. IsReadable: one system call (0.14 us) that faults the page in like a read would. CopyFrom: never
// faults even if another thread unmaps meanwhile (1.2 us per call).
#ifndef SOFTLBR_PLATFORM_SAFE_READ_H_
#define SOFTLBR_PLATFORM_SAFE_READ_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct MemoryChunk {  // as the kernel's iovec
  uint64_t begin;
  uint64_t bytes;
};

// True if the 8 bytes at address can be read; ask once per page.
SOFTLBR_HANDLER_SAFE bool IsReadable(uint64_t address);
// Copies `bytes` from address; kUnreadable if any of them cannot be read (output then unspecified).
SOFTLBR_HANDLER_SAFE Status CopyFrom(uint64_t address, void* output, uint64_t bytes);
// Copies chunks one behind the other, `bytes` together, in one call (0.4 us a chunk). kUnreadable: some chunk cannot be read.
// kUnsupported: the kernel does not do that here; nothing was read.
SOFTLBR_HANDLER_SAFE Status CopyChunks(const MemoryChunk* chunks, uint32_t count, void* output, uint64_t bytes);
// Size of a page in this process. Control: reads a file the first time. InstallTrapHandler asks too.
uint64_t LearnPageBytes();
// The same for handlers, which open no file: 4096, the smallest there is, until someone has learned it.
uint64_t PageBytes();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SAFE_READ_H_
