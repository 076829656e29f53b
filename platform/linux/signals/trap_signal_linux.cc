// SIGTRAP by raw rt_sigaction, and forwarding to the previous handler.
//
// The previous handler can distinguish forwarding from a delivery by the kernel in two ways only: it runs on the
// alternate stack if the thread has one (SA_ONSTACK), and an interrupted system call is restarted (SA_RESTART). It
// takes the place of ours, in the frame that the kernel has made, so backtraces, exceptions and pthread_exit find
// nothing of ours between it and the program.
#include <asm/unistd.h>

#include <atomic>

#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/file.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/sampling/perf_event_linux.h"
#include "platform/linux/signals/pending_signals.h"
#include "platform/linux/signals/signal_frame.h"
#include "platform/linux/signals/trap_actions.h"
#include "platform/safe_read.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

SOFTLBR_CONSTINIT std::atomic<TrapCallback> g_callback{nullptr};
SOFTLBR_CONSTINIT std::atomic<uint32_t> g_lock{0};

// Whoever takes the lock has every signal blocked, so a handler never waits for the code it interrupted. A holder can
// therefore only be preempted, or missing because the process forked: after kMostTurns the lock is taken over.
void TakeLock() {
  constexpr uint32_t kMostTurns = 10000;
  for (uint32_t turn = 0; turn < kMostTurns && g_lock.exchange(1, std::memory_order_acquire) != 0; ++turn) {
    SysCall(__NR_sched_yield);
  }
}
void ReleaseLock() { g_lock.store(0, std::memory_order_release); }

// action may be null: then only reads the present one.
long SetAction(const KernelSigaction* action, KernelSigaction* previous) {
  return SysCall(__NR_rt_sigaction, kSigTrap, reinterpret_cast<long>(action), reinterpret_cast<long>(previous),
                 kSignalSetBytes);
}

void SetMask(uint64_t mask) {
  SysCall(__NR_rt_sigprocmask, kSigSetMask, reinterpret_cast<long>(&mask), 0, kSignalSetBytes);
}

// Default action: queues the same signal again for this thread. It is blocked now. When we return, the interrupted mask
// is restored, the program counter is the trapping one, and the process dies of SIGTRAP there.
void DieOf(const KernelTrapInfo* info) {
  KernelSigaction action = {};
  action.handler = kSigDefault;
  SetAction(&action, nullptr);
  const long process = CurrentProcessId();
  const long thread = CurrentThreadId();
  const long result = SysCall(__NR_rt_tgsigqueueinfo, process, thread, kSigTrap, reinterpret_cast<long>(info));
  if (result != 0) SysCall(__NR_tgkill, process, thread, kSigTrap);
}

using Handler = void (*)(int, KernelTrapInfo*, void*);

// Does what precedes a handler of the program. Returns that handler, which gets all three arguments though it may use
// only the first; nullptr: there is none to call.
Handler PassOn(const KernelTrapInfo* info, void* ucontext) {
  TakeLock();
  const KernelSigaction previous = g_app_trap_action;
  const bool is_called = previous.handler != kSigDefault && previous.handler != kSigIgnore;
  if (is_called && (previous.flags & kSaResetHand) != 0) g_app_trap_action.handler = kSigDefault;
  ReleaseLock();
  if (previous.handler == kSigIgnore && info->code <= 0) return nullptr;  // sent by a process or thread: ignored
  if (!is_called) {
    DieOf(info);  // a trap raised by the CPU kills even if SIGTRAP is ignored
    return nullptr;
  }
  uint64_t mask = FrameSignalMask(ucontext) | previous.mask;
  if ((previous.flags & kSaNoDefer) == 0) mask |= kSigTrapBit;
  SetMask(mask);
  return reinterpret_cast<Handler>(previous.handler);
}

