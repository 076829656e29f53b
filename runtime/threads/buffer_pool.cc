#include "runtime/threads/buffer_pool.h"

#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>

#include "platform/base/limits.h"
#include "platform/base/thread_sanitizer.h"

namespace softlbr {
namespace {

static_assert(sizeof(__cds_lfs_stack) <= sizeof(BufferPool::free_head), "grow BufferPool::free_head");
static_assert(sizeof(__cds_wfcq_head) <= sizeof(BufferPool::filled_head), "grow BufferPool::filled_head");
static_assert(sizeof(cds_wfcq_tail) <= sizeof(BufferPool::filled_tail), "grow BufferPool::filled_tail");
static_assert(sizeof(cds_lfs_node) <= sizeof(TraceBuffer::queue_link), "grow TraceBuffer::queue_link");
static_assert(sizeof(cds_wfcq_node) <= sizeof(TraceBuffer::queue_link), "grow TraceBuffer::queue_link");

__cds_lfs_stack* FreeStack(BufferPool* pool) { return reinterpret_cast<__cds_lfs_stack*>(pool->free_head); }
__cds_wfcq_head* FilledHead(BufferPool* pool) { return reinterpret_cast<__cds_wfcq_head*>(pool->filled_head); }
cds_wfcq_tail* FilledTail(BufferPool* pool) { return reinterpret_cast<cds_wfcq_tail*>(pool->filled_tail); }
static_assert(offsetof(TraceBuffer, queue_link) == 0, "a node's address is its buffer's");

}  // namespace

void InitBufferPool(BufferPool* pool) {
  __cds_lfs_init(FreeStack(pool));
  __cds_wfcq_init(FilledHead(pool), FilledTail(pool));
  pool->pop_lock.store(0, std::memory_order_relaxed);
  pool->free_count.store(0, std::memory_order_relaxed);
}

void PutFreeBuffer(BufferPool* pool, TraceBuffer* buffer) {
  buffer->used = 0;
  buffer->open_count = 0;
  PutBackBuffer(pool, buffer);
}

void PutBackBuffer(BufferPool* pool, TraceBuffer* buffer) {
  auto* node = reinterpret_cast<cds_lfs_node*>(buffer->queue_link);
  cds_lfs_node_init(node);
  cds_lfs_stack_ptr_t stack;
  stack._s = FreeStack(pool);
  SOFTLBR_HANDS_OVER(buffer);
  cds_lfs_push(stack, node);
  pool->free_count.fetch_add(1, std::memory_order_relaxed);
}

TraceBuffer* TakeFreeBuffer(BufferPool* pool) {
  cds_lfs_stack_ptr_t stack;
  stack._s = FreeStack(pool);
  for (uint32_t attempt = 0; attempt < kPopAttempts; ++attempt) {
    if (pool->pop_lock.exchange(1, std::memory_order_acquire) != 0) continue;
    cds_lfs_node* node = __cds_lfs_pop(stack);
    pool->pop_lock.store(0, std::memory_order_release);
    auto* buffer = reinterpret_cast<TraceBuffer*>(node);
    if (buffer != nullptr) {
      SOFTLBR_TAKES_OVER(buffer);
      pool->free_count.fetch_sub(1, std::memory_order_relaxed);
    }
    return buffer;
  }
  return nullptr;
}

void QueueFilledBuffer(BufferPool* pool, TraceBuffer* buffer) {
  auto* node = reinterpret_cast<cds_wfcq_node*>(buffer->queue_link);
  cds_wfcq_node_init(node);
  cds_wfcq_head_ptr_t head;
  head._h = FilledHead(pool);
  SOFTLBR_HANDS_OVER(buffer);
  cds_wfcq_enqueue(head, FilledTail(pool), node);
}

TraceBuffer* TakeFilledBuffer(BufferPool* pool) {
  cds_wfcq_head_ptr_t head;
  head._h = FilledHead(pool);
  cds_wfcq_node* node = __cds_wfcq_dequeue_nonblocking(head, FilledTail(pool));
  if (node == nullptr || node == CDS_WFCQ_WOULDBLOCK) return nullptr;
  SOFTLBR_TAKES_OVER(node);
  return reinterpret_cast<TraceBuffer*>(node);
}

}  // namespace softlbr
