// The platform under the tracer, for tests: it records breakpoints, and the true state is what the test sets.
//
// Context: host, one thread. Memory is read through tests/fake/safe_read_fake.h.
#ifndef SOFTLBR_TESTS_FAKE_TRACER_PLATFORM_FAKE_H_
#define SOFTLBR_TESTS_FAKE_TRACER_PLATFORM_FAKE_H_

#include <cstdint>
#include <vector>

#include "platform/base/machine_context.h"
#include "platform/base/status.h"

namespace softlbr::fake {

constexpr uint32_t kBlockingCall = 135;  // the system call that may block SIGTRAP

struct TracerPlatform {
  MachineContext truth = {};         // what LoadMachineContext gives
  uint64_t armed_pc = 0;             // 0: not armed
  uint64_t sig_data = 0;             // of the last arming
  std::vector<uint64_t> ever_armed;  // addresses, in order
  Status arm_answer = Status::kOk;   // result of the next armings
  uint64_t counted_hits = 0;         // the kernel's count of the breakpoint's hits
  bool is_sampling = false;
  // result of the next calls that turn the sampler on or off, set its period, or disarm
  Status event_answer = Status::kOk;
  uint32_t sampler_calls = 0;  // of these, those of the sampler
  bool can_pass_breakpoint_once = false;
  bool is_handler_installed = true;
  bool is_signal_due = false;
  bool is_trap_blocked = false;  // in the code that was interrupted
};

// One for the process; a test begins by assigning a new one.
TracerPlatform& Platform();

}  // namespace softlbr::fake

#endif  // SOFTLBR_TESTS_FAKE_TRACER_PLATFORM_FAKE_H_
