// The host as seen by a process that shares its memory
// (docs/decisions/0005-the-control-thread-is-a-process-of-its-own.md).
#include "platform/linux/threads/helper_linux.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/close_range.h>
#include <linux/prctl.h>

#include <initializer_list>

#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/helper.h"
#include "platform/linux/high_descriptor.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/text_lines.h"
#include "platform/safe_read.h"
#include "platform/syscall.h"
#include "platform/thread.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

// <linux/resource.h> conflicts with libc's <time.h>, which <atomic> may include.
constexpr long kLimitOfCore = 4;   // RLIMIT_CORE
constexpr long kLimitOfFiles = 7;  // RLIMIT_NOFILE

// The host's process id. IsHostGone reads it in the host's memory, too.
SOFTLBR_CONSTINIT int32_t g_host = 0;
// The helper's process id, which the helper sets. A forked child of the host has a copy of it, but another id.
SOFTLBR_CONSTINIT int32_t g_helper = 0;

// Group ids, then user ids: real, effective and saved.
struct Ids {
  long values[6];
};
// The host's ids that the helper has taken over.
SOFTLBR_CONSTINIT Ids g_ids = {};

void CloseIfMarked(void*, int32_t fd) {
  if (IsMarked(fd)) SysCall(__NR_close, fd);
}

// Copies g_host from the host's memory to ours. This changes nothing while both are the same memory. Another program
// has no memory, or another value, at that address. Needs the same rights as an event that sends signals. Result:
// bytes, or negative errno.
long CopyHostNumber(int32_t host) {
  const MemoryChunk chunk = {reinterpret_cast<uint64_t>(&g_host), sizeof(g_host)};
  return SysCall(__NR_process_vm_readv, host, reinterpret_cast<long>(&chunk), 1, reinterpret_cast<long>(&chunk), 1, 0);
}

}  // namespace

char* AppendText(char* to, const char* text) {
  while ((*to = *text++) != '\0') ++to;
  return to;
}

char* AppendNumber(char* to, int32_t number) {
  if (number >= 10) to = AppendNumber(to, number / 10);
  *to++ = static_cast<char>('0' + number % 10);
  *to = '\0';
  return to;
}

const char* FindField(const char* path, const char* name, char* buffer) {
  TextLines lines(path, buffer, kStatusTextBytes);
  while (const char* line = lines.Next()) {
    if (!SkipPrefix(&line, name)) continue;
    SkipSpace(&line);
    return line;
  }
  return nullptr;
}

char* HostPath(const char* rest, char* path) {
  return AppendText(AppendNumber(AppendText(path, "/proc/"), HostProcessId()), rest);
}

void CloseFilesOfKilledHelper() { (void)ForEachNumber("/proc/self/fd", CloseIfMarked, nullptr); }

int32_t BecomeHost() {
  g_host = CurrentProcessId();
  constexpr uint64_t kSmallestTable = 64;
  KeepTableOfThisProcess(kSmallestTable);  // while these files are read
  char buffer[kStatusTextBytes];
  const char* numbers = FindField("/proc/self/status", "FDSize:", buffer);
  const uint64_t table = numbers != nullptr ? ParseDecimal(&numbers) : 0;
  const char* threads = FindField("/proc/self/status", "Threads:", buffer);
  const bool is_alone = threads == nullptr || ParseDecimal(&threads) < 2;
  KeepTableOfThisProcess(is_alone ? 0 : table);
  return g_host;
}

int32_t HostProcessId() {
  const int32_t self = CurrentProcessId();
  return self == g_helper ? g_host : self;
}

