// The open trace of a thread, from the sample that begins it to its commit.
//
// In the order of events: TakeBuffer, OpenTrace, TraceBuffer::Append for each taken branch, CloseTrace, ReleaseBuffer.
//   The thread's sampler is off from the sample until ResumeSampling, so that no sample falls into an open trace. If
//   the period is long (MaySamplerStayOn), it is turned off only if the trace is still open when the handler ends. This
//   saves system calls: one for each turning off or on, or four where the handler borrows the event
//   (platform/linux/sampling/event_use.h).
// Writer: the slot's owner: its thread in the handler, or the control thread (thread_slot.h). Reader: after the commit
//   the control thread, which gets the buffer when it is full.
// Memory: one trace buffer, which the thread has only while its trace is open. Full: ReleaseBuffer queues it. Without a
//   free one no trace is begun, and the caller counts the loss.
#ifndef SOFTLBR_RUNTIME_TRACE_OPEN_TRACE_H_
#define SOFTLBR_RUNTIME_TRACE_OPEN_TRACE_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/base/reasons.h"
#include "runtime/threads/thread_slot.h"
#include "runtime/trace/trace_environment.h"

namespace softlbr {

// Takes a buffer with room for the longest trace of this session. False: none is free. A buffer holds traces of one
// generation of the module table only, so that the control thread knows which modules its addresses can belong to.
SOFTLBR_HANDLER_SAFE bool TakeBuffer(TraceEnvironment* environment, ThreadSlot* slot);

// Begins a trace of up to `branches` branches at pc in the slot's buffer.
SOFTLBR_HANDLER_SAFE void OpenTrace(ThreadSlot* slot, uint64_t pc, uint32_t branches);

// Commits the open trace and counts it.
SOFTLBR_HANDLER_SAFE void CloseTrace(ThreadSlot* slot, AbortReason reason);

// Gives the buffer back: to the pool if it has room for another trace, else to the filled queue; then it wakes the
// control thread if few buffers are free.
SOFTLBR_HANDLER_SAFE void ReleaseBuffer(TraceEnvironment* environment, ThreadSlot* slot);

// True for a clock's sampler with a long period, which few handlers exceed. False if all periods must be equal, and for
// a timer, whose period begins when it is turned on.
SOFTLBR_HANDLER_SAFE inline bool MaySamplerStayOn(const TraceEnvironment& environment, const ThreadSlot& slot) {
  return environment.is_period_random && slot.sampler.event == platform::SampleEvent::kTaskClock &&
         slot.sampler.period >= kLongPeriodNs;
}

// Disables the thread's sampler. False, with kEndTraceForMe requested, if it cannot be reached.
SOFTLBR_HANDLER_SAFE bool StopSampling(ThreadSlot* slot);

// Enables the thread's sampler, with a new period if periods are random, unless sampling is disabled. If the sampler
// cannot be reached, requests kEndTraceForMe.
SOFTLBR_HANDLER_SAFE void ResumeSampling(TraceEnvironment* environment, ThreadSlot* slot);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_OPEN_TRACE_H_
