#include "runtime/session/calibration.h"

#include "platform/base/config.h"
#include "platform/breakpoint.h"
#include "platform/cpu_context.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/trace/tracer.h"

namespace softlbr {
namespace {

constexpr uint32_t kHits = 3;
constexpr uint32_t kRounds = 3;
// Shorter than a sample takes on some machines, so its handler turns the sampler off. Otherwise the next sample is due
// as soon as the program goes on: 20 us gave up to 26 samples, 10 ms long, in a round on a virtual machine, and each
// seemed up to eight times as dear as one alone.
constexpr uint64_t kSamplePeriodNs = 30011;
constexpr uint64_t kSpinNs = 24000;  // between two looks whether the sample has come
constexpr uint32_t kMostSpins = 64;

// Read and written by the control thread and its own handler only.
SOFTLBR_CONSTINIT std::atomic<uint32_t> g_traps{0};
SOFTLBR_CONSTINIT std::atomic<uint32_t> g_misplaced{0};
// The sampler that is measured, which the handler turns off; null: none.
SOFTLBR_CONSTINIT const platform::Sampler* g_sampler = nullptr;

// Written by the control thread, of which there is at most one at a time.
SOFTLBR_CONSTINIT TrapCosts g_costs{0, 0, 0, false};
SOFTLBR_CONSTINIT bool g_is_measured = false;

// The breakpoint's target. Its first instruction runs exactly once for each call.
SOFTLBR_NOINLINE void Target() { asm volatile("nop"); }

uint64_t CpuNs() { return platform::ThreadCpuTimeNs(0); }

SOFTLBR_NOINLINE void Spin(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) asm volatile("");
}

// CPU time in ns of kHits calls of Target; if it is armed, each call hits.
uint64_t TimeCalls() {
  const uint64_t begin = CpuNs();
  for (uint32_t i = 0; i < kHits; ++i) Target();
  return CpuNs() - begin;
}

// CPU ns of Spin(rounds).
SOFTLBR_NOINLINE uint64_t TimeSpin(uint64_t rounds) {
  const uint64_t begin = CpuNs();
  Spin(rounds);
  return CpuNs() - begin;
}

// The costs measured in several rounds. The result is their median: interruptions make some rounds too expensive, and
// the minimum would be the cost on an idle machine with warm caches, which traps in a program do not have.
struct RoundCosts {
  uint32_t count;
  uint64_t ascending[kRounds];

  void Add(uint64_t cost) {
    uint32_t at = count++;
    for (; at != 0 && ascending[at - 1] > cost; --at) ascending[at] = ascending[at - 1];
    ascending[at] = cost;
  }
  // No upper limit: an emulated CPU takes milliseconds for a trap, and dropping such a cost would hide it from the
  // overhead.
  uint64_t Median() const { return count != 0 ? ascending[count / 2] : 0; }
};

bool MeasureHit(TrapCosts* costs) {
  platform::Breakpoint breakpoint;
  if (platform::OpenBreakpoint(platform::CurrentThreadId(), &breakpoint) != Status::kOk) return false;
  RoundCosts found;
  found.count = 0;
  bool is_exact = true;
  for (uint32_t round = 0; round < kRounds && is_exact; ++round) {
    g_traps.store(0, std::memory_order_relaxed);
    const uint64_t without = TimeCalls();
    if (platform::ArmBreakpoint(&breakpoint, reinterpret_cast<uint64_t>(&Target), MakeSigData(kCalibrationSlot, 0)) !=
        Status::kOk) {
      is_exact = false;
      break;
    }
    const uint64_t with = TimeCalls();
    (void)platform::DisarmBreakpoint(&breakpoint);
    Target();  // disarmed: no hit
    is_exact = g_traps.load(std::memory_order_relaxed) == kHits && g_misplaced.load(std::memory_order_relaxed) == 0;
    if (with > without) found.Add((with - without) / kHits);
  }
  platform::CloseBreakpoint(&breakpoint);
  if (is_exact) costs->hit_ns = found.Median();
  return is_exact;
}

// At a context switch the kernel disables the events of one thread and enables those of the other, as these two calls
// do for the sampler.
uint64_t MeasureToggle(platform::Sampler* sampler) {
  constexpr uint64_t kNeverNs = 100000000;  // no sample comes
  constexpr uint32_t kPairs = 3;
  (void)platform::SetSamplerPeriod(sampler, kNeverNs);
  RoundCosts found;
  found.count = 0;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint64_t begin = CpuNs();
    for (uint32_t i = 0; i < kPairs; ++i) {
      (void)platform::EnableSampler(*sampler);
      (void)platform::DisableSampler(*sampler);
    }
    found.Add((CpuNs() - begin) / kPairs);
  }
  return found.Median();
}