// The beginning of every ucontext.
struct FrameHead {
  uint64_t flags;
  uint64_t link;
  uint64_t stack_begin;  // the thread's alternate stack; stack_bytes is 0 if there is none
  uint64_t stack_flags;
  uint64_t stack_bytes;
};

// On an alternate stack, compares with its bounds. On the thread's own stack, probes the pages below: a guard page
// cannot be read, and a main thread's stack grows when probed.
bool IsStackShort(const void* ucontext) {
  const auto* head = static_cast<const FrameHead*>(ucontext);
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const uint64_t left = here - head->stack_begin;
  if (left < head->stack_bytes) return left < kHandlerStackBytes;
  constexpr uint64_t kGuardBytes = 4096;  // the smallest page: a longer step could skip a guard page
  for (uint64_t below = kGuardBytes; below <= kHandlerStackBytes; below += kGuardBytes) {
    if (!IsReadable(here - below)) return true;
  }
  return false;
}

// The handler of the program that is to follow; nullptr: the trap was ours, or is dealt with.
SOFTLBR_NOINLINE Handler HandleTrap(const KernelTrapInfo* info, void* ucontext) {
  const uint64_t cpu_state = EnterCpuState();
  Trap trap = {};
  trap.pc = FramePc(ucontext);
  trap.sp = FrameSp(ucontext);
  trap.ucontext = ucontext;
  if (info->code == kTrapPerf) {
    trap.kind = info->perf_type == PERF_TYPE_BREAKPOINT ? TrapKind::kBreakpoint : TrapKind::kSample;
    trap.is_asynchronous = (info->perf_flags & kTrapPerfFlagAsync) != 0;
    trap.sig_data = info->data;
  } else if (info->code == kSiTimer) {
    trap.kind = TrapKind::kSample;
    trap.sig_data = info->data;
  } else if (info->code > 0) {
    trap.kind = TrapKind::kUnmarked;
    trap.raised_by_program = FrameTrapOrigin(info->code, ucontext);
    trap.raised_pc = info->code == kSiKernel ? trap.pc : info->address;  // the kernel gives no address with SI_KERNEL
  }
  trap.is_stack_short = IsStackShort(ucontext);
  const bool were_ticks_forbidden = AllowTicks();
  const TrapCallback callback = g_callback.load(std::memory_order_acquire);
  const bool is_ours = callback != nullptr && callback(trap);
  if (were_ticks_forbidden) ForbidTicks();
  if (is_ours) return nullptr;
  LeaveCpuState(cpu_state);
  return PassOn(info, ucontext);
}

// The call at its end is a jump, because no variable of this function has an address: the test of a handler's backtrace
// sees to it.
SOFTLBR_HANDLER_SAFE void OnTrap(int signal, KernelTrapInfo* info, void* ucontext) {
  const Handler of_program = HandleTrap(info, ucontext);
  if (of_program != nullptr) of_program(signal, info, ucontext);
}

// Flags of our action by which another copy of the runtime in this process recognises it. For SIGTRAP they mean
// nothing.
constexpr uint64_t kRuntimeFlags = kSaNoChildStop | kSaNoChildWait;

void AddRestorer(KernelSigaction* action) {
  if ((action->flags & kSaRestorer) != 0 || action->handler <= kSigIgnore) return;
  action->restorer = SignalRestorer();
  if (action->restorer != 0) action->flags |= kSaRestorer;
}

bool IsOurs(const KernelSigaction& action) {
  return action.handler == reinterpret_cast<uint64_t>(&OnTrap) ||
         (action.handler == kSigIgnore && g_trap_loans.load(std::memory_order_relaxed) != 0);
}

}  // namespace

SOFTLBR_CONSTINIT KernelSigaction g_app_trap_action{};
SOFTLBR_CONSTINIT int32_t g_trap_process = 0;
SOFTLBR_CONSTINIT std::atomic<uint32_t> g_trap_loans{0};

