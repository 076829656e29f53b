// No sampling on this target.
#include "platform/sampler.h"

namespace softlbr::platform {

Status ChooseSampleEvent(SampleEvent, SampleEvent*, int* system_error) {
  *system_error = 0;
  return Status::kUnsupported;
}
bool MayTimersSample() { return false; }
Status OpenSingleTimer(int32_t, uint64_t, uint64_t, Sampler*) { return Status::kUnsupported; }
void CloseTimer(Sampler* sampler) { *sampler = Sampler{}; }
Status OpenSampler(int32_t, SampleEvent, uint64_t, uint64_t, Sampler*) { return Status::kUnsupported; }
void DisableEventsOfThisThread() {}
void CloseSampler(Sampler* sampler) { *sampler = Sampler{}; }
Status EnableSampler(const Sampler&) { return Status::kUnsupported; }
Status DisableSampler(const Sampler&) { return Status::kUnsupported; }
Status SetSamplerPeriod(Sampler*, uint64_t) { return Status::kUnsupported; }
bool IsSamplerOurs(const Sampler&) { return false; }
bool MayBorrow(int32_t) { return false; }

}  // namespace softlbr::platform
