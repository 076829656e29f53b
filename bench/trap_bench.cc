// Trap costs of this machine: a sample and a breakpoint hit, each with an empty handler, in CPU time of the interrupted
// thread.
#include <benchmark/benchmark.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "platform/breakpoint.h"
#include "platform/sampler.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"

namespace softlbr::platform {
namespace {

std::atomic<uint64_t> g_traps;

bool OnTrap(const Trap& trap) {
  if (trap.kind == TrapKind::kForeign) return false;
  g_traps.fetch_add(1, std::memory_order_relaxed);
  return true;
}

double ThreadCpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

__attribute__((noinline)) void Target() { asm volatile("nop"); }

__attribute__((noinline)) void Spin(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) asm volatile("");
}

// One iteration: one call of an armed function.
void BM_Hit(benchmark::State& state) {
  if (InstallTrapHandler(OnTrap) != Status::kOk) return;
  Breakpoint breakpoint;
  if (OpenBreakpoint(CurrentThreadId(), &breakpoint) != Status::kOk ||
      ArmBreakpoint(&breakpoint, reinterpret_cast<uint64_t>(&Target), 0) != Status::kOk) {
    state.SkipWithError("needs perf_event_open breakpoints");
    return;
  }
  g_traps = 0;
  for (auto _ : state) Target();
  (void)DisarmBreakpoint(&breakpoint);
  if (g_traps != static_cast<uint64_t>(state.iterations())) state.SkipWithError("a call without its hit");
  CloseBreakpoint(&breakpoint);
  RestoreTrapHandler();
}
BENCHMARK(BM_Hit);

// One iteration: arming and disarming an opened breakpoint.
void BM_ArmAndDisarm(benchmark::State& state) {
  Breakpoint breakpoint;
  if (OpenBreakpoint(CurrentThreadId(), &breakpoint) != Status::kOk) {
    state.SkipWithError("needs perf_event_open breakpoints");
    return;
  }
  for (auto _ : state) {
    (void)ArmBreakpoint(&breakpoint, reinterpret_cast<uint64_t>(&Target), 0);
    (void)DisarmBreakpoint(&breakpoint);
  }
  CloseBreakpoint(&breakpoint);
}
BENCHMARK(BM_ArmAndDisarm);

// Manual time: the additional CPU time of a fixed amount of work under sampling, per sample.
void BM_Sample(benchmark::State& state) {
  if (InstallTrapHandler(OnTrap) != Status::kOk) return;
  Sampler sampler;
  constexpr uint64_t kPeriodNs = 100003;
  if (OpenSampler(CurrentThreadId(), static_cast<SampleEvent>(state.range(0)), kPeriodNs, 0, &sampler) != Status::kOk) {
    state.SkipWithError("needs this sampler");
    return;
  }
  constexpr uint64_t kRounds = 20000000;
  for (auto _ : state) {
    double begin = ThreadCpuSeconds();
    Spin(kRounds);
    const double without = ThreadCpuSeconds() - begin;
    g_traps = 0;
    (void)EnableSampler(sampler);
    begin = ThreadCpuSeconds();
    Spin(kRounds);
    const double with = ThreadCpuSeconds() - begin;
    (void)DisableSampler(sampler);
    const double traps = g_traps == 0 ? 1 : static_cast<double>(g_traps);
    state.SetIterationTime(with > without ? (with - without) / traps : 0);
  }
  CloseSampler(&sampler);
  RestoreTrapHandler();
}
BENCHMARK(BM_Sample)->Arg(static_cast<int>(SampleEvent::kTaskClock))->UseManualTime()->Iterations(20);

}  // namespace
}  // namespace softlbr::platform
