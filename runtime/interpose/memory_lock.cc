// Interposes mlockall, so that the session's memory does not count against the program's limit of locked memory.
//
// Why: mlockall(MCL_CURRENT) compares the size of the whole address space with RLIMIT_MEMLOCK, and the session's region
// alone is 22 MB. How: if the kernel refuses, and the program's own mappings are within the limit, they are locked one
// by one, so that only they count.
//   If the kernel agrees, the region is unlocked again.
// Who calls: the program, from any thread, also before and after the session. syscall() comes here, too
// (syscall_function.cc). Not covered: system call instructions of the program's own. What mlockall locks of the region
// stays in memory, unlocked.
#include "runtime/interpose/memory_lock.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "platform/base/attributes.h"
#include "platform/memory_map.h"
#include "platform/syscall.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(int)> g_mlockall("mlockall");

constexpr uint64_t kUserEnd = 1ull << 56;  // beyond it is only vsyscall, which is no mapping of the process

struct LockScan {
  uint64_t region_begin;
  uint64_t region_end;
  uint64_t bytes;  // of the program's mappings
  bool locks;      // false: only adds up the bytes
  long lock_flags;
};

// The region, and the files of the preload library and of the decoder plugin. Their few pages without a file are not
// told apart.
bool IsOurMapping(const LockScan& scan, const platform::Mapping& mapping) {
  if (mapping.begin < scan.region_end && mapping.end > scan.region_begin) return true;
  const char* name = mapping.path;
  for (const char* at = mapping.path; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  for (const char* start : {"libsoftlbr", "memfd:softlbr"}) {
    const char* at = name;
    while (*start != '\0' && *at == *start) {
      ++at;
      ++start;
    }
    if (*start == '\0') return true;
  }
  return false;
}

bool VisitMapping(void* cookie, const platform::Mapping& mapping) {
  auto* scan = static_cast<LockScan*>(cookie);
  if (mapping.begin >= kUserEnd || IsOurMapping(*scan, mapping)) return true;
  const uint64_t bytes = mapping.end - mapping.begin;
  scan->bytes += bytes;
  // As in mlockall, a mapping that cannot be brought into memory is no failure.
  if (scan->locks)
    platform::SysCall(SYS_mlock2, static_cast<long>(mapping.begin), static_cast<long>(bytes), scan->lock_flags);
  return true;
}

// mlockall, after the kernel has refused it, for the program's mappings only. False if they exceed the limit, too.
bool LockOwnMappings(int flags, LockScan* scan) {
  rlimit limit;
  if (platform::SysCall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, reinterpret_cast<long>(&limit)) != 0) return false;
  if (platform::ForEachMapping(VisitMapping, scan) != Status::kOk || scan->bytes > limit.rlim_cur) return false;
  // First sets or, without MCL_FUTURE, ends the locking of later mappings, which the kernel does not compare with the
  // limit.
  const long future = (flags & MCL_FUTURE) != 0 ? platform::SysCall(SYS_mlockall, flags & ~MCL_CURRENT)
                                                : platform::SysCall(SYS_munlockall);
  if (future != 0) return false;
  scan->locks = true;
  return platform::ForEachMapping(VisitMapping, scan) == Status::kOk;
}

}  // namespace

void LearnMemoryLock() { g_mlockall.Learn(); }

int LockMemory(int flags) {
  const int saved_errno = errno;
  const int result = g_mlockall.Get()(flags);
  if ((flags & MCL_CURRENT) == 0 || IsSandboxed() || (result != 0 && errno != ENOMEM)) return result;
  const SessionUse use;
  const Session* session = use.session();
  if (session == nullptr || session != CurrentSession()) return result;
  LockScan scan = {};
  scan.region_begin = reinterpret_cast<uint64_t>(session);
  scan.region_end = scan.region_begin + session->mapped_bytes;
  if (result == 0) {
    platform::SysCall(SYS_munlock, static_cast<long>(scan.region_begin), static_cast<long>(session->mapped_bytes));
    return result;
  }
  scan.lock_flags = (flags & MCL_ONFAULT) != 0 ? MLOCK_ONFAULT : 0;
  if (!LockOwnMappings(flags, &scan)) return result;
  errno = saved_errno;
  return 0;
}

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int mlockall(int flags) SOFTLBR_LIBC_NOTHROW { return softlbr::LockMemory(flags); }
