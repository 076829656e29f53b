// Interposes pthread_create, so that the session of a process of one thread knows at once that there are two: the new one may unmap what
// a handler is about to read (lookahead/memory/guarded_read.h), and is to be sampled from its beginning.
//
// Who calls: the program, from any thread, also before and after the session.
// Not covered: threads made by system calls. The control thread finds them, and those of a process of several threads, when it next looks.
#include <pthread.h>

#include "platform/base/attributes.h"
#include "platform/thread.h"
#include "runtime/attach/next_function.h"
#include "runtime/attach/preload.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> g_pthread_create("pthread_create");

SOFTLBR_CONSTINIT std::atomic<uint64_t> g_birth_ns{0};  // time of the last birth

void NoteBirthInSession() {
  const SessionUse use;
  Session* session = use.session();
  // A forked child has its parent's session, which is wiped there.
  if (session == nullptr || session->process_id != platform::CurrentProcessId()) return;
  if (session->threads.has_threads.load(std::memory_order_relaxed)) return;
  session->environment.must_guard.store(1, std::memory_order_relaxed);
  // While threads come and go, the control thread looks often enough by itself.
  const uint64_t now_ns = platform::MonotonicNs();
  if (now_ns - g_birth_ns.exchange(now_ns, std::memory_order_relaxed) >= kNewThreadsNs) WakeControlThread(&session->environment);
}

}  // namespace

void LearnThreadFunction() { g_pthread_create.Learn(); }

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                                             void* argument) SOFTLBR_LIBC_NOTHROW {
  const int result = softlbr::g_pthread_create.Get()(thread, attributes, start, argument);
  if (result == 0) softlbr::NoteBirthInSession();  // now, because the control thread must find it
  return result;
}
