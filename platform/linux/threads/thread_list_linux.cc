// Threads of the host from /proc; thread clocks; debugger detection.
#include <asm/errno.h>
#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>

#include <initializer_list>

#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/file.h"
#include "platform/helper.h"
#include "platform/linux/high_descriptor.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/sampling/thread_timer_linux.h"
#include "platform/linux/signals/pending_signals.h"
#include "platform/linux/text_lines.h"
#include "platform/linux/threads/helper_linux.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/thread_list.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

// Offsets in struct linux_dirent64.
constexpr uint64_t kEntryLengthOffset = 16;
constexpr uint64_t kEntryNameOffset = 19;

uint64_t ClockNs(long clock) {
  KernelTimespec time = {};
  if (SysCall(__NR_clock_gettime, clock, reinterpret_cast<long>(&time)) != 0) return 0;
  return NsOf(time);
}

bool IsTraced(const char* status_path) {
  char buffer[kStatusTextBytes];
  const char* value = FindField(status_path, "TracerPid:", buffer);
  return value != nullptr && ParseDecimal(&value) != 0;
}

// "/proc/<host>/task/<tid>" followed by `leaf`.
void ThreadPath(int32_t tid, const char* leaf, char* path) {
  AppendText(AppendNumber(HostPath("/task/", path), tid), leaf);
}

// The CPU time that a thread had used when the wait began.
struct StartTime {
  uint64_t cpu_ns;  // 0 if the thread's clock cannot be read
  int32_t tid;
};

// Threads beyond these get their start time only when the wait reaches them, so that the wait takes longer.
constexpr uint32_t kStartTimes = 64;

struct SettleScan {
  int32_t self;
  uint64_t deadline_ns;
  uint32_t polls_left;  // bounds the wait if there is no clock
  bool is_settled;
  uint32_t start_count;
  StartTime starts[kStartTimes];
};

bool IsRunnable(int32_t tid) {
  char path[kProcPathBytes];
  ThreadPath(tid, "/status", path);
  char buffer[kStatusTextBytes];
  const char* state = FindField(path, "State:", buffer);
  return state == nullptr || *state == 'R';  // nullptr: the thread is gone, or its status cannot be read
}

constexpr uint64_t kPollNs = 200000;

// Called for all threads before the first wait. While one thread is waited for, the others run too, so the whole wait
// takes one time slice of the scheduler and not one for each thread.
void NoteStartTime(void* cookie, int32_t tid) {
  auto* scan = static_cast<SettleScan*>(cookie);
  if (scan->start_count < kStartTimes) scan->starts[scan->start_count++] = {ThreadCpuTimeNs(tid), tid};
}

uint64_t StartTimeOf(const SettleScan& scan, int32_t tid) {
  for (uint32_t i = 0; i < scan.start_count; ++i) {
    if (scan.starts[i].tid == tid) return scan.starts[i].cpu_ns;
  }
  return ThreadCpuTimeNs(tid);
}

void WaitUntilSettled(void* cookie, int32_t tid) {
  auto* scan = static_cast<SettleScan*>(cookie);
  if (tid == scan->self || !scan->is_settled) return;
  // CPU time; much longer than the path from an interrupt to user code, which takes 0.1 to 0.2 ms on some virtual
  // machines: a thread that is taken for settled while it is on that path dies by the signal. A stop waits so long for
  // a thread that computes.
  constexpr uint64_t kOnItsWayNs = 2000000;
  const uint64_t begin = StartTimeOf(*scan, tid);
  while (IsThreadRunnable(tid) && (begin == 0 || ThreadCpuTimeNs(tid) < begin + kOnItsWayNs)) {
    if (scan->polls_left-- == 0 || MonotonicNs() > scan->deadline_ns) {
      scan->is_settled = false;
      return;
    }
    SleepNs(kPollNs);
  }
}

struct PendingScan {
  uint64_t signals;
  bool is_pending;
  bool is_unknown;  // of a thread whose status cannot be read
};

void ScanPending(void* cookie, int32_t tid) {
  auto* scan = static_cast<PendingScan*>(cookie);
  char path[kProcPathBytes];
  ThreadPath(tid, "/status", path);
  bool is_known = false;
  for (const char* name : {"SigPnd:", "ShdPnd:"}) {
    char buffer[kStatusTextBytes];
    const char* value = FindField(path, name, buffer);
    is_known = value != nullptr;
    if (is_known && (ParseHex(&value) & scan->signals) != 0) scan->is_pending = true;
  }
  if (!is_known && IsThreadAlive(tid)) scan->is_unknown = true;
}

}  // namespace

