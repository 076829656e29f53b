// Wall time of softlbr_start, of its first sample and of softlbr_stop in a process of many threads, and what the
// scheduler and the kernel alone take there: the birth of a thread that answers at once, one turn of the busy threads,
// and the first perf event of the system.
//
// Use: session_latency [THREADS [ROUNDS [BUSY]]]   (64, 15 and all). BUSY of the threads compute all the time, the
//                                                  others sleep. Prints medians and extremes in milliseconds, of rounds
//                                                  in one process.
//
// Cold: nobody had an event for so long that the kernel has switched its code for events off; the first perf_event_open
// waits until each CPU knows that it is on again. Warm: an event of our own, which never counts, is open meanwhile.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "softlbr/decoders.h"
#include "softlbr/softlbr.h"

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr useconds_t kKernelForgetsUs = 1300000;  // after the last event of all is closed
constexpr uint64_t kSamplesPerSecond = 20000;     // so dense that a thread that runs has a sample soon

std::atomic<bool> g_is_over;

struct AppThread {
  std::thread thread;
  std::atomic<uint64_t> rounds;

  void Run(bool is_busy) {
    thread = std::thread([this, is_busy] {
      while (!g_is_over.load(std::memory_order_relaxed)) {
        if (!is_busy) usleep(100000);
        for (int i = 0; i < 1000; ++i) asm volatile("");
        rounds.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
};

// A disabled event of this thread.
class KernelEvent {
 public:
  KernelEvent() {
    perf_event_attr attributes = {};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.disabled = attributes.exclude_kernel = attributes.exclude_hv = 1;
    fd_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  }
  ~KernelEvent() {
    if (fd_ >= 0) close(fd_);
  }
  KernelEvent(const KernelEvent&) = delete;
  KernelEvent& operator=(const KernelEvent&) = delete;

 private:
  int fd_;
};

template <typename Function>
double TimeOf(Function function) {
  const Clock::time_point begin = Clock::now();
  function();
  return Milliseconds(Clock::now() - begin).count();
}

void Print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  printf("%-40s median %8.2f   from %8.2f to %8.2f\n", what, times[times.size() / 2], times.front(), times.back());
}

// Until each of the first busy threads has run once more.
void WaitForOneTurn(const std::vector<AppThread>& threads, size_t busy) {
  std::vector<uint64_t> seen;
  for (size_t i = 0; i < busy; ++i) seen.push_back(threads[i].rounds.load());
  for (size_t i = 0; i < busy; ++i) {
    while (threads[i].rounds.load() == seen[i]) usleep(200);
  }
}

// From the call of softlbr_start until another thread sees that there is a sample. The session is over afterwards.
// status: what failed.
double TimeToFirstSample(int fd, int* status) {
  softlbr_options options = {};
  options.struct_size = sizeof options;
  options.sink_fd = fd;
  options.frequency_hz = kSamplesPerSecond;
  options.max_overhead_ppm = 1000000;
  std::atomic<double> time{0};
  std::atomic<bool> is_given_up{false};
  const Clock::time_point begin = Clock::now();
  std::thread watcher([&] {
    softlbr_counters counters = {};
    counters.struct_size = sizeof counters;
    while (!is_given_up.load() && (softlbr_get_counters(&counters) != SOFTLBR_OK || counters.samples == 0)) usleep(100);
    time.store(Milliseconds(Clock::now() - begin).count());
  });
  *status = softlbr_start(&options);
  if (*status == SOFTLBR_OK) {
    for (int i = 0; i < 2000 && time.load() == 0; ++i) usleep(1000);
    *status = softlbr_stop();
  }
  is_given_up.store(true);
  watcher.join();
  return time.load();
}

}  // namespace

int main(int argc, char** argv) {
  const int thread_count = argc > 1 ? atoi(argv[1]) : 64;
  const int rounds = argc > 2 ? atoi(argv[2]) : 15;
  const int busy_count = argc > 3 ? atoi(argv[3]) : thread_count;
  if (thread_count < 0 || rounds < 1 || busy_count < 0 || busy_count > thread_count) {
    fprintf(stderr, "session_latency: use: session_latency [THREADS [ROUNDS [BUSY]]]\n");
    return 2;
  }
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const auto busy = static_cast<size_t>(busy_count);
  std::vector<AppThread> threads(static_cast<size_t>(thread_count));
  for (size_t i = 0; i < threads.size(); ++i) threads[i].Run(i < busy);

  std::vector<double> births;
  std::vector<double> turns;
  std::vector<double> starts;
  std::vector<double> stops;
  std::vector<double> events;
  std::vector<double> cold_samples;
  std::vector<double> warm_samples;
  int status = SOFTLBR_OK;
  for (int round = 0; round < rounds && status == SOFTLBR_OK; ++round) {
    usleep(200000);
    births.push_back(TimeOf([] { std::thread([] {}).join(); }));
    usleep(200000);
    turns.push_back(TimeOf([&] { WaitForOneTurn(threads, busy); }));
    usleep(200000);
    softlbr_options options = {};
    options.struct_size = sizeof options;
    options.sink_fd = fd;
    starts.push_back(TimeOf([&] { status = softlbr_start(&options); }));
    if (status != SOFTLBR_OK) break;
    usleep(300000);
    stops.push_back(TimeOf([&] { status = softlbr_stop(); }));
    if (status != SOFTLBR_OK || busy == 0) continue;  // threads that sleep have no samples to wait for
    usleep(kKernelForgetsUs);
    cold_samples.push_back(TimeToFirstSample(fd, &status));
    if (status != SOFTLBR_OK) break;
    usleep(kKernelForgetsUs);
    std::unique_ptr<KernelEvent> event;
    events.push_back(TimeOf([&] { event = std::make_unique<KernelEvent>(); }));
    warm_samples.push_back(TimeToFirstSample(fd, &status));
  }
  g_is_over = true;
  for (AppThread& thread : threads) thread.thread.join();
  close(fd);
  if (status != SOFTLBR_OK) {
    fprintf(stderr, "session_latency: %s\n", softlbr_status_text(status));
    return 1;
  }
  printf("%d threads, %d of them busy, %u CPUs, %d rounds, ms\n", thread_count, busy_count,
         std::thread::hardware_concurrency(), rounds);
  Print("a thread is born, ends and is joined", births);
  Print("every busy thread has run once more", turns);
  Print("softlbr_start", starts);
  Print("softlbr_stop", stops);
  if (busy == 0) return 0;
  Print("the first perf_event_open of the system", events);
  Print("start to first sample, cold", cold_samples);
  Print("start to first sample, warm", warm_samples);
  return 0;
}
