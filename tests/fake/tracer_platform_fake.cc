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
  fake::Platform().is_sampling = true;
  return Status::kOk;
}
Status DisableSampler(const Sampler&) {
  fake::Platform().is_sampling = false;
  return Status::kOk;
}
Status SetSamplerPeriod(Sampler*, uint64_t) { return Status::kOk; }

bool IsTrapHandlerInstalled() { return fake::Platform().is_handler_installed; }
bool IsSignalDue(const void*) { return fake::Platform().is_signal_due; }
void LoadMachineContext(const void*, MachineContext* context) { *context = fake::Platform().truth; }
bool PassBreakpointOnce(void*) { return fake::Platform().can_pass_breakpoint_once; }

void WakeWord(const std::atomic<uint32_t>*) {}

}  // namespace platform
}  // namespace softlbr
