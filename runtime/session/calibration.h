// What one sample and one breakpoint hit cost on this machine, beyond the time our handler sees.
//
// Why: the kernel's part of a trap (exception, signal frame, return) lies outside the handler, differs twentyfold between
// machines, and is most of the cost. Measured once at start, on the control thread, it makes the overhead we report and
// govern by the true one.
// How: thread CPU time of a few dozen traps on a function of our own, against the same work without them. It is also the
// self-test of breakpoints: each arming must give exactly one hit at the armed address.
// Context: control thread, before any slot is open. Cost: about 5 ms of that thread, once per process.
#ifndef SOFTLBR_RUNTIME_SESSION_CALIBRATION_H_
#define SOFTLBR_RUNTIME_SESSION_CALIBRATION_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/sampler.h"
#include "platform/trap_signal.h"

namespace softlbr {

struct TrapCosts {
  uint64_t sample_ns;     // signal delivery and return; 0 if not measurable
  uint64_t hit_ns;        // exception, delivery, return
  bool breakpoints_work;  // self-test: as many hits as armings, all at the right place
};

// sig_data that marks calibration traps; their handler is OnCalibrationTrap.
inline constexpr uint32_t kCalibrationSlot = 0xffff;

// Measured at the first session of the process that has breakpoints, remembered for the next ones. Without permission to use
// them no perf event of theirs is opened, for sandboxes that kill.
TrapCosts MeasureTrapCostsOnce(platform::SampleEvent event, bool may_use_breakpoints);
SOFTLBR_HANDLER_SAFE void OnCalibrationTrap(const platform::Trap& trap);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CALIBRATION_H_
