// Interposes madvise, clone and ioctl, by which memory can become unreadable unnoticed by modules/mapping_watch.h.
//
// Guards (MADV_GUARD_INSTALL) change no mapping. A process that shares the memory without being a thread of this one
//   may unmap what this one's only thread is about to read. After such a call all reads are guarded
//   (lookahead/memory/guarded_read.h), also in later sessions.
// userfaultfd: the thread that provides a missing page may need a lock that the sampled thread holds, and that only the
//   evaluated program has released. It would wait for ever, and so would look-ahead for the page. So the recording
//   ends.
// Who calls: the program, from any thread, also before and after the session.
// Not covered: system call instructions of the program's own, and syscall().
#include <errno.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdarg>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_entries.h"
#include "runtime/process_tree/process_recording.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"

namespace softlbr {

// glibc's request is an unsigned long, that of musl and Android an int.
template <typename Type>
Type RequestOf(int (*)(int, Type, ...));
using Request = decltype(RequestOf(::ioctl));

namespace {

SOFTLBR_CONSTINIT NextFunction<int(void*, size_t, int)> g_madvise("madvise");
SOFTLBR_CONSTINIT NextFunction<int(int (*)(void*), void*, int, void*, ...)> g_clone("clone");
SOFTLBR_CONSTINIT NextFunction<int(int, Request, ...)> g_ioctl("ioctl");

constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL, since Linux 6.13

}  // namespace

void LearnMemoryFunctions() {
  g_madvise.Learn();
  g_clone.Learn();
  g_ioctl.Learn();
}

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int madvise(void* begin, size_t bytes, int advice) SOFTLBR_LIBC_NOTHROW {
  if (advice == softlbr::kGuardInstall) softlbr::NoteVanishingMemory();
  // Allocators call this under their lock, which a look-up could take, too.
  if (softlbr::g_madvise.Known() != nullptr) return softlbr::g_madvise.Known()(begin, bytes, advice);
  const long result =
      softlbr::platform::SysCall(SYS_madvise, reinterpret_cast<long>(begin), static_cast<long>(bytes), advice);
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

extern "C" SOFTLBR_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument,
                                    ...) SOFTLBR_LIBC_NOTHROW {
  constexpr int kOfInterest = CLONE_VM | CLONE_VFORK | CLONE_THREAD;
  if ((flags & kOfInterest) == CLONE_VM) softlbr::NoteVanishingMemory();
  va_list more;
  va_start(more, argument);
  void* parent_id = va_arg(more, void*);
  void* thread_area = va_arg(more, void*);
  void* child_id = va_arg(more, void*);
  va_end(more);
  return softlbr::CallWithEntries(
      [=] { return softlbr::g_clone.Get()(function, stack, flags, argument, parent_id, thread_area, child_id); },
      [](int result) { return result < 0 && errno == EAGAIN; });
}

extern "C" SOFTLBR_EXPORT int ioctl(int fd, softlbr::Request request, ...) SOFTLBR_LIBC_NOTHROW {
  va_list more;
  va_start(more, request);
  void* argument = va_arg(more, void*);
  va_end(more);
  if (request == static_cast<softlbr::Request>(UFFDIO_REGISTER) && softlbr::MayAddCalls()) {
    softlbr::EndRecording(softlbr::RecordState::kServesFaults);
  }
  return softlbr::g_ioctl.Get()(fd, request, argument);
}
