// Probes whether memory is readable, and reads it through the kernel.
#include <asm/auxvec.h>
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/auxvec.h>

#include <atomic>

#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/linux/auxiliary_vector.h"
#include "platform/linux/kernel_abi.h"
#include "platform/safe_read.h"
#include "platform/syscall.h"
#include "platform/thread.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

constexpr uint64_t kSmallestPageBytes = 4096;
constexpr int kInvalidHow = -1;

SOFTLBR_CONSTINIT std::atomic<uint64_t> g_page_bytes{0};  // 0: not learned

// For kernels and sandboxes without process_vm_readv. Another thread can unmap the page between probe and copy.
SOFTLBR_COLD Status ProbeAndCopy(uint64_t address, void* output, uint64_t bytes) {
  char* to = static_cast<char*>(output);
  while (bytes != 0) {
    const uint64_t left_on_page = kSmallestPageBytes - address % kSmallestPageBytes;
    const uint64_t step = bytes < left_on_page ? bytes : left_on_page;
    if (!IsReadable(address)) return Status::kUnreadable;
    CopyBytes(to, reinterpret_cast<const void*>(address), step);
    to += step;
    address += step;
    bytes -= step;
  }
  return Status::kOk;
}

}  // namespace

bool IsReadable(uint64_t address) {
  // The kernel reads the new mask from that address before it checks `how`: the result is EFAULT or EINVAL, and nothing
  // changes.
  const long aligned = static_cast<long>(address & ~uint64_t{7});
  return SysCall(__NR_rt_sigprocmask, kInvalidHow, aligned, 0, kSignalSetBytes) == -EINVAL && aligned != 0;
}

SOFTLBR_COLD Status CopyChunks(const MemoryChunk* chunks, uint32_t count, void* output, uint64_t bytes) {
  // By thread id: the process id names the main thread, which has no memory any more once it has ended.
  const MemoryChunk to = {reinterpret_cast<uint64_t>(output), bytes};
  const long result = SysCall(__NR_process_vm_readv, CurrentThreadId(), reinterpret_cast<long>(&to), 1,
                              reinterpret_cast<long>(chunks), count, 0);
  if (SOFTLBR_LIKELY(result == static_cast<long>(bytes))) return Status::kOk;
  return result >= 0 || result == -EFAULT ? Status::kUnreadable : Status::kUnsupported;
}

SOFTLBR_COLD Status CopyFrom(uint64_t address, void* output, uint64_t bytes) {
  const MemoryChunk chunk = {address, bytes};
  return CopyReadable(CurrentThreadId(), &chunk, 1, output, bytes) == bytes ? Status::kOk : Status::kUnreadable;
}

uint64_t CopyReadable(int32_t self, const MemoryChunk* chunks, uint32_t count, void* output, uint64_t bytes) {
  const MemoryChunk to = {reinterpret_cast<uint64_t>(output), bytes};
  const long from = reinterpret_cast<long>(chunks);
  const long result =
      count == 1 ? SysCall(__NR_process_vm_readv, self, reinterpret_cast<long>(&to), 1, from, 1, 0)
                 // Writes to our own memory. Reading the chunks costs a tenth of what it costs process_vm_readv, which
                 // pins each page.
                 : SysCall(__NR_process_vm_writev, self, from, count, reinterpret_cast<long>(&to), 1, 0);
  if (count != 1) return result > 0 ? static_cast<uint64_t>(result) : 0;
  if (SOFTLBR_LIKELY(result == static_cast<long>(bytes))) return bytes;
  if (result >= 0 || result == -EFAULT) return 0;
  return ProbeAndCopy(chunks->begin, output, bytes) == Status::kOk ? bytes : 0;
}

uint64_t PageBytes() {
  const uint64_t bytes = g_page_bytes.load(std::memory_order_relaxed);
  return SOFTLBR_LIKELY(bytes != 0) ? bytes : kSmallestPageBytes;
}

uint64_t LearnPageBytes() {
  uint64_t bytes = g_page_bytes.load(std::memory_order_relaxed);
  if (bytes != 0) return bytes;
  bytes = AuxiliaryValue(AT_PAGESZ);
  if (bytes == 0) bytes = kSmallestPageBytes;
  g_page_bytes.store(bytes, std::memory_order_relaxed);
  return bytes;
}

}  // namespace softlbr::platform