bool BecomeHelper(int kept_fd) {
  g_helper = CurrentProcessId();
  if (kept_fd >= 0) {
    if (!CloseHostDescriptors(kept_fd)) return false;
    OwnFilesOfThisProcess();
    uint64_t limits[2] = {};
    SysCall(__NR_prlimit64, 0, kLimitOfFiles, 0, reinterpret_cast<long>(limits));
    limits[0] = limits[1];
    SysCall(__NR_prlimit64, 0, kLimitOfFiles, reinterpret_cast<long>(limits));
    // Under Yama a process may fetch descriptors only from its descendants, or from a process that names it as its
    // tracer.
    SysCall(__NR_prctl, PR_SET_PTRACER, g_host);
  } else {
    MarkFilesOfThisProcess();
  }
  // A SIGTRAP with the default action ends the helper together with the host. The helper must not replace the host's
  // core dump by its own: with a limit of one byte the kernel writes no dump and starts no dump program (core(5)).
  static constexpr uint64_t kNoCore[2] = {1, 1};
  SysCall(__NR_prlimit64, 0, kLimitOfCore, reinterpret_cast<long>(kNoCore), 0);
  // Otherwise the file system of the host's current directory could not be unmounted after the host has left it.
  SysCall(__NR_chdir, reinterpret_cast<long>("/"));
  // A process group, but no session of its own: a session is a scheduler group, too (sched(7), autogroup), and some
  // kernels run nothing of a group for a second while threads of another group keep waking up.
  SysCall(__NR_setpgid, 0, 0);
  g_ids.values[0] = -1;  // none
  FollowHostCredentials();
  return true;
}

bool IsHelperAlive(int32_t helper) {
  // Only ESRCH means that the helper has ended: other errors occur if its rights differ from the host's by now.
  return CurrentProcessId() == g_host && SysCall(__NR_kill, helper, kSigContinue) != -ESRCH;
}

bool MayTraceHost() { return CopyHostNumber(g_host) == sizeof(g_host); }

bool IsHostGone() {
  const int32_t host = g_host;
  const long result = CopyHostNumber(host);
  const bool is_other = *const_cast<const volatile int32_t*>(&g_host) != host;
  g_host = host;
  if (is_other || result == -EFAULT) return true;
  if (result != -ESRCH) return false;  // reading may be refused
  // The host's main thread has ended: does another one still run?
  char path[kProcPathBytes];
  char buffer[kStatusTextBytes];
  HostPath("/status", path);
  const char* threads = FindField(path, "Threads:", buffer);
  // the main thread counts, and the calling one if it is the host's
  const char alone = CurrentProcessId() == host ? '2' : '1';
  return threads == nullptr || (threads[0] <= alone && threads[1] < '0');
}

bool CloseHostDescriptors(int kept) {
  // If the host shares its descriptors with other processes, those keep them open.
  if (kept > 0) SysCall(__NR_close_range, 0, kept - 1, CLOSE_RANGE_UNSHARE);
  return SysCall(__NR_close_range, kept + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0;
}

void FollowHostCredentials() {
  char path[kProcPathBytes];
  HostPath("/status", path);
  char buffer[kStatusTextBytes];
  TextLines lines(path, buffer, kStatusTextBytes);
  Ids ids = g_ids;
  for (int left = 2; left != 0;) {
    const char* value = lines.Next();
    if (value == nullptr) return;
    const bool is_user = SkipPrefix(&value, "Uid:");
    if (!is_user && !SkipPrefix(&value, "Gid:")) continue;
    --left;
    long* next = ids.values + (is_user ? 3 : 0);
    for (int i = 0; i < 3; ++i) {
      SkipSpace(&value);
      *next++ = static_cast<long>(ParseDecimal(&value));
    }
  }
  bool has_changed = false;
  for (int i = 0; i < 6; ++i) has_changed |= ids.values[i] != g_ids.values[i];
  if (!has_changed) return;
  g_ids = ids;
  const long is_dumpable = SysCall(__NR_prctl, PR_GET_DUMPABLE);
  // Groups first: after the user ids have changed, the right to change groups may be gone.
  SysCall(__NR_setgroups, 0, 0);
  for (const bool is_user : {false, true}) {
    const long* id = ids.values + (is_user ? 3 : 0);
    SysCall(is_user ? __NR_setresuid : __NR_setresgid, id[0], id[1], id[2]);
  }
  // A change of credentials clears this flag of the memory, which is shared with the host.
  if (is_dumpable == 1) SysCall(__NR_prctl, PR_SET_DUMPABLE, 1);
}

}  // namespace softlbr::platform