Status ForEachNumber(const char* path, void (*visit)(void* cookie, int32_t number), void* cookie) {
  const long fd = OpenTransient(path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return Status::kUnsupported;
  alignas(8) char buffer[kDirectoryBufferBytes];
  long bytes = 0;
  while ((bytes = SysCall(__NR_getdents64, fd, reinterpret_cast<long>(buffer), sizeof(buffer))) > 0) {
    for (long at = 0; at < bytes;) {
      const char* name = buffer + at + kEntryNameOffset;
      if (*name >= '1' && *name <= '9') visit(cookie, static_cast<int32_t>(ParseDecimal(&name)));
      at += LoadUnaligned<uint16_t>(buffer + at + kEntryLengthOffset);
    }
  }
  CloseFile(static_cast<int>(fd));
  return bytes < 0 ? Status::kSystemError : Status::kOk;
}

Status ForEachThread(ThreadVisitor visit, void* cookie) {
  char path[kProcPathBytes];
  HostPath("/task", path);
  return ForEachNumber(path, visit, cookie);
}

int64_t ThreadCount() {  // besides two links of its own, the folder has one to each thread's folder
  char path[kProcPathBytes];
  HostPath("/task", path);
  const long fd = OpenTransient(path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return fd;
  struct stat info;
  info.st_nlink = 0;
  (void)SysCall(__NR_fstat, fd, reinterpret_cast<long>(&info));
  CloseFile(static_cast<int>(fd));
  return info.st_nlink > 2 ? static_cast<int64_t>(info.st_nlink) - 2 : 0;
}

// Only ESRCH means that the thread is gone; a sandbox may refuse the call.
bool IsThreadAlive(int32_t tid) { return SysCall(__NR_tgkill, HostProcessId(), tid, 0) != -ESRCH; }

uint64_t ThreadCpuTimeNs(int32_t tid, uint64_t* switches) {
  if (tid == 0) return ClockNs(kClockThreadCpu);
  if (switches == nullptr && HostProcessId() == CurrentProcessId()) return ClockNs(ThreadCpuClock(tid));
  // Only this file has the times of other processes' threads. They may be a scheduler tick old.
  char path[kProcPathBytes];
  ThreadPath(tid, "/schedstat", path);
  char buffer[kStatusTextBytes];
  const char* value = FindField(path, "", buffer);
  if (value == nullptr) return 0;
  const uint64_t cpu_ns = ParseDecimal(&value);
  if (switches != nullptr) {
    SkipSpace(&value);
    (void)ParseDecimal(&value);  // time spent waiting for a CPU
    SkipSpace(&value);
    *switches = ParseDecimal(&value);
  }
  return cpu_ns;
}

uint64_t ProcessCpuTimeNs() { return ClockNs(ProcessCpuClock(HostProcessId())); }

uint64_t ProcessUserTimeNs() { return ClockNs(ProcessUserClock(HostProcessId())); }

bool IsDebuggerAttached() {
  // Checks the calling thread, if it is one of the host's, and the host's main thread: a debugger may have attached to
  // one thread only.
  const int32_t host = HostProcessId();
  if (host == CurrentProcessId()) {
    const bool is_traced = IsTraced("/proc/thread-self/status");
    if (is_traced || CurrentThreadId() == host) return is_traced;
  }
  char path[kProcPathBytes];
  HostPath("/status", path);
  return IsTraced(path);
}

bool IsTrapPending(int32_t tid) {
  PendingScan scan = {kSigTrapBit, false, false};
  ScanPending(&scan, tid);
  return scan.is_pending;
}

bool IsThreadRunnable(int32_t tid) { return IsRunnable(tid) && IsThreadAlive(tid); }

bool IsTrapBlocked(int32_t tid) {
  char path[kProcPathBytes];
  ThreadPath(tid, "/status", path);
  char buffer[kStatusTextBytes];
  const char* value = FindField(path, "SigBlk:", buffer);
  return value != nullptr && (ParseHex(&value) & kSigTrapBit) != 0;
}

bool IsSignalPendingAnywhere(uint64_t signals) {
  PendingScan scan = {signals, false, false};
  return ForEachThread(ScanPending, &scan) != Status::kOk || scan.is_pending || scan.is_unknown;
}

bool WaitForLateSignals() {
  constexpr uint64_t kLongestWaitNs = 500000000;
  SettleScan scan;
  scan.self = CurrentThreadId();
  scan.deadline_ns = MonotonicNs() + kLongestWaitNs;
  scan.polls_left = kLongestWaitNs / kPollNs;
  scan.is_settled = true;
  scan.start_count = 0;
  return ForEachThread(NoteStartTime, &scan) == Status::kOk && ForEachThread(WaitUntilSettled, &scan) == Status::kOk &&
         scan.is_settled;
}

}  // namespace softlbr::platform
