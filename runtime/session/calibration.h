// Measures the trap cost: what one sample and one breakpoint hit cost on this machine, beyond the time our handler
// sees.
//
// Why: the kernel's part of a trap (exception, signal frame, return) is outside the handler, differs twentyfold between
//   machines, and is most of the cost. Without it the overhead that we report, and adjust the period by, would be far
//   too low.
// How: the thread CPU time of some dozen traps on a function of our own, compared with the same work without traps.
//   This is also the self-test of breakpoints: each call of the armed function must give exactly one hit, at the armed
//   address.
// Context: control thread, before any slot is open. Cost: about 1 ms of that thread.
#ifndef SOFTLBR_RUNTIME_SESSION_CALIBRATION_H_
#define SOFTLBR_RUNTIME_SESSION_CALIBRATION_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/sampler.h"
#include "platform/trap_signal.h"

namespace softlbr {

struct TrapCosts {
  uint64_t sample_ns;  // signal delivery and return; 0 if not measurable
  uint64_t hit_ns;     // exception, delivery, return
  // enabling and disabling a sampler, the measure for a context switch's cost; 0 if not measurable
  uint64_t toggle_ns;
  bool breakpoints_work;  // self-test: one hit for each call, all at the armed address
};

// Slot number in the sig_data of calibration traps; OnCalibrationTrap handles them.
inline constexpr uint32_t kCalibrationSlot = 0xffff;

// Measures in the first session of the process that has breakpoints, and remembers the result. may_use_breakpoints
// false: opens no breakpoint, because a sandbox may kill the process for doing so.
TrapCosts MeasureTrapCostsOnce(platform::SampleEvent event, bool may_use_breakpoints);
SOFTLBR_HANDLER_SAFE void OnCalibrationTrap(const platform::Trap& trap);
// True if the breakpoint of the calibration is armed there, when it is.
SOFTLBR_HANDLER_SAFE bool IsCalibrationTarget(uint64_t pc);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CALIBRATION_H_
