// Fault injection for session tests, over platform/syscall_filter.h: which of our system calls fail, how, and when.
//
// Context: the filter runs in handlers too, so it uses plain atomics and no libc. One fault at a time.
// Not filtered: clone, which is made in assembly. A seccomp filter refuses it (RefuseClone).
#ifndef SOFTLBR_TESTS_RUNTIME_SESSION_FAULT_PLAN_H_
#define SOFTLBR_TESTS_RUNTIME_SESSION_FAULT_PLAN_H_

#include <cstdint>

namespace softlbr::testing {

// Which calls of the fault's number match it.
enum class FaultMatch : uint8_t {
  kAny,
  kSecondArgument,  // equals `value`: an ioctl's request
  kEventType,       // perf_event_attr.type equals `value`
  kThreadsEvent,    // perf_event_open for a thread that may exist
  kPathEnd,         // the second argument is a path that ends as `path` does
};

enum class FaultAnswer : uint8_t {
  kRefused,     // the call is not made
  kAfterwards,  // the call is made, and an error is reported all the same (close)
  kShort,       // the call is made for one byte (read, write)
  kHeld,        // the call is made after EndFault, or after two seconds
};

struct Fault {
  const char* name;  // of the case
  long number;
  int error;  // errno
  FaultMatch match = FaultMatch::kAny;
  long value = 0;
  const char* path = nullptr;
  FaultAnswer answer = FaultAnswer::kRefused;
  bool is_passing = false;         // a transient error: only every second call fails
  bool is_policy = false;          // the kernel gives this error always or never: never inject it for single calls
  bool is_timer = false;           // the session samples by the thread timer
  bool is_lending = false;         // the session writes to a descriptor, so that its helper has descriptors of its own
  bool is_of_breakpoints = false;  // the call is only made where breakpoints are hit
  bool leaks = false;              // the resource that this call would release leaks, whatever we do
};

// Which of the matching calls fail: first, first + step, first + 2 * step and so on.
struct FaultTurns {
  uint32_t first = 1;
  uint32_t step = 1;  // 0: only the call number `first`
};

// Matching calls fail from now on. The fault must live until EndFault.
void BeginFault(const Fault& fault, FaultTurns turns);
void EndFault();
// How many calls matched, and how many of them failed or were held to their end.
uint32_t MatchedCalls();
uint32_t FailedCalls();

// From now on clone fails with this error in the calling thread, permanently (seccomp). clone3, which the libc uses,
// still works.
bool RefuseClone(int error);

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_RUNTIME_SESSION_FAULT_PLAN_H_
