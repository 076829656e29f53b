// Measures how much throughput a loop loses that blocks SIGTRAP and executes over our breakpoints: pairs of
// measurements, without and with a session.
//
// Use: blocked_signal [SECONDS [ROUNDS [PERIOD_NS]]]
// SECONDS: CPU time of each measurement (1). ROUNDS: number of pairs (15); each has its own session. PERIOD_NS:
// sampling period (the runtime's default). Traces are long, because the loop can stall only while a trace is open.
// Prints each pair, then the median share of throughput kept and the longest stall.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/include/softlbr/softlbr.h"
#include "tests/runtime/watch/blocked_loop.h"

extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);

namespace {

int Drop(void*, const void*, size_t) { return 0; }

softlbr::testing::BlockedLoopResult Turn(double seconds) {
  softlbr::testing::BlockedLoopResult result;
  std::thread thread([&] { result = softlbr::testing::RunBlockedLoop(static_cast<uint64_t>(seconds * 1e9), false); });
  thread.join();
  return result;
}

double RateOf(const softlbr::testing::BlockedLoopResult& result) {
  return static_cast<double>(result.hot_rounds) * 1e3 / static_cast<double>(result.hot_ns);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  softlbr_options options = {};
  options.struct_size = sizeof options;
  options.sink = Drop;
  options.branches_per_trace = 1024;
  options.period = argc > 3 ? static_cast<uint64_t>(std::atoll(argv[3])) : 0;
  if (seconds <= 0 || rounds <= 0) return 2;
  if (softlbr_register_decoder(softlbr_decoder_plugin_x86_64()) != SOFTLBR_OK) return 1;
  std::vector<double> kept;
  uint64_t longest = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto plain = Turn(seconds);
    if (const int status = softlbr_start(&options); status != SOFTLBR_OK) {
      std::fprintf(stderr, "blocked_signal: no session (status %d); see softlbr doctor\n", status);
      return 1;
    }
    const auto profiled = Turn(seconds);
    (void)softlbr_stop();
    kept.push_back(RateOf(profiled) / RateOf(plain));
    longest = std::max(longest, profiled.longest_stall_ns);
    std::printf("rounds per ms: plain %.0f, in a session %.0f (%.2f %%), %llu stalls, the longest %.1f ms\n",
                RateOf(plain) * 1e3, RateOf(profiled) * 1e3, 100 * kept.back(),
                static_cast<unsigned long long>(profiled.stalls), static_cast<double>(profiled.longest_stall_ns) / 1e6);
  }
  std::sort(kept.begin(), kept.end());
  std::printf("throughput kept: %.2f %% (median of %d); longest stall %.1f ms\n", 100 * kept[kept.size() / 2], rounds,
              static_cast<double>(longest) / 1e6);
  return 0;
}
