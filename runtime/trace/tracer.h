// Algorithm 1 of the paper: from a sample, follow the program forward and record its taken branches.
//
// Who calls: OnSample and OnHit in the SIGTRAP handler of the slot's own thread (handler-safe); AbandonTrace and
//   ReleaseSlotTrace on the control thread while it owns the slot.
// One mechanism: both entries make the true state known (LoadMachineContext), then Advance runs blocks until the trace is
//   full, a value is UNKNOWN (a breakpoint is armed there), or the path cannot be followed (the trace ends with a reason).
// Cost: a few ns per instruction evaluated; 1 to 2 us of system calls for a sample; one breakpoint hit (10 us and more in a
//   guest) per stop.
#ifndef SOFTLBR_RUNTIME_TRACE_TRACER_H_
#define SOFTLBR_RUNTIME_TRACE_TRACER_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/trap_signal.h"
#include "runtime/blocks/block_cache.h"
#include "runtime/modules/code_map.h"
#include "runtime/threads/buffer_pool.h"
#include "runtime/threads/thread_slot.h"
#include "runtime/trace/restartable.h"

namespace softlbr {

// Why nothing may raise SIGTRAP at present.
enum DisableReason : uint32_t {
  kDisabledHandlerReplaced = 1,  // the app's own handler would get our traps; for good
  kDisabledDebugger = 2,         // a debugger would stop at each, and keep it
};

// What all threads of a session share. Fixed after start but for the atomics.
struct TraceEnvironment {
  BufferPool pool;
  ScratchPool scratch_states;
  BlockCache* cache;
  const softlbr_decoder_plugin* plugin;
  softlbr_decoder* decoder;
  std::atomic<const CodeMap*> code_map;
  AddressRange forbidden[kMaxForbiddenRanges];
  uint32_t forbidden_count;
  LearnedPcs learned;
  uint32_t branches_per_trace;
  uint32_t entries_per_trace;  // room that a buffer must have for one: it may fall into several (restartable.h)
  ResolvePolicy resolve;
  bool is_period_random;
  std::atomic<uint64_t> period;             // the control thread adjusts it to hold a frequency
  uint64_t verify_every;                    // one trace in so many is verified
  std::atomic<uint32_t> module_generation;  // of the module table
  std::atomic<uint32_t> sampling_disabled;  // DisableReason bits; not 0: no sampler and no breakpoint is turned on
  std::atomic<uint32_t> must_guard;         // another thread may unmap what is read (lookahead/guarded_read.h)
  std::atomic<uint32_t> modules_wanted;     // a handler met code of no known module
  std::atomic<uint32_t> filled_signal;      // grows with every wish of a handler; the control thread sleeps on it
};

// sig_data of our events: who and which arming.
inline constexpr uint64_t kSigDataMagic = 0x51b7ull << 48;
SOFTLBR_HANDLER_SAFE inline uint64_t MakeSigData(uint32_t slot, uint32_t generation) {
  return kSigDataMagic | static_cast<uint64_t>(slot & 0xffff) << 32 | generation;
}
SOFTLBR_HANDLER_SAFE inline bool IsOurSigData(uint64_t sig_data) { return (sig_data & 0xffffull << 48) == kSigDataMagic; }
SOFTLBR_HANDLER_SAFE inline uint32_t SlotOfSigData(uint64_t sig_data) { return static_cast<uint32_t>(sig_data >> 32) & 0xffff; }
SOFTLBR_HANDLER_SAFE inline uint32_t GenerationOfSigData(uint64_t sig_data) { return static_cast<uint32_t>(sig_data); }

SOFTLBR_HANDLER_SAFE void OnSample(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap);
SOFTLBR_HANDLER_SAFE void OnHit(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap);

// Ends an open trace from outside and, unless the thread is gone or the session stops, re-arms its sampler.
void AbandonTrace(TraceEnvironment* environment, ThreadSlot* slot, AbortReason reason, bool resume_sampling);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_TRACER_H_
