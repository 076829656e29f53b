// Interposes pthread_create and thrd_create, so that the session knows of a new thread at once. The thread may unmap
// what a handler is about to read (lookahead/memory/guarded_read.h), and is to be sampled from its beginning.
//
// Who calls: the program, from any thread, also before and after the session.
// Not covered: threads made by system calls, and by the libc itself (timers with SIGEV_THREAD, aio, mq_notify). The
//   control thread finds them when it next looks.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <threads.h>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_entries.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> g_pthread_create(
    "pthread_create");
// Its thrd_t is a pthread_t in glibc and in musl.
SOFTLBR_CONSTINIT NextFunction<int(pthread_t*, int (*)(void*), void*)> g_thrd_create("thrd_create");

SOFTLBR_CONSTINIT std::atomic<uint64_t> g_woken_ns{0};
constexpr uint64_t kWakeGapNs = 64000000;  // a look costs 0.1 ms, and further looks follow without a wake

// Around the libc's call.
void GuardReads(bool has_thread) {
  const SessionUse use;
  Session* session = CurrentSession();
  if (session == nullptr) return;
  session->environment.must_guard.store(1, std::memory_order_relaxed);
  if (!has_thread) return;
  const uint64_t now_ns = platform::MonotonicNs();
  uint64_t woken_ns = g_woken_ns.load(std::memory_order_relaxed);
  if (now_ns - woken_ns < kWakeGapNs ||
      !g_woken_ns.compare_exchange_strong(woken_ns, now_ns, std::memory_order_relaxed))
    return;
  WakeControlThread(&session->environment);
}

}  // namespace

bool IsSingleThreaded() {
  struct stat info;
  if (platform::SysCall(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>("/proc/self/task"),
                        reinterpret_cast<long>(&info), 0) != 0) {
    return false;
  }
  const SessionUse use;
  const Session* session = use.session();
  const bool has_control_thread =
      session != nullptr && session == CurrentSession() && !session->control.thread.is_helper;
  return info.st_nlink == (has_control_thread ? 4u : 3u);  // a folder has two links, and one for each folder in it
}

void LearnThreadFunctions() {
  g_pthread_create.Learn();
  g_thrd_create.Learn();
}

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                                             void* argument) SOFTLBR_LIBC_NOTHROW {
  softlbr::GuardReads(false);  // the thread may run before this call returns
  const int result =
      softlbr::CallWithEntries([=] { return softlbr::g_pthread_create.Get()(thread, attributes, start, argument); },
                               [](int error) { return error == EAGAIN; });
  if (result == 0) softlbr::GuardReads(true);  // the modules may have been read before it was born
  return result;
}

extern "C" SOFTLBR_EXPORT int thrd_create(pthread_t* thread, int (*start)(void*), void* argument) {
  softlbr::GuardReads(false);
  const int result = softlbr::CallWithEntries([=] { return softlbr::g_thrd_create.Get()(thread, start, argument); },
                                              [](int error) { return error == thrd_error; });
  if (result == 0) softlbr::GuardReads(true);
  return result;
}
