// Interposes ptrace, for a forked child that makes its parent its tracer: no session starts in it any more.
//
// Why: the alarm that starts a session (forked_child.h) is a trap, and would stop the child, which its tracer would
// see.
// Who calls: the program, from any thread.
// Not covered: system call instructions of the program's own, and syscall(); a child that is traced later, once it is
//   recorded, whose sampling pauses when the control thread sees the tracer (sampling_guard.h).
#include "runtime/interpose/traced_child.h"

#include <stdarg.h>

#include "platform/base/attributes.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/forked_child.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<long(int, ...)> g_ptrace("ptrace");

}  // namespace

void LearnPtrace() { g_ptrace.Learn(); }

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT long ptrace(int request, ...) {
  constexpr int kTraceMe = 0;
  va_list list;
  va_start(list, request);
  const long pid = va_arg(list, long);
  const long address = va_arg(list, long);
  const long data = va_arg(list, long);
  va_end(list);
  if (request == kTraceMe) softlbr::CloseForkAlarm();
  return softlbr::g_ptrace.Get()(request, pid, address, data);
}
