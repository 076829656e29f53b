// The cycle of a trace buffer: free pool -> a thread, for one trace -> free pool, or filled queue -> control thread ->
// free pool.
//
// Free pool: a liburcu lock-free stack of buffers with room for another trace. Pushed by the control thread and by
//   signal handlers of any thread, popped mostly by handlers. A lock-free pop is open to ABA when several threads pop
//   at once, so a one-word try-lock admits one popper at a time. A handler that does not get it within kPopAttempts
//   tries again at its next sample. Nobody ever waits: a push is repeated only if another thread's push or pop
//   succeeded meanwhile. The buffer put back last is taken first and threads that sleep hold none, so few buffers are
//   in use.
// Filled queue: a liburcu wait-free queue. Pushed by handlers (one exchange), drained by the control thread alone.
// Memory: the buffers are the session's; nothing is allocated. More join the pool as they are needed
// (runtime/watch/buffer_drain.h). Full: without a free buffer the trace is not begun and no_free_buffer is counted.
#ifndef SOFTLBR_RUNTIME_THREADS_BUFFER_POOL_H_
#define SOFTLBR_RUNTIME_THREADS_BUFFER_POOL_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "runtime/threads/trace_buffer.h"

namespace softlbr {

// Room for liburcu's heads, so that only buffer_pool.cc includes its headers (and checks the sizes).
struct BufferPool {
  alignas(64) void* free_head[4];
  alignas(64) void* filled_head[4];
  alignas(64) void* filled_tail[4];
  alignas(64) std::atomic<uint32_t> pop_lock;
  std::atomic<uint32_t> free_count;  // buffers in the free pool; inexact while one is pushed or popped
};

// Control, before any other call.
void InitBufferPool(BufferPool* pool);
// Control. Empties the buffer first.
void PutFreeBuffer(BufferPool* pool, TraceBuffer* buffer);
// Puts a buffer with room for another trace back as it is. The next thread that takes a buffer gets this one.
SOFTLBR_HANDLER_SAFE void PutBackBuffer(BufferPool* pool, TraceBuffer* buffer);
// nullptr when empty or contended. The buffer may hold traces.
SOFTLBR_HANDLER_SAFE TraceBuffer* TakeFreeBuffer(BufferPool* pool);
// Never waits.
SOFTLBR_HANDLER_SAFE void QueueFilledBuffer(BufferPool* pool, TraceBuffer* buffer);
// True if the control thread should add buffers, or drain the filled queue.
SOFTLBR_HANDLER_SAFE inline bool AreFreeBuffersFew(const BufferPool& pool) {
  return pool.free_count.load(std::memory_order_relaxed) <= kFewFreeBuffers;
}
// Control thread only. nullptr when empty, or while a push is under way: the next call finds that buffer.
TraceBuffer* TakeFilledBuffer(BufferPool* pool);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_THREADS_BUFFER_POOL_H_
