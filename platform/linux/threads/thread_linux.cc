// Threads by raw clone, waits by futex.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/helper.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/sampling/event_use.h"
#include "platform/linux/threads/clone_thread.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/thread_list.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

constexpr uint64_t kSmallestStackBytes = 16384;
constexpr uint64_t kJoinCheckNs = 100000000;
constexpr uint64_t kForever = ~uint64_t{0};

constexpr uint64_t kThreadFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                  CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

// Without CLONE_FS and CLONE_THREAD, which would keep the host from entering namespaces, and without an exit signal.
constexpr uint64_t kHelperFlags =
    CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_UNTRACED | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
// For the process that starts the helper and ends at once; the caller sleeps until then. CLONE_FILES is added only if
// the helper is to share the host's descriptors: it always shares those of the intermediate process.
constexpr uint64_t kIntermediateFlags = (kHelperFlags & ~uint64_t{CLONE_CHILD_CLEARTID | CLONE_FILES}) | CLONE_VFORK;
constexpr uint64_t kIntermediateStackBytes = 8192;

// The new thread's arguments, stored at the end of its stack, above the stack itself.
struct ThreadStart {
  bool is_helper;
  int32_t kept_fd;
  void (*entry)(void*);
  void* argument;
};

void ThreadMain(void* start_record) {
  const auto start = *static_cast<const ThreadStart*>(start_record);
  SysCall(__NR_prctl, PR_SET_NAME, reinterpret_cast<long>("softlbr"));
  if (start.is_helper && !BecomeHelper(start.kept_fd)) return;
  start.entry(start.argument);
}

struct CloneRequest {
  RuntimeThread* thread;
  void* stack_end;
  uint64_t thread_pointer;
  ThreadStart* start;
  long result;  // tid, or negative errno
};

void Clone(void* argument) {
  auto* request = static_cast<CloneRequest*>(argument);
  request->result = CloneThread(request->thread->is_helper ? kHelperFlags : kThreadFlags, request->stack_end,
                                &request->thread->tid, request->thread_pointer, ThreadMain, request->start);
}

// Starts a helper as an orphan, so that no wait of the host's can see it, not even one with __WALL.
void CloneOrphan(CloneRequest* request, uint64_t stack_begin) {
  // An orphan becomes a child of init or of a subreaper, which must not be the host.
  int is_subreaper = 0;
  SysCall(__NR_prctl, PR_GET_CHILD_SUBREAPER, reinterpret_cast<long>(&is_subreaper));
  if (is_subreaper != 0 || CurrentProcessId() == 1) return;
  void* stack_end = reinterpret_cast<void*>((stack_begin + kIntermediateStackBytes) & ~uint64_t{63});
  const uint64_t flags = kIntermediateFlags | (request->thread->kept_fd < 0 ? CLONE_FILES : 0);
  const long pid = CloneThread(flags, stack_end, &request->thread->tid, request->thread_pointer, Clone, request);
  if (pid > 0) SysCall(__NR_wait4, pid, 0, __WALL, 0);
}

}  // namespace

Status StartRuntimeThread(RuntimeThread* thread, void (*entry)(void*), void* argument, void* stack,
                          uint64_t stack_bytes) {
  if (stack_bytes < kSmallestStackBytes) return Status::kInvalidArgument;
  // From high to low addresses: thread area, start record, stack.
  uint64_t end = (reinterpret_cast<uint64_t>(stack) + stack_bytes) & ~uint64_t{63};
  end -= kThreadAreaBytes;
  void* area = reinterpret_cast<void*>(end);
  FillBytes(area, 0, kThreadAreaBytes);
  const uint64_t thread_pointer = PrepareThreadArea(area);
  end -= (sizeof(ThreadStart) + 15) & ~uint64_t{15};
  auto* start = reinterpret_cast<ThreadStart*>(end);
  *start = ThreadStart{thread->is_helper, thread->kept_fd, entry, argument};
  LendEventsOf(thread->is_helper && thread->kept_fd >= 0 ? &thread->tid : nullptr);

  // The new thread inherits the mask. With every signal blocked, the kernel delivers no signal of the app to it.
  const uint64_t all = kAllSignals;
  uint64_t before = 0;
  if (SysCall(__NR_rt_sigprocmask, kSigSetMask, reinterpret_cast<long>(&all), reinterpret_cast<long>(&before),
              kSignalSetBytes) != 0) {
    return Status::kSystemError;
  }
  CloneRequest request{thread, reinterpret_cast<void*>(end), thread_pointer, start, -EPERM};
  if (thread->is_helper) {
    CloneOrphan(&request, reinterpret_cast<uint64_t>(stack));
  } else {
    Clone(&request);
  }
  const long tid = request.result;
  SysCall(__NR_rt_sigprocmask, kSigSetMask, reinterpret_cast<long>(&before), 0, kSignalSetBytes);
  thread->error = static_cast<int32_t>(-tid);
  if (tid < 0) return tid == -EPERM || tid == -ENOSYS ? Status::kPermissionDenied : Status::kSystemError;
  return Status::kOk;
}

void ForgetRuntimeThread() { LendEventsOf(nullptr); }

bool HasHelperEnded(const RuntimeThread& thread) {
  return thread.is_helper && thread.tid.load(std::memory_order_acquire) == 0;
}

void JoinRuntimeThread(RuntimeThread* thread) {
  for (;;) {
    const int32_t tid = thread->tid.load(std::memory_order_acquire);
    if (tid == 0) return;
    // Not a private futex, because the kernel's wake at thread exit is not private. The timeout covers a forked child,
    // which inherits the word but not the thread.
    const KernelTimespec timeout = TimespecOf(kJoinCheckNs);
    const long result =
        SysCall(__NR_futex, reinterpret_cast<long>(&thread->tid), FUTEX_WAIT, tid, reinterpret_cast<long>(&timeout));
    if (result == -ETIMEDOUT && !(thread->is_helper ? IsHelperAlive(tid) : IsThreadAlive(tid))) return;
  }
}

int32_t CurrentThreadId() { return static_cast<int32_t>(SysCall(__NR_gettid)); }
int32_t CurrentProcessId() { return static_cast<int32_t>(SysCall(__NR_getpid)); }

void WaitOnWord(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns) {
  const KernelTimespec timeout = TimespecOf(timeout_ns);
  SysCall(__NR_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, static_cast<long>(expected),
          timeout_ns == kForever ? 0 : reinterpret_cast<long>(&timeout));
}

void WakeWord(const std::atomic<uint32_t>* word) {
  constexpr long kAll = 0x7fffffff;
  SysCall(__NR_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, kAll);
}

void SleepNs(uint64_t ns) {
  KernelTimespec left = TimespecOf(ns);
  long result = 0;
  while ((result = SysCall(__NR_nanosleep, reinterpret_cast<long>(&left), reinterpret_cast<long>(&left))) == -EINTR) {
  }
  if (result == 0) return;
  // A sandbox refuses the call. Callers count time in sleeps, so it must pass all the same.
  const std::atomic<uint32_t> word{0};
  WaitOnWord(&word, 0, ns);
}

}  // namespace softlbr::platform
