// State that the traces of all threads of a session share.
//
// Writer: the start of a session. Once the first sampler is on, only the pools, the cache, `learned` and the atomics
//   change; the comments below say who writes them.
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

// Why no sampler and no breakpoint may be enabled at present.
enum DisableReason : uint32_t {
  kDisabledHandlerReplaced = 1,  // the app's own handler would get our traps; permanent
  kDisabledDebugger = 2,         // a debugger would stop at every trap and consume it
};

// A library was closed: until the modules have been read again, code at its addresses must not be taken for the
// library's.
enum UnloadingState : uint32_t {
  kNothingUnloaded = 0,
  kUnloaded = 1,            // any thread sets it before and after the library is unmapped
  kReadingAfterUnload = 2,  // the control thread: the modules are being read
};

struct TraceEnvironment {
  BlockCache* cache;
  const softlbr_decoder_plugin* plugin;
  softlbr_decoder* decoder;
  std::atomic<const CodeMap*> code_map;  // the control thread publishes
  uint32_t branches_per_trace;
  // buffer entries to reserve for one trace, which critical sections may split (kTraceParts)
  uint32_t entries_per_trace;
  ResolvePolicy resolve;
  bool is_period_random;
  std::atomic<uint64_t> period;             // the control thread adjusts it to hold a frequency
  uint64_t verify_every;                    // one trace in verify_every is verified
  std::atomic<uint32_t> module_generation;  // of the module table; the control thread increments it
  std::atomic<uint32_t> unloading;          // UnloadingState: whether code_map may list code that is gone
  std::atomic<uint32_t> sampling_disabled;  // DisableReason bits; handlers and control write
  // Reads must be guarded (lookahead/memory/guarded_read.h). Set by the control thread, and by functions of a recorded
  // program, which can also keep it set.
  std::atomic<uint32_t> must_guard;
  std::atomic<uint32_t> always_guards;
  // Whether atomic operations are evaluated (tracer.cc). Handlers write; lost updates do no harm.
  std::atomic<int32_t> sampled_tid;          // the thread of the last sample of all
  std::atomic<uint32_t> thread_changes;      // decaying count of how often it was another
  std::atomic<uint32_t> distrust;            // samples left until wrong predictions are forgotten
  std::atomic<uint32_t> modules_wanted;      // a handler met code of no known module; the control thread clears it
  std::atomic<uint32_t> is_control_resting;  // the control thread sleeps for long: whoever arms a breakpoint wakes it
  std::atomic<uint32_t> filled_signal;       // futex on which the control thread sleeps; WakeControlThread adds 1
  ScratchPool scratch_states;
  uint32_t forbidden_count;
  AddressRange
      // our own code and the decoder's: no breakpoint is armed there, and it is not in the profile
      forbidden[kMaxForbiddenRanges];
  LearnedPcs learned;  // handlers add
  BufferPool pool;
};

SOFTLBR_HANDLER_SAFE inline bool IsOwnCode(const TraceEnvironment& environment, uint64_t address) {
  for (uint32_t i = 0; i < environment.forbidden_count; ++i) {  // at most kMaxForbiddenRanges
    if (address >= environment.forbidden[i].begin && address < environment.forbidden[i].end) return true;
  }
  return false;
}

SOFTLBR_HANDLER_SAFE void WakeControlThread(TraceEnvironment* environment);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_TRACE_ENVIRONMENT_H_
