// Interposes prctl, and with syscall_function.cc every call of the libc that installs a seccomp filter, enters strict
// mode, or has the thread's system calls reported to the program itself (PR_SET_SYSCALL_USER_DISPATCH), which counts as
// strict mode.
//
// Why: handlers make system calls. A sandbox that does not allow them kills the program, or passes calls to the
//   program's SIGSYS handler that this does not know.
// How: before the filter is installed, it is run here for each system call that we may make later. If it allows all of
//   them, recording goes on. Else the recording ends here, and its profile is written. From then on our code makes no
//   system call: the samplers are closed, SIGTRAP has the program's action again, and interposed functions go straight
//   to the libc.
// This needs a helper, because filters of the program's threads do not apply to it. Without one, every filter ends the
// recording. A program that waits for triggers (trigger_wait.h) stops waiting before every filter.
// A forked child that enters a sandbox forgets the session, so that our code does not even ask for the process id
// there.
// Who calls: the program, from any thread, also before and after the session.
// Not covered: system call instructions of the program's own; a vforked child that enters a sandbox.
#include "runtime/interpose/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#ifdef SYS_arch_prctl
#include <asm/prctl.h>
#endif

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/handler_exit.h"
#include "platform/safe_read.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "runtime/interpose/own_trap.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/interpose/seccomp_program.h"
#include "runtime/libc/next_function.h"
#include "runtime/libc/program_pointers.h"
#include "runtime/process_tree/forked_child.h"
#include "runtime/process_tree/process_recording.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/process_tree/process_tree.h"
#include "runtime/process_tree/trigger_wait.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(int, ...)> g_prctl("prctl");

constexpr int64_t kAny = kAnyArgument;
constexpr ExpectedCall kOurCalls[] = {
#define SOFTLBR_OUR_CALL(name, ...) {SYS_##name, {__VA_ARGS__}},
#include "runtime/interpose/our_calls.def"
#undef SOFTLBR_OUR_CALL
};

// Calls that the runtime can do without, and that filters against debuggers refuse: reading its own memory through the
// kernel, and borrowing its events from the helper; and timers of the threads.
bool MayBeRefused(const ExpectedCall& call) {
  return call.number == SYS_process_vm_readv || call.number == SYS_process_vm_writev || call.number == SYS_pidfd_open ||
         call.number == SYS_pidfd_getfd || call.number == SYS_timer_create || call.number == SYS_timer_settime ||
         call.number == SYS_timer_delete;
}

// The filter, or nullptr if the kernel will refuse to install it. libseccomp passes such filters to learn what the
// kernel supports.
const sock_fprog* UsableFilter(long filter) {
  const auto* program = reinterpret_cast<const sock_fprog*>(filter);
  if (program == nullptr || !CanRead(program, sizeof *program)) return nullptr;
  if (program->len == 0 || program->len > BPF_MAXINSNS) return nullptr;
  return CanRead(program->filter, program->len * sizeof(sock_filter)) ? program : nullptr;
}

// False if the kernel will refuse a filter because the program has neither set no_new_privs nor CAP_SYS_ADMIN.
bool MayInstallFilter() {
  if (HasSeccompFilter()) return true;  // one was installed; it may forbid these questions
  if (platform::SysCall(SYS_prctl, PR_GET_NO_NEW_PRIVS) == 1) return true;
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (platform::SysCall(SYS_capget, reinterpret_cast<long>(&header), reinterpret_cast<long>(data)) != 0) return true;
  return (data[0].effective >> CAP_SYS_ADMIN & 1) != 0;
}

// True if the filter allows every system call that we may make.
bool IsHarmless(const sock_fprog& program) {
  uint32_t steps_left = 1u << 20;  // some milliseconds
  for (const ExpectedCall& call : kOurCalls) {
    uint32_t answers = FilterAnswers(program.filter, program.len, call, &steps_left);
    if (MayBeRefused(call)) answers &= ~kFilterRefuses;
    if ((answers & ~kFilterAllows) != 0) return false;
  }
  return true;
}

// A handler of SIGTRAP without system calls, for a trap of ours that a thread still blocks.
SOFTLBR_CONSTINIT platform::TrapAction g_late_action{};

void OnLateTrap(int signal_number, siginfo_t* info, void* ucontext) {
  if (IsOwnTrap(*info)) return;
  const platform::TrapAction app = g_late_action;
  if (app.handler == reinterpret_cast<uint64_t>(SIG_IGN)) return;
  if (app.handler != reinterpret_cast<uint64_t>(SIG_DFL)) {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(app.handler)(signal_number, info, ucontext);
    return;
  }
  constexpr long kSignalSetBytes = 8;
  platform::SysCall(SYS_rt_sigaction, SIGTRAP, reinterpret_cast<long>(&app), 0, kSignalSetBytes);
  platform::SysCall(SYS_tgkill, platform::CurrentProcessId(), platform::CurrentThreadId(), SIGTRAP);
}