LockedTrapActions::LockedTrapActions() {
  const uint64_t all = kAllSignals;
  SysCall(__NR_rt_sigprocmask, kSigSetMask, reinterpret_cast<long>(&all), reinterpret_cast<long>(&mask_),
          kSignalSetBytes);
  TakeLock();
}

LockedTrapActions::~LockedTrapActions() {
  ReleaseLock();
  SetMask(mask_);
}

Status InstallTrapHandler(TrapCallback callback) {
  InitCpuContext();
  LearnPageBytes();
  return InstallAlarmHandler(callback);
}

Status InstallAlarmHandler(TrapCallback callback) {
  KernelSigaction present = {};
  (void)SetAction(nullptr, &present);
  if (!IsOurs(present) && (present.flags & kRuntimeFlags) == kRuntimeFlags) return Status::kOtherRuntime;
  const LockedTrapActions locked;
  g_trap_process = CurrentProcessId();
  g_callback.store(callback, std::memory_order_release);

  KernelSigaction action = {};
  action.handler = reinterpret_cast<uint64_t>(&OnTrap);
  action.flags = kSaSigInfo | kSaOnStack | kSaRestart | kRuntimeFlags;
  AddRestorer(&action);
  action.mask = kAllSignals;
  KernelSigaction replaced = {};
  if (SetAction(&action, &replaced) != 0) return Status::kSystemError;
  // If our handler was already installed (second session, forked child), the app's action is known. PassOn waits for
  // the lock.
  if (!IsOurs(replaced)) g_app_trap_action = replaced;
  return Status::kOk;
}

void RestoreTrapHandler(bool are_threads_back) {
  if (!IsTrapHandlerInstalled()) return;
  // Under the default action a late SIGTRAP would kill the process: one that is about to be raised, or one that is
  // pending because it is blocked.
  if ((!are_threads_back && !WaitForLateSignals()) || IsSignalPendingAnywhere(kSigTrapBit)) return;
  const LockedTrapActions locked;
  SetAction(&g_app_trap_action, nullptr);
  g_trap_loans.store(0, std::memory_order_relaxed);
}

void SetTrapSignalBlocked(bool is_blocked) {
  uint64_t mask = 0;
  SysCall(__NR_rt_sigprocmask, kSigSetMask, 0, reinterpret_cast<long>(&mask), kSignalSetBytes);
  SetMask(is_blocked ? mask | kSigTrapBit : mask & ~kSigTrapBit);
}

bool IsSignalDue(const void* ucontext) {
  uint64_t pending = 0;
  SysCall(__NR_rt_sigpending, reinterpret_cast<long>(&pending), kSignalSetBytes);
  return (pending & ~FrameSignalMask(const_cast<void*>(ucontext)) & ~kSigTrapBit) != 0;
}

bool DoesFrameBlockTraps(const void* ucontext) { return (FrameSignalMask(ucontext) & kSigTrapBit) != 0; }

bool MayBlockTraps(uint32_t system_call) { return system_call == __NR_rt_sigprocmask; }

long ExchangeAppTrapAction(const TrapAction* wish, TrapAction* previous) {
  KernelSigaction action;
  if (wish != nullptr) {  // copied before *previous is written, which may be the same
    action = *wish;
    AddRestorer(&action);
  }
  const LockedTrapActions locked;
  KernelSigaction present;
  const long result = SetAction(nullptr, &present);
  if (result != 0) return result;
  KernelSigaction* const of_app = IsOurs(present) ? &g_app_trap_action : &present;
  if (previous != nullptr) *previous = *of_app;
  if (wish == nullptr) return 0;
  if (of_app == &present || g_trap_process != CurrentProcessId()) return SetAction(&action, nullptr);
  *of_app = action;
  return 0;
}

bool IsTrapHandlerInstalled() {
  KernelSigaction present = {};
  return SetAction(nullptr, &present) == 0 && IsOurs(present);
}

}  // namespace softlbr::platform
