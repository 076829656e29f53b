// Whether a SIGTRAP that a function of libc would hand to the program is ours.
#ifndef SOFTLBR_RUNTIME_INTERPOSE_OWN_TRAP_H_
#define SOFTLBR_RUNTIME_INTERPOSE_OWN_TRAP_H_

#include <signal.h>

#include <cstdint>

#include "platform/base/trap_code.h"
#include "runtime/trace/sig_data.h"

namespace softlbr {

// info: of a SIGTRAP. Makes no call.
inline bool IsOwnTrap(const siginfo_t& info) {
  constexpr uint64_t kDataAt = 24;  // si_perf_data of TRAP_PERF, si_value of SI_TIMER
  uint64_t data;
  __builtin_memcpy(&data, reinterpret_cast<const char*>(&info) + kDataAt, sizeof data);
  return (info.si_code == kTrapPerf || info.si_code == SI_TIMER) && IsOurSigData(data);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_OWN_TRAP_H_
