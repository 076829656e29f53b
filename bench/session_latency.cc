// Wall time of softlbr_start and softlbr_stop in a process whose threads keep all CPUs busy, and what the scheduler alone takes there:
// the birth of a thread that answers at once, and one turn of all threads.
//
// Use: session_latency [THREADS [ROUNDS]]   (64 and 15). Prints medians and extremes in milliseconds, of rounds in one process.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "softlbr/decoders.h"
#include "softlbr/softlbr.h"

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

std::atomic<bool> g_is_over;

struct BusyThread {
  std::thread thread;
  std::atomic<uint64_t> rounds;

  void Run() {
    thread = std::thread([this] {
      while (!g_is_over.load(std::memory_order_relaxed)) {
        for (int i = 0; i < 1000; ++i) asm volatile("");
        rounds.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
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

// Until each thread has run once more.
void WaitForOneTurn(const std::vector<BusyThread>& threads) {
  std::vector<uint64_t> seen;
  for (const BusyThread& thread : threads) seen.push_back(thread.rounds.load());
  for (size_t i = 0; i < threads.size(); ++i) {
    while (threads[i].rounds.load() == seen[i]) usleep(200);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int thread_count = argc > 1 ? atoi(argv[1]) : 64;
  const int rounds = argc > 2 ? atoi(argv[2]) : 15;
  if (thread_count < 0 || rounds < 1) {
    fprintf(stderr, "session_latency: use: session_latency [THREADS [ROUNDS]]\n");
    return 2;
  }
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::vector<BusyThread> threads(static_cast<size_t>(thread_count));
  for (BusyThread& thread : threads) thread.Run();

  std::vector<double> births;
  std::vector<double> turns;
  std::vector<double> starts;
  std::vector<double> stops;
  int status = SOFTLBR_OK;
  for (int round = 0; round < rounds && status == SOFTLBR_OK; ++round) {
    usleep(200000);
    births.push_back(TimeOf([] { std::thread([] {}).join(); }));
    usleep(200000);
    turns.push_back(TimeOf([&] { WaitForOneTurn(threads); }));
    usleep(200000);
    softlbr_options options = {};
    options.struct_size = sizeof options;
    options.sink_fd = fd;
    starts.push_back(TimeOf([&] { status = softlbr_start(&options); }));
    if (status != SOFTLBR_OK) break;
    usleep(300000);
    stops.push_back(TimeOf([&] { status = softlbr_stop(); }));
  }
  g_is_over = true;
  for (BusyThread& thread : threads) thread.thread.join();
  close(fd);
  if (status != SOFTLBR_OK) {
    fprintf(stderr, "session_latency: %s\n", softlbr_status_text(status));
    return 1;
  }
  printf("%d busy threads, %u CPUs, %d rounds, ms\n", thread_count, std::thread::hardware_concurrency(), rounds);
  Print("a thread is born, ends and is joined", births);
  Print("every busy thread has run once more", turns);
  Print("softlbr_start", starts);
  Print("softlbr_stop", stops);
  return 0;
}
