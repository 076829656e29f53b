// Reads memory that may not be mapped.
//
// Context: handler-safe. IsReadable: one system call (0.14 us) that faults the page in as a read would. CopyFrom: does
// not fault even if another thread unmaps the memory during the call (1.2 us per call).
#ifndef SOFTLBR_PLATFORM_SAFE_READ_H_
#define SOFTLBR_PLATFORM_SAFE_READ_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct MemoryChunk {  // laid out like struct iovec
  uint64_t begin;
  uint64_t bytes;
};

// True if the 8 bytes at address can be read; ask once per page.
SOFTLBR_HANDLER_SAFE bool IsReadable(uint64_t address);
// Copies `bytes` from address; kUnreadable if any of them cannot be read (output then unspecified).
SOFTLBR_HANDLER_SAFE Status CopyFrom(uint64_t address, void* output, uint64_t bytes);
// Concatenates the chunks, `bytes` in total, into output with one system call (0.4 us per chunk). kUnreadable: some
// chunk cannot be read. kUnsupported: process_vm_readv is not available; nothing was read. Control.
Status CopyChunks(const MemoryChunk* chunks, uint32_t count, void* output, uint64_t bytes);
// Concatenates the chunks, `bytes` in total, into output, up to the first that cannot be read; `self` is the calling
// thread's id. Result: bytes copied. One chunk is copied as by CopyFrom. Several cost 1.2 us plus 0.04 us each
// (process_vm_writev); the kernel reads them as a plain read would, so none may be device memory. 0: that call is not
// available, or the first chunk cannot be read.
SOFTLBR_HANDLER_SAFE uint64_t CopyReadable(int32_t self, const MemoryChunk* chunks, uint32_t count, void* output,
                                           uint64_t bytes);
// The page size of this process. Control: reads a file the first time. InstallTrapHandler calls it too.
uint64_t LearnPageBytes();
// The same for handlers, without a system call: 4096, the smallest page size, until LearnPageBytes has been called.
uint64_t PageBytes();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SAFE_READ_H_
