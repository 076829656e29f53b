// The state of one handler invocation. OnSample and OnHit create one and pass it to the functions that they call.
//
// Memory: on the handler's stack, about 100 bytes. Context: handler of the slot's thread, which owns the slot.
#ifndef SOFTLBR_RUNTIME_TRACE_TRACE_SCOPE_H_
#define SOFTLBR_RUNTIME_TRACE_TRACE_SCOPE_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "runtime/lookahead/scratch_state.h"
#include "runtime/modules/code_map.h"
#include "runtime/threads/thread_slot.h"
#include "runtime/trace/trace_environment.h"

namespace softlbr {

// The handler's time, in ticks, by purpose.
struct Stopwatch {
  uint64_t begin;      // when the handler began
  uint64_t advancing;  // following the path, including the two below
  uint64_t lifting;
  uint64_t arming;
};

// Adds the time between its construction and its destruction to *sum.
class ScopedTimer {
 public:
  explicit ScopedTimer(uint64_t* sum) : sum_(sum), begin_(platform::Ticks()) {}
  SOFTLBR_ALWAYS_INLINE ~ScopedTimer() { *sum_ += platform::Ticks() - begin_; }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  uint64_t* sum_;
  uint64_t begin_;
};

struct TraceScope {
  TraceEnvironment& environment;
  ThreadSlot& slot;
  const platform::Trap& trap;
  Stopwatch watch = {platform::Ticks(), 0, 0, 0};
  bool is_armed = false;                   // this invocation has armed the breakpoint: the trace stays open
  ScratchState* scratch = nullptr;         // taken by TakeScratch
  uint32_t epoch = 0;                      // of the block cache, from EnterBlockCache to LeaveBlockCache
  uint64_t second_pc = 0;                  // pc after the instruction at trap.pc, for StepOver; 0: not known
  AddressRange critical_section = {0, 0};  // where the path stopped, if arming was refused with kCriticalSection
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_TRACE_SCOPE_H_
