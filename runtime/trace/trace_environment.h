// What the traces of all threads of a session share.
//
// Writer: the control thread, before it enables the first sampler. After that only the pools, the cache and the atomics
//   change; each field below says who writes it.
// Reader: handlers of all traced threads at once, and the control thread.
// Memory: one in the Session, all zero before start.
#ifndef SOFTLBR_RUNTIME_TRACE_TRACE_ENVIRONMENT_H_
#define SOFTLBR_RUNTIME_TRACE_TRACE_ENVIRONMENT_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/thread.h"
#include "runtime/blocks/block_cache.h"
#include "runtime/lookahead/scratch_state.h"
#include "runtime/modules/code_map.h"
#include "runtime/threads/buffer_pool.h"
#include "runtime/trace/restartable.h"

namespace softlbr {

// Why nothing may raise SIGTRAP at present.
enum DisableReason : uint32_t {
  kDisabledHandlerReplaced = 1,  // the app's own handler would get our traps; permanent
  kDisabledDebugger = 2,         // a debugger would stop at every trap and keep it
};

struct TraceEnvironment {
  BufferPool pool;
  ScratchPool scratch_states;
  BlockCache* cache;
  const softlbr_decoder_plugin* plugin;
  softlbr_decoder* decoder;
  std::atomic<const CodeMap*> code_map;         // the control thread publishes
  AddressRange forbidden[kMaxForbiddenRanges];  // our own code and the decoder's: no breakpoint is armed there
  uint32_t forbidden_count;
  LearnedPcs learned;  // handlers add
  uint32_t branches_per_trace;
  uint32_t entries_per_trace;  // room that a buffer must have for one trace, which critical sections may split (kTraceParts)
  ResolvePolicy resolve;
  bool is_period_random;
  std::atomic<uint64_t> period;             // the control thread adjusts it to hold a frequency
  uint64_t verify_every;                    // one trace in so many is verified
  std::atomic<uint32_t> module_generation;  // of the module table; the control thread counts
  std::atomic<uint32_t>
      sampling_disabled;             // DisableReason bits, handlers and control; if not 0, no sampler and no breakpoint is enabled
  std::atomic<uint32_t> must_guard;  // another thread may unmap what is read (lookahead/memory/guarded_read.h)
  std::atomic<uint32_t> modules_wanted;  // a handler met code of no known module; the control thread clears it
  std::atomic<uint32_t> filled_signal;   // futex on which the control thread sleeps; WakeControlThread adds 1
};

SOFTLBR_HANDLER_SAFE inline void WakeControlThread(TraceEnvironment* environment) {
  environment->filled_signal.fetch_add(1, std::memory_order_release);
  platform::WakeWord(&environment->filled_signal);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_TRACE_ENVIRONMENT_H_