void MeasureSample(platform::SampleEvent event, TrapCosts* costs) {
  if (!platform::IsClock(event)) {
    // A PMU overflow is delivered in the same way as a clock's, so the cost of the software clock is used for it.
    event = platform::SampleEvent::kTaskClock;
  }
  platform::Sampler sampler;
  if (platform::OpenSampler(platform::CurrentThreadId(), event, kSamplePeriodNs, MakeSigData(kCalibrationSlot, 0),
                            &sampler) != Status::kOk) {
    return;
  }
  g_sampler = &sampler;
  // Rounds of Spin that take about kSpinNs.
  constexpr uint64_t kTrialRounds = 20000;
  const uint64_t trial = TimeSpin(kTrialRounds);
  const uint64_t rounds = trial == 0 ? kTrialRounds : kTrialRounds * kSpinNs / trial;
  RoundCosts found;
  found.count = 0;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint64_t without = TimeSpin(rounds);
    g_traps.store(0, std::memory_order_relaxed);
    (void)platform::EnableSampler(sampler);
    // Until the first sample, which may be late: emulated CPUs are interrupted late.
    uint64_t with = 0;
    uint64_t expected = 0;
    uint32_t traps = 0;
    for (uint32_t spin = 0; spin < kMostSpins && traps == 0; ++spin) {
      with += TimeSpin(rounds);
      expected += without;
      traps = g_traps.load(std::memory_order_relaxed);
    }
    (void)platform::DisableSampler(sampler);
    if (traps != 0 && with > expected) found.Add((with - expected) / traps);
  }
  g_sampler = nullptr;
  costs->sample_ns = found.Median();
  if (event != platform::SampleEvent::kThreadTimer) costs->toggle_ns = MeasureToggle(&sampler);
  platform::CloseSampler(&sampler);
}

}  // namespace

TrapCosts MeasureTrapCostsOnce(platform::SampleEvent event, bool may_use_breakpoints) {
  if (g_is_measured) return g_costs;
  g_costs = TrapCosts{0, 0, 0, false};
  g_misplaced.store(0, std::memory_order_relaxed);
  platform::SetTrapSignalBlocked(false);
  g_costs.breakpoints_work = may_use_breakpoints && MeasureHit(&g_costs);
  MeasureSample(event, &g_costs);
  platform::SetTrapSignalBlocked(true);
  g_is_measured = g_costs.breakpoints_work;  // breakpoints refused now may be granted to the next session
  return g_costs;
}

bool IsCalibrationTarget(uint64_t pc) { return pc == reinterpret_cast<uint64_t>(&Target); }

void OnCalibrationTrap(const platform::Trap& trap) {
  g_traps.fetch_add(1, std::memory_order_relaxed);
  if (g_sampler != nullptr) (void)platform::DisableSampler(*g_sampler);
  if (trap.kind == platform::TrapKind::kBreakpoint && !IsCalibrationTarget(trap.pc)) {
    g_misplaced.fetch_add(1, std::memory_order_relaxed);
  } else if (SOFTLBR_CPU_HAS_RESUME_FLAG == 0 && trap.kind == platform::TrapKind::kBreakpoint) {
    // Skip the nop, or the landing pad that a compiler puts before it: four bytes without effect. At an unchanged pc
    // the breakpoint would hit for ever.
    platform::SetResumePc(trap.ucontext, trap.pc + 4);
  }
}

}  // namespace softlbr
