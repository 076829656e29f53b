// Contract: tracer_platform_fake.h, and the contracts of platform/ that the tracer uses over it.
#include "tests/fake/tracer_platform_fake.h"

#include "platform/breakpoint.h"
#include "platform/cpu_context.h"
#include "platform/rseq.h"
#include "platform/sampler.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"

namespace softlbr {

namespace fake {
TracerPlatform& Platform() {
  static TracerPlatform platform;
  return platform;
}
}  // namespace fake

namespace platform {

const uint32_t kRseqSignature = 0;
bool FindRseqPointer(int64_t*) { return false; }

Status ArmBreakpoint(Breakpoint* breakpoint, uint64_t address, uint64_t sig_data) {
  fake::TracerPlatform& fake = fake::Platform();
  if (fake.arm_answer != Status::kOk) return fake.arm_answer;
  fake.armed_pc = address;
  fake.sig_data = sig_data;
  fake.ever_armed.push_back(address);
  breakpoint->is_armed = true;
  return Status::kOk;
}
Status DisarmBreakpoint(Breakpoint* breakpoint) {
  if (fake::Platform().event_answer != Status::kOk) return fake::Platform().event_answer;
  fake::Platform().armed_pc = 0;
  breakpoint->is_armed = false;
  return Status::kOk;
}
Status CountBreakpointHits(const Breakpoint&, uint64_t* hits) {
  *hits = fake::Platform().counted_hits;
  return Status::kOk;
}
bool IsBreakpointOurs(const Breakpoint&) { return true; }

Status EnableSampler(const Sampler&) {
  fake::TracerPlatform& fake = fake::Platform();
  ++fake.sampler_calls;
  if (fake.event_answer == Status::kOk) fake.is_sampling = true;
  return fake.event_answer;
}
Status DisableSampler(const Sampler&) {
  fake::TracerPlatform& fake = fake::Platform();
  ++fake.sampler_calls;
  if (fake.event_answer == Status::kOk) fake.is_sampling = false;
  return fake.event_answer;
}
Status SetSamplerPeriod(Sampler* sampler, uint64_t period) {
  fake::TracerPlatform& fake = fake::Platform();
  ++fake.sampler_calls;
  if (fake.event_answer == Status::kOk) sampler->period = period;
  return fake.event_answer;
}

bool IsTrapHandlerInstalled() { return fake::Platform().is_handler_installed; }
bool IsSignalDue(const void*) { return fake::Platform().is_signal_due; }
bool DoesFrameBlockTraps(const void*) { return fake::Platform().is_trap_blocked; }
bool MayBlockTraps(uint32_t system_call) { return system_call == fake::kBlockingCall; }
void LoadMachineContext(const void*, MachineContext* context) { *context = fake::Platform().truth; }
bool PassBreakpointOnce(void*) { return fake::Platform().can_pass_breakpoint_once; }

void WakeWord(const std::atomic<uint32_t>*) {}

}  // namespace platform
}  // namespace softlbr
