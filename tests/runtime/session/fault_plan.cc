#include "tests/runtime/session/fault_plan.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <ctime>

#include "platform/linux/raw_syscall.h"
#include "platform/syscall_filter.h"

namespace softlbr::testing {
namespace {

const Fault* g_fault;
FaultTurns g_turns;
std::atomic<uint32_t> g_matched{0};
std::atomic<uint32_t> g_failed{0};
std::atomic<bool> g_is_holding{false};

bool EndsWith(const char* text, const char* end) {
  const char* text_end = text;
  const char* end_end = end;
  while (*text_end != '\0') ++text_end;
  while (*end_end != '\0') ++end_end;
  while (end_end != end) {
    if (text_end == text || *--text_end != *--end_end) return false;
  }
  return true;
}

bool Matches(const Fault& fault, const long* arguments) {
  switch (fault.match) {
    case FaultMatch::kAny: return true;
    case FaultMatch::kSecondArgument: return arguments[1] == fault.value;
    case FaultMatch::kEventType:
      return reinterpret_cast<const perf_event_attr*>(arguments[0])->type == static_cast<uint32_t>(fault.value);
    case FaultMatch::kThreadsEvent: {
      constexpr long kMostThreads = 4194304;  // of a Linux system
      return arguments[1] <= kMostThreads;
    }
    case FaultMatch::kPathEnd: return EndsWith(reinterpret_cast<const char*>(arguments[1]), fault.path);
  }
  return false;
}

long Filter(long number, long arguments[6], bool* handled) {
  const Fault& fault = *g_fault;
  if (number != fault.number || !Matches(fault, arguments)) return 0;
  const uint32_t turn = g_matched.fetch_add(1) + 1;
  if (turn < g_turns.first) return 0;
  if (g_turns.step == 0 ? turn != g_turns.first : (turn - g_turns.first) % g_turns.step != 0) return 0;
  if (fault.answer == FaultAnswer::kHeld) {
    constexpr timespec kMillisecond = {0, 1000000};
    for (int i = 0; i < 2000 && g_is_holding; ++i) {
      (void)platform::RawSysCall(SYS_nanosleep, reinterpret_cast<long>(&kMillisecond), 0, 0, 0, 0, 0);
    }
    g_failed.fetch_add(1);
    return 0;
  }
  g_failed.fetch_add(1);
  *handled = true;
  if (fault.answer == FaultAnswer::kShort) {
    const long bytes = arguments[2] < 1 ? arguments[2] : 1;
    return platform::RawSysCall(number, arguments[0], arguments[1], bytes, arguments[3], 0, 0);
  }
  if (fault.answer == FaultAnswer::kAfterwards) {
    (void)platform::RawSysCall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                               arguments[5]);
  }
  return -fault.error;
}

}  // namespace

void BeginFault(const Fault& fault, FaultTurns turns) {
  platform::SetSyscallFilterForTest(nullptr);
  if (fault.is_passing && turns.step == 1) turns.step = 2;
  g_fault = &fault;
  g_turns = turns;
  g_matched = 0;
  g_failed = 0;
  g_is_holding = true;
  platform::SetSyscallFilterForTest(Filter);
}

void EndFault() {
  g_is_holding = false;
  platform::SetSyscallFilterForTest(nullptr);
}

uint32_t MatchedCalls() { return g_matched; }
uint32_t FailedCalls() { return g_failed; }

bool RefuseClone(int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace softlbr::testing
