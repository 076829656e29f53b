// What a library that carries the runtime may do differently: each hook is called in the place of the function of its
// name.
//
// The preload library fills them before its first session (runtime/attach/tree_hooks.cc). In libsoftlbr.a they stay as
// they are.
#ifndef SOFTLBR_RUNTIME_SESSION_SESSION_HOOKS_H_
#define SOFTLBR_RUNTIME_SESSION_SESSION_HOOKS_H_

#include <cstdint>

#include "platform/base/sample_event.h"
#include "platform/base/status.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "runtime/session/calibration.h"

namespace softlbr {

struct SessionHooks {
  decltype(&platform::StartRuntimeThread) start_thread;  // on the thread that starts a session
  bool (*dispatch_trap)(const platform::Trap& trap);     // in handlers
  // On the control thread:
  Status (*write_frame)(int fd, const void* data, uint64_t bytes);
  bool (*is_host_gone)();
  TrapCosts (*trap_costs)(platform::SampleEvent event, bool may_use_breakpoints);
  bool reports_unloads;  // no function: whether NoteUnload is called for each dlclose (runtime/watch/module_refresh.h)
};
extern SessionHooks g_session_hooks;

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_HOOKS_H_
