#include "runtime/trace/open_trace.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

uint64_t NextRandom(ThreadSlot* slot) {
  uint64_t x = slot->random_state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return slot->random_state = x;
}

// Between 3/4 and 5/4 of the period, odd, so that sampling cannot lock onto a loop of the program.
uint64_t RandomPeriod(ThreadSlot* slot, uint64_t period) {
  const uint64_t half = period / 2;
  if (half == 0) return period;
  return (period - half / 2 + NextRandom(slot) % half) | 1;
}

}  // namespace

bool TakeBuffer(TraceEnvironment* environment, ThreadSlot* slot) {
  const uint32_t generation = environment->module_generation.load(std::memory_order_acquire);
  for (uint32_t attempt = 0; attempt < kBufferAttempts; ++attempt) {
    TraceBuffer* buffer = TakeFreeBuffer(&environment->pool);
    if (buffer == nullptr) break;
    if (buffer->used == 0) buffer->generation = generation;
    if (buffer->generation == generation) {
      slot->buffer = buffer;
      return true;
    }
    QueueFilledBuffer(&environment->pool, buffer);
  }
  WakeControlThread(environment);
  return false;
}

void OpenTrace(ThreadSlot* slot, uint64_t pc, uint32_t branches) {
  slot->buffer->BeginTrace(pc, static_cast<uint32_t>(slot->tid));
  slot->branch_limit = branches;
  slot->trace_instructions = 0;
  slot->is_trace_open = true;
}

void CloseTrace(ThreadSlot* slot, AbortReason reason) {
  if (slot->is_verifying) {
    // The trace was full when its verification began, so it is complete even if the verification did not take place.
    if (reason != AbortReason::kNone) Add(slot->counters.verify_unreached, 1);
    reason = AbortReason::kNone;
    slot->is_verifying = false;
  }
  Add(slot->counters.taken_branches, slot->buffer->open_count);
  Add(slot->counters.instructions_evaluated, slot->trace_instructions);
  slot->buffer->CommitTrace(reason);
  slot->is_trace_open = false;
  if (reason == AbortReason::kNone) {
    Add(slot->counters.traces_complete, 1);
    if (slot->trace_hits == 0) Add(slot->counters.traces_without_hit, 1);
  } else {
    Add(slot->counters.traces_aborted[static_cast<uint32_t>(reason)], 1);
  }
}

void ReleaseBuffer(TraceEnvironment* environment, ThreadSlot* slot) {
  TraceBuffer* buffer = slot->buffer;
  slot->buffer = nullptr;  // first: if the thread ends in between, the buffer has no owner, but never two
  if (buffer->HasRoomFor(environment->entries_per_trace)) {
    PutBackBuffer(&environment->pool, buffer);
    return;
  }
  QueueFilledBuffer(&environment->pool, buffer);
  if (AreFreeBuffersFew(environment->pool)) WakeControlThread(environment);
}

bool StopSampling(ThreadSlot* slot) {
  if (!slot->is_sampler_on) return true;
  slot->is_sampler_on = platform::DisableSampler(slot->sampler) != Status::kOk;
  if (slot->is_sampler_on) slot->requests.fetch_or(kEndTraceForMe, std::memory_order_relaxed);
  return !slot->is_sampler_on;
}

void ResumeSampling(TraceEnvironment* environment, ThreadSlot* slot) {
  if (environment->sampling_disabled.load(std::memory_order_relaxed) != 0) {
    (void)StopSampling(slot);
    return;
  }
  Status status = Status::kOk;
  uint64_t period = environment->period.load(std::memory_order_relaxed);
  if (environment->is_period_random) period = RandomPeriod(slot, period);
  if (period != slot->sampler.period) status = platform::SetSamplerPeriod(&slot->sampler, period);
  if (status == Status::kOk && !slot->is_sampler_on) {
    status = platform::EnableSampler(slot->sampler);
    slot->is_sampler_on = status == Status::kOk;
  }
  if (status != Status::kOk) slot->requests.fetch_or(kEndTraceForMe, std::memory_order_relaxed);
}

}  // namespace softlbr
