#include "toolchain/trigger/kernel_preparation.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "toolchain/base/machine_probe.h"

namespace softlbr::toolchain {

KernelPreparation::KernelPreparation() : event_(-1) {
  if (DoPerfEventsKill()) return;
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  event_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

KernelPreparation::~KernelPreparation() {
  if (event_ >= 0) close(event_);
}

}  // namespace softlbr::toolchain
