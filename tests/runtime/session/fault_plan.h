// Which of our system calls fail, how, and when: the fault injection of session tests, over platform/syscall_filter.h.
//
// The filter runs in handlers too: plain atomics, no libc. One plan at a time. clone does not pass the filter (it is
// assembly); a seccomp filter stands in for it (RefuseClone).
#ifndef SOFTLBR_TESTS_RUNTIME_SESSION_FAULT_PLAN_H_
#define SOFTLBR_TESTS_RUNTIME_SESSION_FAULT_PLAN_H_

#include <cstdint>

namespace softlbr::testing {

// What a call must look like beside its number.
enum class FaultMatch : uint8_t {
  kAny,
  kSecondArgument,  // equals `value`: an ioctl's request
  kEventType,       // perf_event_attr.type equals `value`
  kPathEnd,         // the second argument is a path that ends as `path` does
};

enum class FaultAnswer : uint8_t {
  kRefused,     // the kernel is not asked
  kAfterwards,  // the kernel does it, and an error is reported (close)
  kShort,       // the kernel is asked for one byte (read, write)
};

struct Fault {
  const char* name;  // of the case
  long number;
  int error;  // errno
  FaultMatch match = FaultMatch::kAny;
  long value = 0;
  const char* path = nullptr;
  FaultAnswer answer = FaultAnswer::kRefused;
  bool is_passing = false;  // the kernel does not say this for ever: every second call only
  bool is_policy = false;   // the kernel says this always or never: no single calls
  bool is_timer = false;    // the session samples by the thread timer
  bool leaks = false;       // what this call would give back stays, whatever we do
};

// Which of the calls that match: all, or every k-th, or the n-th alone.
struct FaultTurns {
  uint32_t first = 1;
  uint32_t step = 1;  // 0: the first alone
};

// Calls that match fail from now on. The fault must outlive it.
void BeginFault(const Fault& fault, FaultTurns turns);
void EndFault();
// Calls that matched, and those that were made to fail.
uint32_t MatchedCalls();
uint32_t FailedCalls();

// clone of threads fails with this in the calling thread, for good (seccomp). clone3, which the libc uses, does not.
bool RefuseClone(int error);

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_RUNTIME_SESSION_FAULT_PLAN_H_
