// Interposes setns and unshare, with syscall_function.cc also by syscall(): the kernel refuses some of their kinds
// while somebody else uses the process's memory or signal actions, as the control thread does.
//
// How: the session stops before such a call, and another one starts after it. In a process of several threads the
//   kernel refuses the call anyway, so nothing is done there.
// Who calls: the program, from any thread, also before and after the session.
// Not covered: system call instructions of the program's own. unshare(CLONE_FILES) where a helper shares the
// descriptors.
#include "runtime/interpose/namespace_functions.h"

#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_entries.h"
#include "runtime/process_tree/process_recording.h"
#include "runtime/process_tree/trigger_wait.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(int, int)> g_setns("setns");
SOFTLBR_CONSTINIT NextFunction<int(int)> g_unshare("unshare");

constexpr int kNewTime = 0x80;        // CLONE_NEWTIME, not in every libc's header
constexpr long kAskForKind = 0xb703;  // NS_GET_NSTYPE
constexpr int kRefusedBesideThread = CLONE_NEWUSER | CLONE_THREAD;

// The kinds of namespace that setns(fd, flags) enters. 0: none, the kernel refuses the call.
int KindsOf(int fd, int flags) {
  if (flags != 0) return flags;
  const long kind = platform::SysCall(SYS_ioctl, fd, kAskForKind, 0);
  return kind > 0 ? static_cast<int>(kind) : 0;
}

// True if the kernel refuses one of `kinds` because of the control thread: beside_helper are those that it refuses
// beside a process that shares the memory, beside_thread the further ones beside a thread.
bool IsInTheWay(int kinds, int beside_helper, int beside_thread) {
  if ((kinds & (beside_helper | beside_thread)) == 0 || !MayAddCalls()) return false;
  if (IsWaiting()) return true;
  const SessionUse use;
  const Session* session = use.session();
  if (session == nullptr || session != CurrentSession()) return false;
  return (kinds & (session->control.thread.is_helper ? beside_helper : beside_helper | beside_thread)) != 0 &&
         IsSingleThreaded();
}

template <typename Call>
int CallAlone(bool is_in_the_way, Call call) {
  if (!is_in_the_way) return call();
  const int32_t helper = OwnHelper();
  const RecordingPause pause;
  AwaitRelease(helper);
  return call();
}

}  // namespace

void LearnNamespaceFunctions() {
  g_setns.Learn();
  g_unshare.Learn();
}

int EnterNamespace(int fd, int flags) {
  const int kinds = MayAddCalls() ? KindsOf(fd, flags) : 0;
  return CallAlone(IsInTheWay(kinds, kNewTime, CLONE_NEWUSER | CLONE_NEWNS), [=] { return g_setns.Get()(fd, flags); });
}

int Unshare(int flags) {
  return CallAlone(IsInTheWay(flags, CLONE_VM | CLONE_SIGHAND, kRefusedBesideThread),
                   [=] { return g_unshare.Get()(flags); });
}

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int setns(int fd, int kind) SOFTLBR_LIBC_NOTHROW { return softlbr::EnterNamespace(fd, kind); }
extern "C" SOFTLBR_EXPORT int unshare(int flags) SOFTLBR_LIBC_NOTHROW { return softlbr::Unshare(flags); }
