// CPU time of setting a breakpoint, and of setting and hitting it with an empty handler, by the number of threads that
// do so at once.
//
// Use: breakpoint_contention HITS THREADS...      HITS in all threads together, at least 20 in each
// A line for each number of threads: threads, us to set and clear, us to set, hit and clear: medians over the threads.
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "platform/breakpoint.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"

namespace softlbr::platform {
namespace {

std::atomic<uint64_t> g_traps;
std::atomic<int> g_failures;

bool CountTrap(const Trap& trap) {
  if (trap.kind == TrapKind::kForeign) return false;
  g_traps.fetch_add(1, std::memory_order_relaxed);
  return true;
}

double ThreadCpuUs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

__attribute__((noinline)) void ContentionTarget() { asm volatile("nop"); }

struct ThreadCost {
  double set_us = 0;
  double hit_us = 0;
};

void Measure(int hits, pthread_barrier_t* barrier, ThreadCost* cost) {
  Breakpoint breakpoint;
  const bool is_open = OpenBreakpoint(CurrentThreadId(), &breakpoint) == Status::kOk;
  if (!is_open) g_failures.fetch_add(1);
  for (const bool is_hit : {false, true}) {
    pthread_barrier_wait(barrier);
    if (!is_open) continue;
    const double begin = ThreadCpuUs();
    for (int i = 0; i < hits; ++i) {
      if (ArmBreakpoint(&breakpoint, reinterpret_cast<uint64_t>(&ContentionTarget), 0) != Status::kOk)
        g_failures.fetch_add(1);
      if (is_hit) ContentionTarget();
      (void)DisarmBreakpoint(&breakpoint);
    }
    (is_hit ? cost->hit_us : cost->set_us) = (ThreadCpuUs() - begin) / hits;
  }
  pthread_barrier_wait(barrier);
  if (is_open) CloseBreakpoint(&breakpoint);
}

double MedianOf(const std::vector<ThreadCost>& costs, double ThreadCost::*member) {
  std::vector<double> values;
  for (const ThreadCost& cost : costs) values.push_back(cost.*member);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool MeasureThreads(int threads, int all_hits) {
  const int hits = std::max(20, all_hits / threads);
  std::vector<ThreadCost> costs(static_cast<size_t>(threads));
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
  g_traps = 0;
  std::vector<std::thread> running;
  for (ThreadCost& cost : costs) running.emplace_back(Measure, hits, &barrier, &cost);
  for (std::thread& thread : running) thread.join();
  pthread_barrier_destroy(&barrier);
  if (g_failures != 0 || g_traps != static_cast<uint64_t>(threads) * static_cast<uint64_t>(hits)) return false;
  std::printf("%d %.3f %.3f\n", threads, MedianOf(costs, &ThreadCost::set_us), MedianOf(costs, &ThreadCost::hit_us));
  return true;
}

}  // namespace
}  // namespace softlbr::platform

int main(int argc, char** argv) {
  if (argc < 3 || std::atoi(argv[1]) < 1) {
    std::fprintf(stderr, "breakpoint_contention: use: breakpoint_contention HITS THREADS...\n");
    return 2;
  }
  if (softlbr::platform::InstallTrapHandler(softlbr::platform::CountTrap) != softlbr::Status::kOk) return 1;
  for (int i = 2; i < argc; ++i) {
    const int threads = std::atoi(argv[i]);
    if (threads < 1 || !softlbr::platform::MeasureThreads(threads, std::atoi(argv[1]))) {
      std::fprintf(stderr, "breakpoint_contention: %s threads: a breakpoint could not be set or was not hit\n",
                   argv[i]);
      return 1;
    }
  }
  softlbr::platform::RestoreTrapHandler();
  return 0;
}
