// Trace buffers on their way: free pool -> a thread -> filled queue -> control thread -> free pool.
//
// Free pool: a liburcu lock-free stack. Pushed by the control thread, popped by signal handlers of any thread. A lock-free pop is
//   open to ABA when several pop at once, so a one-word try-lock admits one popper at a time; who does not get it within
//   kPopAttempts tries again at its next sample. Nobody ever waits.
// Filled queue: a liburcu wait-free queue. Pushed by handlers (one exchange), drained by the control thread alone.
// Memory: the buffers are the session's; nothing is allocated. Beside two for each thread there are kSpareBuffers, so that the
//   control thread may let filled ones wait a while (runtime/session/buffer_drain.h).
// Full: no free buffer means the trace is not begun and no_free_buffer is counted.
#ifndef SOFTLBR_RUNTIME_THREADS_BUFFER_POOL_H_
#define SOFTLBR_RUNTIME_THREADS_BUFFER_POOL_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "runtime/threads/trace_buffer.h"

namespace softlbr {

// Room for liburcu's heads, so that its headers stay in buffer_pool.cc (sizes are checked there).
struct BufferPool {
  alignas(64) void* free_head[4];
  alignas(64) void* filled_head[4];
  alignas(64) void* filled_tail[4];
  alignas(64) std::atomic<uint32_t> pop_lock;
  std::atomic<uint32_t> free_count;  // buffers in the free pool, give or take those on their way
};

// Control, before any other call.
void InitBufferPool(BufferPool* pool);
// Control.
void PutFreeBuffer(BufferPool* pool, TraceBuffer* buffer);
// nullptr when empty or contended. The buffer comes back empty.
SOFTLBR_HANDLER_SAFE TraceBuffer* TakeFreeBuffer(BufferPool* pool);
// Never waits.
SOFTLBR_HANDLER_SAFE void QueueFilledBuffer(BufferPool* pool, TraceBuffer* buffer);
// True if filled buffers should be folded at once.
SOFTLBR_HANDLER_SAFE inline bool AreFreeBuffersFew(const BufferPool& pool) {
  return pool.free_count.load(std::memory_order_relaxed) <= kFewFreeBuffers;
}
// Control thread only. nullptr when empty (or when a push is just under way: it is there the next time).
TraceBuffer* TakeFilledBuffer(BufferPool* pool);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_THREADS_BUFFER_POOL_H_
