// What a session costs a loop of frames with a pool of threads, as games and user interfaces have one.
//
// Use: frame_loop [THREADS [SECONDS [ROUNDS [LIMIT_PPM [HZ]]]]]   (8, 10, 3, 12500 and the default period). A frame has
//                                                                 4 ms of work, and each thread of the pool is woken
//                                                                 for a little; then the loop waits for the next 60th
//                                                                 of a second. In each round SECONDS without a session
//                                                                 and SECONDS with one, in turn. Prints a table row for
//                                                                 each: frame times, CPU time of the process and of the
//                                                                 helper, samples, and the overhead as told and as
//                                                                 measured.
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "softlbr/decoders.h"
#include "softlbr/softlbr.h"

namespace {

constexpr uint64_t kFrameNs = 16666667;
constexpr uint32_t kFrameWork = 11000;  // about 4 ms
constexpr uint32_t kPoolWork = 250;

uint64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// Branches that depend on data.
__attribute__((noinline)) void Work(uint32_t rounds) {
  thread_local uint32_t state = 1;
  uint32_t most = 0;
  for (uint32_t i = 0; i < rounds; ++i) {
    state = state * 1664525 + 1013904223;
    uint32_t steps = 0;
    for (uint64_t x = (state >> 8) + 1; x != 1; ++steps) x = (x & 1) != 0 ? 3 * x + 1 : x / 2;
    most = std::max(most, steps);
  }
  asm volatile("" ::"r"(most));
}

// CPU time of the process that shares our memory and is not us; 0 if there is none.
uint64_t HelperCpuNs() {
  constexpr int kMemory = 1;  // KCMP_VM
  DIR* folder = opendir("/proc");
  uint64_t cpu_ns = 0;
  while (const dirent* entry = readdir(folder)) {
    const pid_t other = std::atoi(entry->d_name);
    if (other <= 0 || other == getpid() || syscall(SYS_kcmp, getpid(), other, kMemory, 0, 0) != 0) continue;
    const std::string path = "/proc/" + std::to_string(other) + "/schedstat";
    FILE* file = fopen(path.c_str(), "r");
    unsigned long long ns = 0;
    if (file != nullptr && fscanf(file, "%llu", &ns) == 1) cpu_ns = ns;
    if (file != nullptr) fclose(file);
  }
  closedir(folder);
  return cpu_ns;
}

struct Run {
  std::vector<double> frames_ms;
  uint64_t cpu_ns = 0;
  uint64_t helper_ns = 0;
  uint64_t told_ns = 0;
  uint64_t samples = 0;
};

double At(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1, static_cast<size_t>(share * static_cast<double>(times.size())))];
}

void Print(const char* what, const Run& run, const Run& without) {
  const auto cpu_ns = static_cast<double>(without.cpu_ns);
  const double added = (static_cast<double>(run.cpu_ns) - cpu_ns + static_cast<double>(run.helper_ns)) / cpu_ns;
  std::printf("| %s | %.3f | %.3f | %.3f | %.1f | %.1f | %llu | %.2f %% | %+.2f %% |\n", what, At(run.frames_ms, 0.5),
              At(run.frames_ms, 0.99), At(run.frames_ms, 0.999), static_cast<double>(run.cpu_ns) / 1e6,
              static_cast<double>(run.helper_ns) / 1e6, static_cast<unsigned long long>(run.samples),
              100 * static_cast<double>(run.told_ns) / static_cast<double>(run.cpu_ns), 100 * added);
  (void)fflush(stdout);
}

class App {
 public:
  explicit App(uint32_t threads) : begin_(threads + 1), end_(threads + 1) {
    for (uint32_t i = 0; i < threads; ++i) {
      pool_.emplace_back([this] {
        for (;;) {
          begin_.arrive_and_wait();
          if (is_over_) return;
          Work(kPoolWork);
          end_.arrive_and_wait();
        }
      });
    }
  }
  ~App() {
    is_over_ = true;
    begin_.arrive_and_wait();
    for (std::thread& thread : pool_) thread.join();
  }
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // options: of the session, or nullptr.
  Run Play(uint32_t seconds, const softlbr_options* options) {
    Run run;
    const uint64_t cpu_ns = Now(CLOCK_PROCESS_CPUTIME_ID);
    if (options != nullptr && softlbr_start(options) != SOFTLBR_OK) std::exit(1);
    uint64_t next_ns = Now(CLOCK_MONOTONIC);
    for (uint32_t frame = 0; frame < seconds * 60; ++frame) {
      const uint64_t begin_ns = Now(CLOCK_MONOTONIC);
      begin_.arrive_and_wait();
      Work(kFrameWork);
      end_.arrive_and_wait();
      run.frames_ms.push_back(static_cast<double>(Now(CLOCK_MONOTONIC) - begin_ns) / 1e6);
      next_ns += kFrameNs;
      const timespec until = {static_cast<time_t>(next_ns / 1000000000), static_cast<long>(next_ns % 1000000000)};
      if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) std::puts("a call ended with EINTR");
    }
    if (options != nullptr) {
      run.helper_ns = HelperCpuNs();
      softlbr_counters counters{};
      counters.struct_size = sizeof counters;
      (void)softlbr_get_counters(&counters);
      run.samples = counters.samples;
      run.told_ns = counters.overhead_ns;
      (void)softlbr_stop();
    }
    run.cpu_ns = Now(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    return run;
  }

 private:
  std::barrier<> begin_;
  std::barrier<> end_;
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> pool_;
};

uint32_t Argument(int count, char** values, int index, uint32_t otherwise) {
  return index < count ? static_cast<uint32_t>(std::strtoul(values[index], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  const uint32_t threads = Argument(count, values, 1, 8);
  const uint32_t seconds = Argument(count, values, 2, 10);
  const uint32_t rounds = Argument(count, values, 3, 3);
  softlbr_options options = {};
  options.struct_size = sizeof options;
  options.max_overhead_ppm = Argument(count, values, 4, 12500);
  options.frequency_hz = Argument(count, values, 5, 0);
  (void)softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  App app(threads);
  (void)app.Play(1, nullptr);
  std::puts(
      "| | p50, ms | p99 | p99.9 | CPU, ms | helper, ms | samples | told | measured "
      "|\n|---|---|---|---|---|---|---|---|---|");
  Run all_without;
  Run all_with;
  const auto add = [](Run* sum, const Run& run) {
    sum->frames_ms.insert(sum->frames_ms.end(), run.frames_ms.begin(), run.frames_ms.end());
    sum->cpu_ns += run.cpu_ns;
    sum->helper_ns += run.helper_ns;
    sum->told_ns += run.told_ns;
    sum->samples += run.samples;
  };
  for (uint32_t round = 0; round < rounds; ++round) {
    add(&all_without, app.Play(seconds, nullptr));
    options.sink_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    add(&all_with, app.Play(seconds, &options));
    close(options.sink_fd);
  }
  Print("without", all_without, all_without);
  Print("with", all_with, all_without);
}
