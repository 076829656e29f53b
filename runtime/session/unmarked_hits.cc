#include "runtime/session/unmarked_hits.h"

#include "platform/thread.h"
#include "runtime/session/calibration.h"
#include "runtime/session/session.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

struct ClosedBreakpoint {
  std::atomic<int32_t> tid;
  std::atomic<uint64_t> pc;
};

// Outlives the session. Two writers at once may mix two entries up: then a hit in 10^4 that is also late is not
// recognised.
constexpr uint32_t kClosedBreakpoints = 8;
SOFTLBR_CONSTINIT ClosedBreakpoint g_closed[kClosedBreakpoints]{};
SOFTLBR_CONSTINIT std::atomic<uint32_t> g_next_closed{0};

bool IsOfClosedBreakpoint(uint64_t pc) {
  for (const ClosedBreakpoint& closed : g_closed) {
    if (closed.pc.load(std::memory_order_relaxed) != pc) continue;
    if (closed.tid.load(std::memory_order_relaxed) == platform::CurrentThreadId()) return true;
  }
  return false;
}

}  // namespace

ThreadSlot* FindOwnSlot(Session* session) {
  const int32_t tid = platform::CurrentThreadId();
  const uint32_t used = session->threads.slot_count.load(std::memory_order_acquire);  // at most kMaxThreads
  for (uint32_t i = 0; i < used; ++i) {
    if (__atomic_load_n(&session->threads.slots[i].tid, __ATOMIC_RELAXED) == tid) return &session->threads.slots[i];
  }
  return nullptr;
}

bool IsUnmarkedHit(const ThreadSlot* slot, const platform::Trap& trap) {
  const uint64_t pc = trap.raised_pc;
  if (trap.raised_by_program == platform::RaisedByProgram::kYes || pc == 0) return false;
  const bool is_of_slot = slot != nullptr && (pc == slot->armed_pc || pc == slot->step_pc);
  // The tracer never passes an instruction that raises a trap, so a path that falls through to armed_pc has none there.
  if (trap.raised_by_program == platform::RaisedByProgram::kPerhaps) return is_of_slot && slot->is_armed_inside;
  return is_of_slot || IsCalibrationTarget(pc) || IsOfClosedBreakpoint(pc);
}

void NoteClosedBreakpoint(int32_t tid, uint64_t pc) {
  ClosedBreakpoint& closed = g_closed[g_next_closed.fetch_add(1, std::memory_order_relaxed) % kClosedBreakpoints];
  closed.pc.store(pc, std::memory_order_relaxed);
  closed.tid.store(tid, std::memory_order_relaxed);
}

}  // namespace softlbr