// Call it when the session has ended. If a trap was pending, the session's handler is still installed.
void ReplaceTrapHandler() {
  constexpr long kSignalSetBytes = 8;
  if (!platform::IsTrapHandlerInstalled()) return;
  platform::TrapAction action{};
  if (platform::ExchangeAppTrapAction(nullptr, &g_late_action) != 0 ||
      platform::SysCall(SYS_rt_sigaction, SIGTRAP, 0, reinterpret_cast<long>(&action), kSignalSetBytes) != 0) {
    return;
  }
  action.handler = reinterpret_cast<uint64_t>(&OnLateTrap);
  platform::SysCall(SYS_rt_sigaction, SIGTRAP, reinterpret_cast<long>(&action), 0, kSignalSetBytes);
}

// In a forked child: forgets the parent's session, whose memory is not there. False in a vforked child, which sees the
// parent's memory and must change nothing.
bool ForgetParentsSession(Session* session) {
  const int32_t owner = g_active_session.process_id.load(std::memory_order_relaxed);
  if (platform::IsReadable(reinterpret_cast<uint64_t>(&session->process_id)) && session->process_id == owner)
    return false;
  g_active_session.session.store(nullptr, std::memory_order_seq_cst);
  platform::RestoreTrapHandler();
  return true;
}

// filter is null for strict mode. other_threads: they enter the sandbox as well.
void BeforeSandbox(const sock_fprog* filter, bool other_threads) {
  if (IsSandboxed()) return;
  CloseForkAlarm();
  Session* const inherited = g_active_session.session.load(std::memory_order_seq_cst);
  Session* const session = CurrentSession();
  if (session == nullptr && inherited != nullptr && !ForgetParentsSession(inherited)) return;
  // The thread that waits for triggers makes system calls that are not in our_calls.def.
  const bool was_waiting = IsWaiting();
  if (session != nullptr || was_waiting) {
    if (!was_waiting && filter != nullptr && session->control.thread.is_helper && IsHarmless(*filter)) {
      NoteHarmlessFilter();
      return;
    }
    EndRecording(RecordState::kSandboxed);
    ReplaceTrapHandler();
    if (other_threads) (void)platform::WaitForHandlersToEnd();
  }
  NoteSandbox();
}

void BeforeFilter(long filter, bool other_threads) {
  if (IsSandboxed()) return;
  const sock_fprog* const program = UsableFilter(filter);
  if (program == nullptr) return;
  const bool has_session = g_active_session.session.load(std::memory_order_relaxed) != nullptr || IsWaiting();
  if (!has_session || MayInstallFilter()) BeforeSandbox(program, other_threads);
}

}  // namespace

bool MayAddCalls() { return !IsSandboxed(); }

void LearnPrctl() { g_prctl.Learn(); }

void BeforeSandboxPrctl(long option, long mode, long filter) {
  constexpr int kSetSyscallUserDispatch = 59, kDispatchOn = 1;  // not in every libc's header
  if (static_cast<int>(option) == kSetSyscallUserDispatch && mode == kDispatchOn) BeforeSandbox(nullptr, false);
  if (static_cast<int>(option) == PR_SET_CHILD_SUBREAPER && mode != 0 && Tree() != nullptr) {
    __atomic_store_n(&Tree()->has_subreaper, 1, __ATOMIC_RELAXED);
  }
  if (static_cast<int>(option) != PR_SET_SECCOMP) return;
  if (mode == SECCOMP_MODE_STRICT) BeforeSandbox(nullptr, false);
  if (mode == SECCOMP_MODE_FILTER) BeforeFilter(filter, false);
}

void BeforeSeccomp(long operation, long flags, long filter) {
  if (operation == SECCOMP_SET_MODE_STRICT && flags == 0 && filter == 0) BeforeSandbox(nullptr, false);
  if (operation == SECCOMP_SET_MODE_FILTER) BeforeFilter(filter, (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
}

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int prctl(int option, ...) SOFTLBR_LIBC_NOTHROW {
  va_list list;
  va_start(list, option);
  const long a = va_arg(list, long);
  const long b = va_arg(list, long);
  const long c = va_arg(list, long);
  const long d = va_arg(list, long);
  va_end(list);
  softlbr::BeforeSandboxPrctl(option, a, b);
  return softlbr::g_prctl.Get()(option, a, b, c, d);
}
