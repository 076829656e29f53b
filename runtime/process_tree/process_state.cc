#include "runtime/process_tree/process_state.h"

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/thread.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT std::atomic<bool> g_is_sandboxed{false};
SOFTLBR_CONSTINIT std::atomic<bool> g_has_filter{false};  // one that allows our calls
SOFTLBR_CONSTINIT std::atomic<bool> g_vanishes{false};

}  // namespace

bool IsSandboxed() { return g_is_sandboxed.load(std::memory_order_relaxed); }
void NoteSandbox() { g_is_sandboxed.store(true, std::memory_order_relaxed); }
bool HasSeccompFilter() { return IsSandboxed() || g_has_filter.load(std::memory_order_relaxed); }
void NoteHarmlessFilter() { g_has_filter.store(true, std::memory_order_relaxed); }

void NoteVanishingMemory() {
  g_vanishes.store(true, std::memory_order_relaxed);
  GuardReadsIfMemoryVanishes();
}

void GuardReadsIfMemoryVanishes() {
  if (!g_vanishes.load(std::memory_order_relaxed)) return;
  const SessionUse use;
  Session* session = CurrentSession();
  if (session == nullptr) return;
  session->environment.always_guards.store(1, std::memory_order_seq_cst);  // first: module_refresh.cc reads it last
  session->environment.must_guard.store(1, std::memory_order_seq_cst);
}

}  // namespace softlbr
